import type { Adapter } from '../adapters/adapter.js'
import type { Store } from '../adapters/gateway.js'
import { type CookieSpec, cookieSpecs, type DeclaredCookie } from '../kernel/cookies.js'
import type { Log } from '../kernel/logger.js'
import { byScheme, rowSessions, tokenSessions } from '../sessions/create-sessions.js'
import { createFreshUsers, type FreshUsers } from '../sessions/fresh-users.js'
import type { SessionTimes } from '../sessions/lifetime.js'
import { RECENT_AUTH_AGE } from '../sessions/may-be-used.js'
import type { SessionManager } from '../sessions/session-manager.js'
import { CHECK_EVERY } from '../sessions/token-registry.js'
import { type Scheme, strategyOf } from '../sign-in/config.js'
import { COOKIES } from '../sign-in/cookies.js'
import type { AuthConfig } from './options.js'

/** Seconds that a session lasts after its last use, without the option. */
export const DEFAULT_MAX_AGE = 30 * 24 * 60 * 60
const ONE_DAY = 24 * 60 * 60

/** Whether visitors are asked if they want to stay signed in. */
export const asksToRemember = ({ session }: Pick<AuthConfig, 'session'>): boolean => session?.remember !== undefined

/**
 * Whether disabled users are refused, with every strategy and every way to sign in. Without the option, `disabled` of a
 * user may mean what the application likes.
 */
export const refusesDisabledUsers = ({ session }: Pick<AuthConfig, 'session'>): boolean =>
  session?.refreshUser !== undefined

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
  readonly logger: Log
  readonly now: () => number
}

/** A configuration with a time limit for the calls of its adapter. */
export type LimitedOptions = AuthConfig & { readonly storeTimeout: number }

/** Gives the cookies and sessions for an origin. There are two such sets, for https and for http, made when first needed. */
export function createSchemes(options: LimitedOptions, dependencies: SchemeDependencies): (origin: string) => Scheme {
  const sessionsOf = sessionsIn(options, dependencies)
  const make = (secure: boolean): Scheme => {
    const specs = {
      ...cookieSpecs(COOKIES, secure, options.cookies),
      ...cookieSpecs(dependencies.cookies, secure, options.cookies),
    }
    return Object.freeze({ specs, sessions: sessionsOf(specs.sessionToken) })
  }
  return byScheme(make, options.useSecureCookies)
}

const timesOf = ({ session }: AuthConfig): SessionTimes => ({
  maxAge: session?.maxAge ?? DEFAULT_MAX_AGE,
  updateAge: session?.updateAge ?? ONE_DAY,
  maxLifetime: session?.maxLifetime ?? Number.POSITIVE_INFINITY,
  rememberedMaxAge: session?.remember?.maxAge,
})

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
  options: LimitedOptions,
  { secrets, store, storeOf, endsAtProviders, logger, now }: SchemeDependencies,
): (cookie: CookieSpec) => SessionManager {
  const { session, jwt, callbacks } = options
  const times = timesOf(options)
  const keepsDevices = session?.devices ?? true
  const shared = {
    sessionCallback: callbacks?.session,
    acceptsBearer: options.bearer ?? false,
    recentAuthAge: session?.recentAuthAge ?? RECENT_AUTH_AGE,
    logger,
    now,
  }
  if (strategyOf(options) === 'database') {
    return rowSessions({
      ...shared,
      times,
      store,
      storeTimeout: options.storeTimeout,
      instance: options.instance,
      secrets,
      generateSessionToken: session?.generateSessionToken,
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
    tokenCacheSize: session?.tokenCacheSize,
    jwtCallback: callbacks?.jwt,
    freshUsers: freshUsersOf(options, { store, now }),
    store,
    revocation: revocationOf(options, storeOf),
    keepsDevices,
    endsAtProviders,
    instance: options.instance,
  })
}

function freshUsersOf(
  { session, callbacks, storeTimeout }: LimitedOptions,
  shared: Pick<SchemeDependencies, 'store' | 'now'>,
): FreshUsers | null {
  const seconds = session?.refreshUser
  if (seconds === undefined) return null
  return createFreshUsers({ ...shared, seconds, callback: callbacks?.refreshUser, storeTimeout })
}

function revocationOf({ session }: LimitedOptions, storeOf: SchemeDependencies['storeOf']) {
  if (session?.revocation === undefined) return null
  const { store, checkEvery = CHECK_EVERY } = session.revocation
  return { store: storeOf(store), checkEvery }
}

/**
 * The secrets as the application configured them: one string, or a list. Its own `jwt.encode` and `jwt.decode` may expect
 * that form.
 */
function inConfiguredForm(secrets: readonly string[], { jwt, secret }: AuthConfig): string | string[] {
  const given = [jwt?.secret, secret].find((each) => each?.[0])
  const [only] = secrets
  const isText = given === undefined ? secrets.length === 1 : typeof given === 'string'
  return isText && only !== undefined ? only : [...secrets]
}
