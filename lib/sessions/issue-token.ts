import { InvalidConfiguration, MissingAdapterMethods, RequestRefused, SessionTokenError } from '../errors.js'
import type { RequestContext } from '../http/request-context.js'
import type { BearerContext } from './bearer-context.js'
import type { SessionTimes } from './lifetime.js'
import { requireRecent } from './recent-auth.js'
import type { CookieSessions, IssuedToken, SessionManager, SessionReading, TokenRequest } from './session.js'
import type { SessionRecord, SessionStore } from './session-store.js'

/** What the issuing of tokens depends on, beside the sessions. */
interface IssuingSettings {
  readonly acceptsBearer: boolean
  readonly recentAuthAge: number
  readonly times: SessionTimes
  /** Milliseconds since the epoch. */
  readonly now: () => number
  /** The request with its bearer token; null if it has none. */
  readonly bearerOf: (request: RequestContext) => BearerContext | null
}

/** Gives the function that issues tokens to the user of a browser session. */
export function createIssuing<Found extends SessionRecord>(
  store: SessionStore<Found>,
  sessions: Pick<CookieSessions, 'read'>,
  { acceptsBearer, recentAuthAge, times, now, bearerOf }: IssuingSettings,
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
    { id, message }: SessionReading,
    { maxAge, scope, name }: TokenRequest,
  ): Promise<IssuedToken | null> => {
    const found = await store.load(request)
    if (found === null || found.id !== id || store.isRevoked(found)) return null
    const issuedAt = Math.floor(now() / store.resolution) * store.resolution
    return store.issueToken(request, found, {
      claims: message?.token,
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
