import type { Adapter } from '../adapters/adapter.js'
import type { Store } from '../adapters/gateway.js'
import { type CookieSpec, cookieSpecs, type DeclaredCookie } from '../kernel/cookies.js'
import type { Log } from '../kernel/logger.js'
import { byScheme, rowSessions, tokenSessions } from '../sessions/create-sessions.js'
import { createFreshUsers, type FreshUsers } from '../sessions/fresh-users.js'
import type { SessionTimes } from '../sessions/lifetime.js'
import type { SessionManager } from '../sessions/session-manager.js'
import { CHECK_EVERY } from '../sessions/token-registry.js'
import type { Scheme } from '../sign-in/config.js'
import { COOKIES, type CookieSpecs } from '../sign-in/cookies.js'
import type { CompleteOptions } from './option-shapes.js'

/**
 * Whether disabled users are refused, with every strategy and every way to sign in. Without the option, `disabled` of a
 * user may mean what the application likes.
 */
export const refusesDisabledUsers = ({ session }: CompleteOptions): boolean => session.refreshUser !== undefined

/** What cookies and sessions need beside the options. */
interface SchemeDependencies {
  /** Those of features, by the keys that configure them. */
  readonly cookies: Readonly<Record<string, DeclaredCookie>>
  /** At least one. */
  readonly secrets: readonly string[]
  /** The store of the configuration; without methods if there is none. */
  readonly store: Store
  readonly storeOf: (adapter: Adapter) => Store
  /** Whether a sign-out leads to a provider, or a provider may end sessions. */
  readonly endsAtProviders: boolean
  /** Joins the sessions of people with those in which administrators act as them; null where nobody may. */
  readonly joined:
    | ((own: SessionManager, acting: (cookie: CookieSpec) => SessionManager, specs: CookieSpecs) => SessionManager)
    | null
  readonly logger: Log
  readonly now: () => number
}

/** Gives the cookies and sessions for an origin. There are two such sets, for https and for http, made when first needed. */
export function createSchemes(options: CompleteOptions, dependencies: SchemeDependencies): (origin: string) => Scheme {
  const { joined } = dependencies
  const ownSessions = sessionsIn(options, dependencies)
  // Of an administrator, neither browser nor network is shown to the user.
  const others =
    joined && sessionsIn({ ...options, session: { ...options.session, devices: false } }, dependencies, true)
  const sessionsOf = (specs: CookieSpecs) => {
    const own = ownSessions(specs.sessionToken)
    return joined && others ? joined(own, others, specs) : own
  }
  const make = (secure: boolean): Scheme => {
    const specs = {
      ...cookieSpecs(COOKIES, secure, options.cookies),
      ...cookieSpecs(dependencies.cookies, secure, options.cookies),
    }
    return Object.freeze({ specs, sessions: sessionsOf(specs) })
  }
  return byScheme(make, options.useSecureCookies)
}

/** The times of token sessions, none of them longer than a token may live. */
const withTokenLimit = (times: SessionTimes, most: number | undefined): SessionTimes => {
  if (most === undefined) return times
  const { maxAge, rememberedMaxAge: remembered } = times
  return {
    ...times,
    maxAge: Math.min(maxAge, most),
    rememberedMaxAge: remembered === undefined ? undefined : Math.min(remembered, most),
    longestMaxAge: most,
  }
}

/** Sessions of the configured strategy, in a cookie. */
function sessionsIn(
  options: CompleteOptions,
  { secrets, store, storeOf, endsAtProviders, logger, now }: SchemeDependencies,
  isActing = false,
): (cookie: CookieSpec) => SessionManager {
  const { session, jwt, callbacks } = options
  const times: SessionTimes = { ...session, rememberedMaxAge: session.remember?.maxAge }
  const keepsDevices = session.devices
  const shared = {
    sessionCallback: callbacks.session,
    acceptsBearer: options.bearer,
    recentAuthAge: session.recentAuthAge,
    isActing,
    logger,
    now,
  }
  if (session.strategy === 'database') {
    return rowSessions({
      ...shared,
      times,
      store,
      storeTimeout: options.storeTimeout,
      instance: options.instance,
      secrets,
      generateSessionToken: session.generateSessionToken,
      refusesDisabledUsers: refusesDisabledUsers(options),
      keepsDevices,
    })
  }
  return tokenSessions({
    ...shared,
    // In Auth.js the cookie expires by `session.maxAge` and the token by `jwt.maxAge`: the shorter one ends the session.
    times: withTokenLimit(times, jwt?.maxAge),
    secrets,
    secret: inConfiguredForm(secrets, options),
    codec: jwt ?? {},
    tokenCacheSize: session.tokenCacheSize,
    jwtCallback: callbacks.jwt,
    freshUsers: freshUsersOf(options, { store, now }),
    store,
    revocation: revocationOf(options, storeOf),
    keepsDevices,
    endsAtProviders,
    instance: options.instance,
  })
}

function freshUsersOf(
  { session, callbacks, storeTimeout }: CompleteOptions,
  shared: Pick<SchemeDependencies, 'store' | 'now'>,
): FreshUsers | null {
  const seconds = session.refreshUser
  if (seconds === undefined) return null
  return createFreshUsers({ ...shared, seconds, callback: callbacks.refreshUser, storeTimeout })
}

function revocationOf({ session }: CompleteOptions, storeOf: SchemeDependencies['storeOf']) {
  if (session.revocation === undefined) return null
  const { store, checkEvery = CHECK_EVERY } = session.revocation
  return { store: storeOf(store), checkEvery }
}

/**
 * The secrets as the application configured them: one string, or a list. Its own `jwt.encode` and `jwt.decode` may expect
 * that form.
 */
function inConfiguredForm(secrets: readonly string[], { jwt, secret }: CompleteOptions): string | string[] {
  const given = [jwt?.secret, secret].find((each) => each?.[0])
  const [only] = secrets
  const isText = given === undefined ? secrets.length === 1 : typeof given === 'string'
  return isText && only !== undefined ? only : [...secrets]
}
