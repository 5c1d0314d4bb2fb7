import { createRecentCache } from '../crypto/recent-cache.js'
import type { CookieChange } from '../http/cookies.js'
import type { SessionReading } from './strategy.js'

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
