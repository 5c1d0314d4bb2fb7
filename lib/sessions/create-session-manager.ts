import { whenReady } from '../kernel/awaitable.js'
import { bearerCredentialOf } from '../kernel/bearer-token.js'
import { InvalidConfiguration, MissingAdapterMethods, RequestRefused, SessionTokenError } from '../kernel/errors.js'
import type { RequestContext } from '../kernel/request-context.js'
import { createCookieSessions, type LifecycleSettings } from './lifecycle.js'
import { requireRecent } from './may-be-used.js'
import { restrictedReading, type SessionReading } from './session.js'
import { BearerContext } from './session-cookie.js'
import type { CookieSessions, IssuedToken, SessionManager, TokenRequest } from './session-manager.js'
import type { FoundSession, SessionStore } from './session-store.js'

/**
 * The sessions of a store, in cookies and, if the configuration says so, in the header `Authorization`. A request with a
 * bearer token is never read with its cookie ({@link bearerCredentialOf}). It changes no cookie, and renews nothing.
 */
export function createSessionManager<Found extends FoundSession>(
  store: SessionStore<Found>,
  settings: LifecycleSettings,
): SessionManager {
  const { acceptsBearer, cookie } = settings
  const sessions = createCookieSessions(store, settings)
  /** The request with its bearer token; null for a request that is read with its cookie. */
  const bearerOf = (request: RequestContext): BearerContext | null => {
    const token = bearerCredentialOf(acceptsBearer, (name) => request.header(name))
    return token === undefined ? null : new BearerContext(request, cookie.name, token)
  }
  const issueToken = createIssuing(store, sessions, { ...settings, bearerOf })
  return acceptsBearer ? { ...byCredential(sessions, bearerOf), issueToken } : { ...sessions, issueToken }
}

/** The methods of a manager, each with the credential of the request. */
function byCredential(
  sessions: CookieSessions,
  bearerOf: (request: RequestContext) => BearerContext | null,
): CookieSessions {
  const readBearer = (request: BearerContext) => whenReady(sessions.read(request), bearerReading)
  /** For methods that no session with a scope may use: it gets null. */
  const ifUnrestricted = async <Result>(
    request: RequestContext,
    work: (request: RequestContext) => Promise<Result | null>,
  ): Promise<Result | null> => {
    const bearer = bearerOf(request)
    if (bearer === null) return work(request)
    return (await readBearer(bearer)).session === null ? null : work(bearer)
  }

  const readWith = (request: RequestContext, how: 'read' | 'renew') => {
    const bearer = bearerOf(request)
    return bearer === null ? sessions[how](request) : readBearer(bearer)
  }

  /** For methods that change a session or begin one. */
  const withCookie =
    <About, Result>(work: (request: RequestContext, about: About) => Result) =>
    (request: RequestContext, about: About): Result | Promise<never> =>
      bearerOf(request) === null ? work(request, about) : Promise.reject(noChange())

  return {
    ...sessions,
    read: (request) => readWith(request, 'read'),
    renew: (request) => readWith(request, 'renew'),
    update: withCookie(sessions.update),
    issue: withCookie(sessions.issue),
    addAccount: withCookie(sessions.addAccount),
    showUser: withCookie(sessions.showUser),
    raise: withCookie(sessions.raise),
    // It begins sign-ins and adds accounts, which no program does.
    readPrincipal: async (request) => (bearerOf(request) === null ? sessions.readPrincipal(request) : null),
    async revoke(request) {
      const bearer = bearerOf(request)
      return bearer === null ? sessions.revoke(request) : { ...(await sessions.revoke(bearer)), cookies: [] }
    },
    list: (request) => ifUnrestricted(request, sessions.list),
    revokeById: (request, id) => ifUnrestricted(request, (as) => sessions.revokeById(as, id)),
    revokeOthers: (request) => ifUnrestricted(request, sessions.revokeOthers),
  }
}

/** A session that was read with a bearer token. */
function bearerReading(reading: SessionReading): SessionReading {
  const withoutCookies = reading.cookies.length === 0 ? reading : { ...reading, cookies: [] }
  return withoutCookies.scope === null ? withoutCookies : restrictedReading(withoutCookies)
}

const noChange = () => new RequestRefused(403, 'A bearer token changes no session and begins none.')

/** Gives the function that issues tokens to the user of a browser session. */
function createIssuing<Found extends FoundSession>(
  store: SessionStore<Found>,
  sessions: Pick<CookieSessions, 'read'>,
  {
    acceptsBearer,
    recentAuthAge,
    times,
    now,
    bearerOf,
  }: LifecycleSettings & { readonly bearerOf: (request: RequestContext) => BearerContext | null },
): SessionManager['issueToken'] {
  const check = (request: RequestContext, { maxAge }: TokenRequest): void => {
    if (!acceptsBearer) throw new InvalidConfiguration(NOT_ACCEPTED)
    if (maxAge > times.maxLifetime) {
      throw new InvalidConfiguration(
        '`maxAge` of a token is longer than `session.maxLifetime`, which no session outlives.',
      )
    }
    if (bearerOf(request) !== null) throw new RequestRefused(403, 'A bearer token issues no tokens.')
  }

  const issue = async (
    request: RequestContext,
    { id, claims }: SessionReading,
    { maxAge, scope, name }: TokenRequest,
  ): Promise<IssuedToken | null> => {
    const found = await store.load(request, undefined, true)
    if (found === null || found.id !== id || store.hasEnded(found)) return null
    const issuedAt = Math.floor(now() / store.resolution) * store.resolution
    return store.issueToken(request, found, {
      claims,
      scope: scope ?? null,
      name: name ?? null,
      issuedAt,
      expires: issuedAt + maxAge * 1000,
    })
  }

  /** What the developer must know stays as it is. */
  const faultOf = (error: unknown): unknown =>
    [MissingAdapterMethods, RequestRefused, SessionTokenError].some((kind) => error instanceof kind)
      ? error
      : store.faultOf('start', error)

  return async (request, wanted) => {
    check(request, wanted)
    const reading = await sessions.read(request)
    if (reading.session === null) throw nobody()
    // First: signing in again does not help where the store is the reason.
    store.requireTokens?.()
    requireRecent(reading, recentAuthAge, now, 'to get a token')
    const issued = await issue(request, reading, wanted).catch((error: unknown) => Promise.reject(faultOf(error)))
    if (issued === null) throw nobody()
    return issued
  }
}

const nobody = () => new RequestRefused(401, 'Nobody is signed in.')

const NOT_ACCEPTED = 'Tokens can be issued only if they are accepted: set `bearer: true` in the configuration.'
