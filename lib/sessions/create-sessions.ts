import type { Store } from '../adapters/gateway.js'
import type { CookieSpec } from '../kernel/cookies.js'
import { withoutDetails } from '../kernel/errors.js'
import { isFirstTime, type Log } from '../kernel/logger.js'
import { createRecentCache } from '../kernel/recent-cache.js'
import { createSessionManager } from './create-session-manager.js'
import type { FreshUsers } from './fresh-users.js'
import type { JWTCallback } from './jwt-claims.js'
import type { UserRules } from './may-be-used.js'
import { lastExpiries, revokedTokensOf, tokenTimesOf } from './revoked-tokens.js'
import { createRowStore, type RowStoreDependencies } from './row-store.js'
import { createSessionJwtCodec } from './session-jwt.js'
import type { SessionManager } from './session-manager.js'
import type { SessionSettings } from './session-store.js'
import { createTokenRegistry, type TokenRegistryDependencies } from './token-registry.js'
import { createTokenStore } from './token-store.js'
import { type CustomCodecFunctions, createCustomCodec, type FirstToken } from './token-writer.js'

interface TokenSessionDependencies extends SessionSettings, Pick<UserRules, 'isActing'> {
  /** The secrets in the form that the application's own codec knows. */
  readonly secret: string | string[]
  readonly codec: CustomCodecFunctions
  /** Undefined for the usual size. */
  readonly tokenCacheSize: number | undefined
  readonly jwtCallback: JWTCallback | undefined
  /** Null if users are not read again. */
  readonly freshUsers: FreshUsers | null
  /** Null if sessions are revoked only in this process. */
  readonly revocation: Pick<TokenRegistryDependencies, 'store' | 'checkEvery'> | null
  /** Whether a sign-out leads to the provider, or the provider may end sessions. */
  readonly endsAtProviders: boolean
}

/** Sessions in encrypted tokens: gives the manager of those in one cookie. */
export function tokenSessions(dependencies: TokenSessionDependencies): (cookie: CookieSpec) => SessionManager {
  const { store, secrets, secret, codec, times, revocation, instance, isActing, logger, now } = dependencies
  // The log has each of these warnings once for each configuration.
  const owner = {}
  const revoked = revokedTokensOf(secrets, now, () => {
    if (isFirstTime(owner, 'sign-outs-forgotten')) logger.warn('sign-outs-forgotten')
  })
  const known = tokenTimesOf(secrets, now, { ...times, maxAge: Math.max(times.maxAge, times.rememberedMaxAge ?? 0) })
  const onFirst = ({ keepsSessionClaim, lifetime }: FirstToken) => {
    if (lifetime !== null) known.note(lifetime)
    if (keepsSessionClaim || !isFirstTime(owner, 'session-claim-lost')) return
    logger.warn('session-claim-lost', { lost: lifetime === null ? ['latchkey', 'exp'] : ['latchkey'] })
  }
  // Until the token's time of issue, the visitor counts as signed out, only because a clock is wrong.
  const onNotYet = (seconds: number) => {
    if (isFirstTime(owner, 'clock-difference')) logger.warn('clock-difference', { seconds, fix: SET_CLOCKS })
  }
  // Several instances may read the session of one request, and each has its own: that is no mistake.
  const onOtherConfiguration = () => {
    if (instance !== undefined || !isFirstTime(owner, 'session-of-other-secret')) return
    logger.warn('session-of-other-secret', { fix: ONE_CONFIGURATION })
  }
  const lastExpiry = lastExpiries(known.longest, now)
  const registry = revocation && createTokenRegistry({ ...dependencies, ...revocation, lastExpiry })
  return (cookie) => {
    const salt = cookie.name
    const builtIn = createSessionJwtCodec(
      secrets,
      salt,
      now,
      dependencies.tokenCacheSize,
      onNotYet,
      onOtherConfiguration,
    )
    const sessions = createTokenStore({
      cookie,
      codec: createCustomCodec(codec, builtIn, { secret, salt, maxAge: times.maxAge, now, onFirst }),
      jwtCallback: dependencies.jwtCallback ?? null,
      freshUsers: dependencies.freshUsers,
      revoked,
      registry,
      keepsProviderSession: dependencies.endsAtProviders || revocation !== null,
      lastExpiry,
      logger,
    })
    // Those of token sessions are read again, and not admitted then.
    const users = { isActing, refusesDisabledUsers: false, isStillUnconfirmed: confirmationIn(store, logger, now) }
    return createSessionManager(sessions, { ...dependencies, cookie, users })
  }
}

const SET_CLOCKS =
  'By the clock of this machine, a session token was issued in the future: the clock was set back, or the clocks of your processes differ. Let all of them follow NTP.'

const ONE_CONFIGURATION =
  'Another configuration of this process began the session. Give the same configuration to expressAuth, getSession, authSession and requireAuth; if two are meant, give each an `instance` and a session cookie of its own.'

/**
 * Gives the function that asks the store whether a user's address is still unconfirmed; null if no users are stored.
 */
function confirmationIn(store: Store, logger: Log, now: () => number): UserRules['isStillUnconfirmed'] {
  if (!store.has('getUser')) return null
  /** Until when the last answer counts if the store fails. */
  const until = createRecentCache<string, number>(20_000)
  return async (userId, source) => {
    try {
      const user = await store.getUser(userId)
      const isUnconfirmed = user != null && !user.emailVerified
      until.set(userId, isUnconfirmed ? now() + OUTAGE_MS : 0)
      return isUnconfirmed
    } catch (error) {
      // A store that is down confirms no address. Only a process that is cut off alone may go on for so long after a confirmation.
      if (now() >= (until.get(userId) ?? 0)) throw error
      logger.error(withoutDetails(error), source)
      return true
    }
  }
}

/** Limited, since only the connection of this process may have failed. */
const OUTAGE_MS = 5 * 60 * 1000

type RowSessionDependencies = RowStoreDependencies & Pick<UserRules, 'refusesDisabledUsers' | 'isActing'>

/** Sessions in rows of the adapter's store: gives the manager of those whose tokens are in one cookie. */
export const rowSessions =
  ({ refusesDisabledUsers, isActing, ...dependencies }: RowSessionDependencies) =>
  (cookie: CookieSpec): SessionManager =>
    createSessionManager(createRowStore(cookie, dependencies), {
      ...dependencies,
      cookie,
      users: { refusesDisabledUsers, isActing, isStillUnconfirmed: null },
    })

/**
 * Gives what differs between public origins with https and without: the cookies, and the sessions in them. Each of the two is
 * made when it is first needed.
 *
 * @param isSecure for every origin, if the application says so
 */
export function byScheme<Scheme>(
  make: (isSecure: boolean) => Scheme,
  isSecure: boolean | undefined,
): (origin: string) => Scheme {
  const made = new Map<boolean, Scheme>()
  return (origin) => {
    const secure = isSecure ?? origin.startsWith('https:')
    const known = made.get(secure)
    if (known !== undefined) return known
    const scheme = make(secure)
    made.set(secure, scheme)
    return scheme
  }
}
