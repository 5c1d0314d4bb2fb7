import { bearerCredentialOf } from '../../kernel/bearer-token.js'
import type { CookieSpec } from '../../kernel/cookies.js'
import { RequestRefused } from '../../kernel/errors.js'
import type { RequestContext } from '../../kernel/request-context.js'
import { refusedWhileActing } from '../../sessions/may-be-used.js'
import { type Actor, nobody, type SessionReading, withActor } from '../../sessions/session.js'
import { clearSessionCookie, readSessionCookie } from '../../sessions/session-cookie.js'
import type { SessionManager } from '../../sessions/session-manager.js'

/** The sessions that are joined. */
interface Joined {
  /** Those of people. */
  readonly own: SessionManager
  /** Those of people who act as others, in a cookie of their own. */
  readonly acting: SessionManager
  readonly cookie: CookieSpec
  readonly acceptsBearer: boolean
}

/**
 * The sessions of a browser in which an administrator may act as a user. While one does, the request has the session of that user,
 * which says who acts, and it counts only beside the session of the administrator that began it. Without it, nobody is signed in: a
 * form that was made for the user must not be taken for one of the administrator.
 */
export function createActingSessions({ own, acting, cookie, acceptsBearer }: Joined): SessionManager {
  const isBrought = (request: RequestContext) =>
    readSessionCookie(request.cookies, cookie) !== undefined &&
    bearerCredentialOf(acceptsBearer, (name) => request.header(name)) === undefined

  const joined = async (request: RequestContext, read: SessionManager['read']): Promise<SessionReading> => {
    const [actor, reading] = [await own.read(request), await read(request)]
    const { session, authentication } = reading
    const act = authentication?.act
    if (session === null || !act || act.session !== actor.id) return nobody(clearSessionCookie(request.cookies, cookie))
    return { ...reading, session: withActor(session, shown(actor, act.sub)), authenticatedAt: null, actor }
  }

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

  return {
    ...own,
    acting: {
      isBrought,
      async refuse(request) {
        await isNobody(request)
      },
      begin: acting.issue,
      end: acting.revoke,
    },
    read: (request) => (isBrought(request) ? joined(request, acting.read) : own.read(request)),
    renew: (request) => (isBrought(request) ? joined(request, acting.renew) : own.renew(request)),
    update: (request, data) =>
      isBrought(request) ? joined(request, (it) => acting.update(it, data)) : own.update(request, data),
    async list(request) {
      if (!isBrought(request)) return own.list(request)
      return (await joined(request, acting.read)).session && acting.list(request)
    },
    async revoke(request) {
      const end = await own.revoke(request)
      if (!isBrought(request)) return end
      const { cookies, fault = end.fault } = await acting.revoke(request)
      return { ...end, cookies: [...end.cookies, ...cookies], ...(fault && { fault }) }
    },
    async issue(request, start) {
      const left = (await isNobody(request)) ? clearSessionCookie(request.cookies, cookie) : []
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
  (acceptsBearer: boolean) =>
  (
    own: SessionManager,
    acting: (cookie: CookieSpec) => SessionManager,
    specs: Readonly<Record<string, CookieSpec>>,
  ) => {
    const { actingSession: cookie } = specs
    return cookie ? createActingSessions({ own, acting: acting(cookie), cookie, acceptsBearer }) : own
  }

/** What the session of the user says of the administrator. */
function shown({ session }: SessionReading, sub: string): Actor {
  const { name, email } = session?.user ?? {}
  return { sub, ...(name && { name }), ...(email && { email }) }
}
