import { createRecentCache } from '../crypto/recent-cache.js'
import type { CookieChange } from '../http/cookies.js'
import type { Presenting, SessionReading } from './session.js'

/** How long sessions live. */
export interface SessionTimes {
  /** Seconds from one extension to the end. */
  readonly maxAge: number
  /** Seconds between extensions. */
  readonly updateAge: number
  /** Seconds from the sign-in to the end, whatever happens in between; infinite for no such end (SESS-04). */
  readonly maxLifetime: number
}

/** Seconds between extensions; where that is as long as the life itself, an active session would lapse, and is extended halfway (SESS-06). */
export const extensionInterval = ({ updateAge, maxAge }: Pick<SessionTimes, 'updateAge' | 'maxAge'>): number =>
  updateAge < maxAge ? updateAge : maxAge / 2

/** When a session ends, in seconds since the epoch, and whether that is new. */
export interface Ending {
  readonly issuedAt: number
  readonly expiresAt: number
  readonly isExtended: boolean
}

/** Clocks of processes differ a little, and a token is honoured a little after its end. */
const MARGIN_SECONDS = 60

/** Decides when token sessions end. All times but that of the sign-in are seconds since the epoch. */
export interface TokenEnds {
  /**
   * When a session is over whatever happens. One whose beginning is not known is not extended past its present end.
   *
   * @param authenticatedAt milliseconds since the epoch
   */
  limitOf(authenticatedAt: number | null, exp: number | undefined): number
  /** The end that a session gets now, of a token that ends at `exp`. */
  endingOf(exp: number | undefined, limit: number, how: Presenting, time: number): Ending
}

/** A token without an end is good for as long as the application's own codec takes it: a sign-out of one is remembered for 400 days, if nothing ends it before. */
const ENDLESS_SECONDS = 400 * 24 * 60 * 60

/**
 * When no form of a session can be honoured any more, in milliseconds since the epoch.
 *
 * @param exp the end of the one that is known
 * @param longest how long any form may have been made to live
 * @param authenticatedAt milliseconds since the epoch
 * @param time seconds since the epoch
 */
export function lastMomentOf(
  exp: number | undefined,
  longest: Pick<SessionTimes, 'maxAge' | 'maxLifetime'>,
  authenticatedAt: number | null,
  time: number,
): number {
  const known = exp ?? time + ENDLESS_SECONDS
  const extended = Math.max(known, time + longest.maxAge)
  const limit = authenticatedAt === null ? Number.POSITIVE_INFINITY : authenticatedAt / 1000 + longest.maxLifetime
  // A form that says when it ends may outlive the limit where that was set later.
  return (Math.max(Math.min(extended, limit), exp ?? 0) + MARGIN_SECONDS) * 1000
}

/** The ends of token sessions with these times. */
export function createTokenEnds(times: SessionTimes): TokenEnds {
  const { maxAge, maxLifetime } = times
  const updateAge = extensionInterval(times)

  /** Whether a token that ends then is to be extended now: it began long enough ago, or outlives what is configured. */
  const isDue = (exp: number, time: number) => {
    const began = exp - maxAge
    return began + updateAge <= time || began > time
  }

  return {
    limitOf(authenticatedAt, exp) {
      if (maxLifetime === Number.POSITIVE_INFINITY) return maxLifetime
      return authenticatedAt === null ? (exp ?? 0) : Math.floor(authenticatedAt / 1000) + maxLifetime
    },
    endingOf(exp, limit, { mayWrite, update }, time) {
      const later = Math.min(time + maxAge, limit)
      const isExtended =
        mayWrite && (update !== undefined || exp === undefined || (exp !== limit && (exp > limit || isDue(exp, time))))
      return { issuedAt: time, expiresAt: isExtended ? later : (exp ?? later), isExtended }
    },
  }
}

/** Nobody is signed in. */
export const nobody = (cookies: readonly CookieChange[]): SessionReading => ({
  session: null,
  cookies,
  message: null,
  authenticatedAt: null,
  userId: null,
})

const texts = createRecentCache<number, string>(10_000)

/**
 * A time in ISO 8601. Remembered, since the end of a session is told at every request and rarely moves.
 *
 * @param moment milliseconds since the epoch
 */
export function textOfTime(moment: number): string {
  const known = texts.get(moment)
  if (known !== undefined) return known
  const text = new Date(moment).toISOString()
  texts.set(moment, text)
  return text
}
