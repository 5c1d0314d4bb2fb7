import { bearerCredentialOf } from '../../kernel/bearer-token.js'
import type { CookieChange, CookieSpec } from '../../kernel/cookies.js'
import type { CsrfTokens } from '../../kernel/csrf.js'
import { sha256Base64url } from '../../kernel/digest.js'
import { RequestRefused, SessionChanged, SessionTokenError } from '../../kernel/errors.js'
import { parseObject } from '../../kernel/json-object.js'
import { randomToken } from '../../kernel/random.js'
import type { RequestContext } from '../../kernel/request-context.js'
import type { ActingUser } from '../../sessions/authentication.js'
import { refusedWhileActing } from '../../sessions/may-be-used.js'
import { type Actor, nobody, type SessionReading, withActor } from '../../sessions/session.js'
import {
  BearerContext,
  clearSessionCookie,
  clearTwins,
  isSessionCookie,
  readSessionCookie,
} from '../../sessions/session-cookie.js'
import type { ActingSessions, SessionManager, SessionStart } from '../../sessions/session-manager.js'
import type { CookieSpecs } from '../../sign-in/cookies.js'
import type { Parts } from '../../sign-in/feature.js'
import { putRecord } from '../../sign-in/records.js'

/** What is kept of a session in which somebody acts, among the records: by the session of the administrator, which is the last one. */
const KIND = 'acting'

/** What the value of a record has. */
interface Acting {
  /** As the session says it. */
  readonly id: string
  readonly userId: string
}

/** The sessions that are joined. */
interface Joined extends Pick<Parts, 'store' | 'now'> {
  /** Those of people. */
  readonly own: SessionManager
  /** Those of people who act as others, in a cookie of their own. */
  readonly acting: SessionManager
  readonly cookie: CookieSpec
  readonly csrfToken: CookieSpec
  /** Null if the protection is turned off. */
  readonly csrf: CsrfTokens | null
  readonly acceptsBearer: boolean
}

/**
 * The sessions of a browser in which an administrator may act as a user. While one does, the request has the session of that user,
 * which says who acts, and it counts only beside the session of the administrator that began it last. Without that, nobody is signed
 * in: a form that was made for the user must not be taken for one of the administrator.
 */
function createActingSessions({
  own,
  acting,
  cookie,
  csrfToken,
  csrf,
  acceptsBearer,
  store,
  now,
}: Joined): SessionManager {
  const isBrought: ActingSessions['isBrought'] = (request) =>
    readSessionCookie(request.cookies, cookie) !== undefined &&
    bearerCredentialOf(acceptsBearer, (name) => request.header(name)) === undefined

  const last = async (sessionId: string) => {
    const record = await store.getRecord(KIND, sha256Base64url(sessionId))
    return { version: record?.version ?? 0, value: record ? (parseObject(record.value) as Acting | null) : null }
  }

  const counts = async ({ id, session }: ActingUser, actor: SessionReading): Promise<boolean> =>
    session === actor.id && id !== '' && (await last(session)).value?.id === id

  const joined = async (request: RequestContext, read: SessionManager['read']): Promise<SessionReading> => {
    const [actor, reading] = await Promise.all([own.read(request), read(request)])
    const { session, authentication } = reading
    const act = authentication?.act
    if (session === null || !act || !(await counts(act, actor))) return nobody(cleared(request))
    return { ...reading, session: withActor(session, shown(actor, act.sub)), authenticatedAt: null, actor }
  }

  /** Without the forms that were open: they would be sent as the administrator. */
  const cleared = (request: RequestContext): readonly CookieChange[] => [
    ...clearTwins(request, cookie),
    ...clearSessionCookie(request.cookies, cookie),
    ...(csrf?.clear(request.cookies, csrfToken) ?? []),
  ]

  /**
   * Whether a cookie of an administrator who acts no more keeps everybody from being signed in.
   *
   * @throws {RequestRefused} 403 if the administrator acts still
   */
  const isNobody = async (request: RequestContext): Promise<boolean> => {
    if (!isBrought(request)) return false
    if ((await joined(request, acting.read)).actor) throw refusedWhileActing()
    return true
  }

  const begin: ActingSessions['begin'] = async (request, start, { userId, sessionId }) => {
    const id = randomToken()
    const authentication = { act: { sub: userId, session: sessionId, id } }
    const cookies = await acting.issue(request, { ...start, authentication })
    const value = cookies.flatMap((change) => (isSessionCookie(change.name, cookie) ? change.value : [])).join('')
    const begun = new BearerContext(request, cookie.name, value)
    try {
      // The same session without it would be that of the user, in another cookie.
      if ((await acting.read(begun)).authentication?.act?.id !== id) throw new SessionTokenError(LOST_ACT)
      return { cookies, replaced: await put(sessionId, { id, userId: String(start.user.id) }, start) }
    } catch (error) {
      // Nobody gets its cookies, and the user would see it in their list.
      await acting.revoke(begun)
      throw error
    }
  }

  /** Gives the id of the user whose place it takes; null for nobody. */
  const put = async (sessionId: string, value: Acting, { lifetime }: SessionStart): Promise<string | null> => {
    const expires = new Date(now() + (lifetime?.maxLifetime ?? 0) * 1000)
    const { version, value: earlier } = await last(sessionId)
    const kept = { kind: KIND, key: sha256Base64url(sessionId), owner: null, value: JSON.stringify(value), expires }
    const record = { ...kept, version: version + 1 }
    if (await putRecord(store, record)) return earlier?.userId ?? null
    throw new SessionChanged('Somebody began to act as two users at the same moment.')
  }

  const end: ActingSessions['end'] = async (request) => {
    const { act } = (await acting.read(request)).authentication ?? {}
    if (act) await store.deleteRecord(KIND, sha256Base64url(act.session))
    return acting.revoke(request)
  }

  // Not a spread: a further method would be that of the administrator.
  const { name, listOf, revokeAllOf, revokeAllAt } = own
  return {
    name,
    listOf,
    revokeAllOf,
    revokeAllAt,
    acting: {
      isBrought,
      async refuse(request) {
        await isNobody(request)
      },
      begin,
      end,
    },
    read: (request) => (isBrought(request) ? joined(request, acting.read) : own.read(request)),
    renew: (request) => (isBrought(request) ? joined(request, acting.renew) : own.renew(request)),
    update: async (request, data) => ((await isNobody(request)) ? nobody(cleared(request)) : own.update(request, data)),
    async list(request) {
      if (!isBrought(request)) return own.list(request)
      return (await joined(request, acting.read)).session && acting.list(request)
    },
    async revoke(request) {
      if (!isBrought(request)) return own.revoke(request)
      const ended = await own.revoke(request)
      // Its record may stay: it counts for nobody without the session of the administrator, and a store that fails keeps no cookie.
      const acted = await acting.revoke(request)
      const { fault, isRetried = false } = ended.fault ? ended : acted
      return {
        ended: ended.ended,
        cookies: [...ended.cookies, ...acted.cookies],
        ...(fault && { fault, isRetried }),
      }
    },
    async issue(request, start) {
      const left = (await isNobody(request)) ? cleared(request) : []
      return [...left, ...(await own.issue(request, start))]
    },
    addAccount: async (request, added) => ((await isNobody(request)) ? [] : own.addAccount(request, added)),
    showUser: async (request, user) => ((await isNobody(request)) ? [] : own.showUser(request, user)),
    readPrincipal: async (request) => ((await isNobody(request)) ? null : own.readPrincipal(request)),
    raise: async (request, proved) => ((await isNobody(request)) ? null : own.raise(request, proved)),
    revokeById: async (request, id) => ((await isNobody(request)) ? null : own.revokeById(request, id)),
    revokeOthers: async (request) => ((await isNobody(request)) ? null : own.revokeOthers(request)),
    async issueToken(request, wanted) {
      if (await isNobody(request)) throw new RequestRefused(401, 'Nobody is signed in.')
      return own.issueToken(request, wanted)
    },
  }
}

/** Joins them in the cookies of a configuration. */
export const joinedSessions =
  (settings: Pick<Joined, 'acceptsBearer' | 'csrf' | 'store' | 'now'>) =>
  (own: SessionManager, acting: (cookie: CookieSpec) => SessionManager, { sessionToken, csrfToken }: CookieSpecs) => {
    // It goes wherever the session cookie goes: a host that gets one of them alone would take the administrator for who is meant.
    const cookie = { ...sessionToken, name: sessionToken.name.replace(/^(__(?:Secure|Host)-)?/, '$1acting.') }
    return createActingSessions({ ...settings, own, acting: acting(cookie), cookie, csrfToken })
  }

const LOST_ACT =
  'The adapter does not keep who acts as a user: createSession() lost `authentication`. Use an adapter of Latchkey, and run `npx latchkey migrate up`.'

/** What the session of the user says of the administrator. */
function shown({ session }: SessionReading, sub: string): Actor {
  const { name, email } = session?.user ?? {}
  return { sub, ...(name && { name }), ...(email && { email }) }
}
