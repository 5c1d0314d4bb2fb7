import type { CookieAttributes, CookieSpec } from '../kernel/cookies.js'
import { onceInProcess } from '../kernel/memory-by-secret.js'
import type { LifetimeChoice } from './session-claim.js'

/** How long sessions live. */
export interface SessionTimes {
  /** Seconds from a renewal to the expiry. */
  readonly maxAge: number
  /** Seconds between renewals. */
  readonly updateAge: number
  /** Seconds from the sign-in to the absolute limit, which no renewal moves; infinite for no limit (SESS-04). */
  readonly maxLifetime: number
  /** In place of `maxAge`, for a visitor who asked to stay signed in. Undefined if visitors are not asked. */
  readonly rememberedMaxAge?: number | undefined
  /** The longest `maxAge` that the `signIn` callback can choose; undefined for any. */
  readonly longestMaxAge?: number | undefined
}

/** What a store can do with the times of a session. */
export interface TimeAbilities {
  /** Milliseconds. Every time of the store is a multiple of it. */
  readonly resolution: number
  /** Milliseconds for which a session still counts after its expiry, because the clocks of processes differ. */
  readonly expiryTolerance: number
  /**
   * Whether the store can write a session at any time, also with an earlier expiry. If not, a session is written only when
   * its expiry moves later.
   */
  readonly rewritesFreely: boolean
}

/** The times of a session as its store holds it, milliseconds since the epoch. */
export interface FoundTimes {
  /** When its user signed in; null where that is not known. */
  readonly authenticatedAt: number | null
  /** Null where the session has no expiry. */
  readonly expires: number | null
  /** Undefined if the sign-in decided nothing about the lifetime. */
  readonly lifetime?: LifetimeChoice | undefined
}

/** When a session expires. All times are milliseconds since the epoch. */
export interface Expiry {
  /** When this was decided. */
  readonly issuedAt: number
  readonly expires: number
  /** Whether the expiry is a new one, which is to be saved. */
  readonly isRenewed: boolean
}

export type Lifetime = ReturnType<typeof createLifetime>

/** The times of a session, in milliseconds. */
interface Rules {
  readonly maxAge: number
  readonly maxLifetime: number
  /** From a renewal to the next one. */
  readonly interval: number
}

/**
 * The rules of expiry, renewal and the absolute limit with these times, for sessions in a store with these abilities. Each session
 * has the times that it chose. All times are milliseconds since the epoch.
 */
export function createLifetime(times: SessionTimes, abilities: TimeAbilities) {
  const { resolution, expiryTolerance, rewritesFreely } = abilities
  const usual = rulesOf(times)
  const remembered = rulesOf(timesOf({ remember: true }, times))
  const rulesFor = ({ lifetime }: Pick<FoundTimes, 'lifetime'>): Rules => {
    if (lifetime === undefined) return usual
    if (lifetime.maxAge === undefined && lifetime.maxLifetime === undefined)
      return lifetime.remember ? remembered : usual
    return rulesOf(timesOf(lifetime, times))
  }

  /**
   * The absolute limit. A session whose sign-in time is not known is never renewed past its current expiry. If it has no
   * expiry either, it counts as expired: its limit is the beginning of the epoch.
   */
  const limitOf = ({ authenticatedAt, expires }: FoundTimes, { maxLifetime }: Rules): number => {
    if (maxLifetime === Number.POSITIVE_INFINITY) return maxLifetime
    return authenticatedAt === null
      ? (expires ?? 0)
      : Math.floor(authenticatedAt / resolution) * resolution + maxLifetime
  }

  /**
   * Whether a renewal is due. The last renewal was `maxAge` before the expiry. The next one is due `interval` after it. A
   * session that would live longer than the configuration allows is renewed at once, if the store can do that.
   *
   * @param renewed the expiry that the session would have after a renewal
   */
  const isDue = (expires: number, renewed: number, { maxAge, interval }: Rules, time: number): boolean => {
    if (renewed <= expires && !rewritesFreely) return false
    const outlivesConfiguration = expires > renewed
    return outlivesConfiguration || expires - maxAge + interval <= time
  }

  return {
    /**
     * The expiry that a session has from now on: its current one, or a new one when a renewal is due. Null if it has expired.
     *
     * @param access without `mayWrite`, no session is renewed. With an `update`, a session is renewed also before that is due,
     *   if the store can rewrite it
     */
    expiryOf(
      found: FoundTimes,
      time: number,
      { mayWrite, update }: { readonly mayWrite: boolean; readonly update?: object | undefined },
    ): Expiry | null {
      const { expires } = found
      const rules = rulesFor(found)
      const limit = limitOf(found, rules)
      if (limit <= time || (expires !== null && expires + expiryTolerance <= time)) return null
      const renewed = Math.min(time + rules.maxAge, limit)
      const isRenewed =
        mayWrite &&
        (expires === null ||
          (update !== undefined && rewritesFreely) ||
          (expires !== limit && isDue(expires, renewed, rules, time)))
      return { issuedAt: time, expires: isRenewed ? renewed : (expires ?? renewed), isRenewed }
    },
    /**
     * When a session expires that begins now.
     *
     * @param found its sign-in time and its choice
     */
    firstExpiry(found: Omit<FoundTimes, 'expires'>, time: number): number {
      const rules = rulesFor(found)
      return Math.min(time + Math.min(rules.maxAge, rules.maxLifetime), limitOf({ ...found, expires: null }, rules))
    },
    /** Milliseconds until the absolute limit of a session; infinite if it has none. */
    untilLimit: (found: FoundTimes, time: number): number => limitOf(found, rulesFor(found)) - time,
  }
}

function rulesOf({ maxAge, updateAge, maxLifetime }: SessionTimes): Rules {
  // If updateAge is not shorter than maxAge, a session in use would expire before its first renewal. Such a session is
  // renewed after half of maxAge (SESS-06).
  const interval = updateAge < maxAge ? updateAge : maxAge / 2
  return { maxAge: maxAge * 1000, maxLifetime: maxLifetime * 1000, interval: interval * 1000 }
}

/**
 * The times of one session. What the `signIn` callback chose replaces `maxAge`. It never moves the absolute limit of
 * the configuration to a later time.
 */
function timesOf({ remember, maxAge, maxLifetime }: LifetimeChoice, times: SessionTimes): SessionTimes {
  const { rememberedMaxAge = times.maxAge, longestMaxAge = Number.POSITIVE_INFINITY } = times
  const usual = remember ? rememberedMaxAge : times.maxAge
  return {
    ...times,
    maxAge: maxAge === undefined ? usual : Math.min(maxAge, longestMaxAge),
    maxLifetime: Math.min(maxLifetime ?? times.maxLifetime, times.maxLifetime),
  }
}

/**
 * The clock of this process, in milliseconds since the epoch. It is one function for all configurations, for `getToken`, and for
 * all copies of this package, because what the process remembers of one-time values and revoked tokens belongs to a clock. It is
 * not Date.now itself: a test may replace `Date` later, to move the time.
 */
export const processClock = onceInProcess('clock', () => (): number => Date.now())

const texts = new Map<number, string>()
/** A cache that is full begins anew. */
const MAX_TEXTS = 10_000

/**
 * A time in ISO 8601. It is cached, since every request shows the expiry of its session, which rarely moves.
 *
 * @param moment milliseconds since the epoch
 */
export function textOfTime(moment: number): string {
  const known = texts.get(moment)
  if (known !== undefined) return known
  const text = new Date(moment).toISOString()
  if (texts.size === MAX_TEXTS) texts.clear()
  texts.set(moment, text)
  return text
}

/** The session cookie of one session: its name and attributes, and when the browser deletes it. */
interface CookieLifetime {
  readonly spec: CookieSpec
  /** Without a member, the browser deletes the cookie when it is closed. */
  readonly until: Pick<CookieAttributes, 'expires'>
}

/**
 * Decides whether the cookie of a session outlives the browser: whether it is a persistent cookie (RFC 6265 §5.3).
 *
 * If visitors are asked, only the cookie of a visitor who said yes does. A session that does not say what its visitor
 * chose is one that was not asked, or that has lost the choice: on a shared machine, it must not stay.
 *
 * @param asks whether the configuration asks visitors
 */
export function cookieLifetimes(
  cookie: CookieSpec,
  asks: boolean,
): (choice: LifetimeChoice | undefined, expires: number) => CookieLifetime {
  // The application may have configured a lifetime of the cookie, which would make it a persistent cookie.
  const { maxAge: _maxAge, expires: _expires, ...attributes } = cookie.attributes
  const untilClosed: CookieLifetime = { spec: { name: cookie.name, attributes }, until: {} }
  return (choice, expires) =>
    (choice?.remember ?? !asks) ? { spec: cookie, until: { expires: new Date(expires) } } : untilClosed
}

/** Converts a time, in any form that adapters give, to milliseconds since the epoch; null if there is none. */
export function timeOf(value: Date | string | number | null | undefined): number | null {
  if (value == null) return null
  const time = value instanceof Date ? value.getTime() : new Date(value).getTime()
  return Number.isNaN(time) ? null : time
}
