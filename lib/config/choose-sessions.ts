import type { Adapter } from '../adapters/adapter.js'
import { adapterCalls } from '../adapters/adapter-calls.js'
import { createCustomCodec, type FirstToken } from '../crypto/custom-codec.js'
import { randomHex } from '../crypto/random.js'
import { createSessionJwtCodec } from '../crypto/session-jwt.js'
import { type CookieSpecs, cookieSpecs } from '../http/cookies.js'
import type { LoggerInstance } from '../logger.js'
import { createDatabaseSessions } from '../sessions/database.js'
import { processDeletionRetries } from '../sessions/deletion-retries.js'
import { endedSessionsOf } from '../sessions/ended-sessions.js'
import { createJWTSessions, type JWTSessionSettings } from '../sessions/jwt.js'
import type { SessionTimes } from '../sessions/lifetime.js'
import { knownTimesOf } from '../sessions/longest-times.js'
import type { SessionManager } from '../sessions/session.js'
import { SESSION_METHODS } from '../sessions/session-rows.js'
import { checkSessionCallback } from '../sessions/shown-session.js'
import type { Scheme } from './config.js'
import type { AuthConfig } from './options.js'

const THIRTY_DAYS = 30 * 24 * 60 * 60
const ONE_DAY = 24 * 60 * 60

/** The strategy of a configuration: the given one, else stored sessions where there is a store. */
export const strategyOf = ({ session, adapter }: Pick<AuthConfig, 'session' | 'adapter'>): 'jwt' | 'database' =>
  session?.strategy ?? (adapter ? 'database' : 'jwt')

interface SessionDependencies {
  /** At least one. */
  readonly secrets: readonly string[]
  readonly logger: LoggerInstance
  readonly now: () => number
}

/** A configuration that says how long a call of its adapter may take, and whose adapter keeps to it. */
export type LimitedOptions = AuthConfig & { readonly storeTimeout: number }

/** Cookies and sessions for https and for http, each made when first needed. */
export function createSchemes(options: LimitedOptions, dependencies: SessionDependencies): (origin: string) => Scheme {
  const sessionsOf = strategyOf(options) === 'database' ? stored(options, dependencies) : tokens(options, dependencies)
  const make = (secure: boolean): Scheme => {
    const specs = cookieSpecs(secure, options.cookies)
    return Object.freeze({ specs, sessions: sessionsOf(specs) })
  }
  const made: { secure?: Scheme; plain?: Scheme } = {}
  return (origin) => {
    if (options.useSecureCookies ?? origin.startsWith('https:')) {
      made.secure ??= make(true)
      return made.secure
    }
    made.plain ??= make(false)
    return made.plain
  }
}

const timesOf = ({ session }: AuthConfig): SessionTimes => ({
  maxAge: session?.maxAge ?? THIRTY_DAYS,
  updateAge: session?.updateAge ?? ONE_DAY,
  maxLifetime: session?.maxLifetime ?? Number.POSITIVE_INFINITY,
})

/** Encrypted tokens in the cookie. */
function tokens(
  options: AuthConfig,
  { secrets, logger, now }: SessionDependencies,
): (specs: CookieSpecs) => SessionManager {
  const ended = endedSessionsOf(secrets, now, () => logger.warn('sign-outs-forgotten'))
  const given = timesOf(options)
  // The cookie of Auth.js ends by the one and its token by the other, so that a visitor is out after the shorter.
  const times = { ...given, maxAge: Math.min(given.maxAge, options.jwt?.maxAge ?? given.maxAge) }
  const known = knownTimesOf(secrets, now, times)
  let isTold = false
  const onFirst = ({ keepsMark, lifetime }: FirstToken) => {
    if (lifetime !== null) known.note(lifetime)
    if (keepsMark || isTold) return
    isTold = true
    logger.warn('session-claim-lost', { lost: lifetime === null ? ['latchkey', 'exp'] : ['latchkey'] })
  }
  const onNotYet = warnOfClock(logger)
  return ({ sessionToken: cookie }) => {
    const salt = cookie.name
    const builtIn = createSessionJwtCodec(secrets, salt, now, options.session?.tokenCacheSize, onNotYet)
    const secret = inConfiguredForm(secrets, options)
    return createJWTSessions({
      cookie,
      codec: createCustomCodec(options.jwt ?? {}, builtIn, { secret, salt, maxAge: times.maxAge, now, onFirst }),
      times,
      callbacks: {
        jwt: options.callbacks?.jwt ?? null,
        session: sessionCallback(options, logger),
      },
      ended,
      longestTimes: known.longest,
      isStillUnconfirmed: confirmationIn(options.adapter, logger),
      logger,
      now,
    })
  }
}

/** Tells once of a session that begins in the future. Its visitor counts as signed out until then, and nobody but a clock is to blame. */
function warnOfClock(logger: LoggerInstance): (seconds: number) => void {
  let isTold = false
  return (seconds) => {
    if (isTold) return
    isTold = true
    const fix =
      'A session token was written in the future by the clock of this machine: it was set back, or the clocks of your processes differ. Let all of them follow NTP.'
    logger.warn('clock-difference', { seconds, fix })
  }
}

/** Asks the store whether nobody has confirmed a user's address yet; null where no users are kept. */
function confirmationIn(
  adapter: Adapter | undefined,
  logger: LoggerInstance,
): JWTSessionSettings['isStillUnconfirmed'] {
  if (typeof adapter?.getUser !== 'function') return null
  const users = adapterCalls(adapter, ['getUser'], 'keeping users', logger)
  return async (userId) => {
    const user = await users.getUser(userId)
    return user != null && !user.emailVerified
  }
}

/** Rows in the adapter's store. */
function stored(options: LimitedOptions, { logger, now }: SessionDependencies): (specs: CookieSpecs) => SessionManager {
  const methods = [...SESSION_METHODS, 'changeSessionToken'] as const
  const adapter = adapterCalls(options.adapter ?? {}, methods, 'keeping sessions', logger)
  return ({ sessionToken: cookie }) =>
    createDatabaseSessions({
      cookie,
      adapter,
      instance: options.instance,
      changesTokens: typeof options.adapter?.changeSessionToken === 'function',
      keepsSignInTime: typeof options.adapter?.deleteSessionsByUserId === 'function',
      times: timesOf(options),
      storeTimeout: options.storeTimeout,
      generateSessionToken: options.session?.generateSessionToken ?? (() => randomHex()),
      session: sessionCallback(options, logger),
      store: options.adapter ?? {},
      retries: processDeletionRetries,
      logger,
      now,
    })
}

/** One text, or a list, as the application configured its secrets: its own codec may know one form only. */
function inConfiguredForm(secrets: readonly string[], { jwt, secret }: AuthConfig): string | string[] {
  const given = [jwt?.secret, secret].find((each) => each?.[0])
  const [only] = secrets
  const isText = given === undefined ? secrets.length === 1 : typeof given === 'string'
  return isText && only !== undefined ? only : [...secrets]
}

const sessionCallback = ({ callbacks }: AuthConfig, logger: LoggerInstance) =>
  callbacks?.session ? checkSessionCallback(callbacks.session, logger) : null
