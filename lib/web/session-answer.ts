import type { CookieChange } from '../http/cookies.js'
import type { CurrentSession } from '../sessions/session.js'

/** A session, and the cookies that must be set with the answer. */
export interface SessionAnswer {
  /** Null when nobody is signed in. */
  readonly session: CurrentSession | null
  readonly cookies: readonly CookieChange[]
}
