import type { CookieChange } from '../kernel/cookies.js'
import type { AuthError } from '../kernel/errors.js'

/** One session in the list that its user sees. */
export interface ListedSession {
  /** Public id of the session. */
  readonly id: string
  /** Whether it is the session of the request. */
  readonly isCurrent: boolean
  /** `token` if the application issued it for a program. */
  readonly kind: 'browser' | 'token'
  /** The name that the application gave an issued token; null if it has none. */
  readonly name: string | null
  /** What an issued token is for (RFC 6749 §3.3); null if it is not restricted. */
  readonly scope: string | null
  /** Id of the provider at which it began; null if that is not known. */
  readonly provider: string | null
  /** When it began; null if that is not known. */
  readonly createdAt: Date | null
  /** When it was last used, to a quarter of an hour; null if that is not known. */
  readonly lastSeenAt: Date | null
  readonly expires: Date
  /** The `User-Agent` header of the browser; null if it is not known. */
  readonly userAgent: string | null
  /** Name and version of the browser, such as `Firefox 141`; null if it is not known. */
  readonly browser: string | null
  /** The system that the browser runs on, such as `Windows` or `iOS 18`; null if it is not known. */
  readonly system: string | null
  /** The network of the client, with the host bits cut off, such as `203.0.113.0/24`; null if it is not known. */
  readonly network: string | null
}

/** What came of a request to end a session by its id. */
export interface SessionRevocation {
  /** Whether there was such a session of this user, which has ended now. */
  readonly isRevoked: boolean
  /** Cookies to send: if it was the session of the request, they sign the browser out, also if there is a fault. */
  readonly cookies: readonly CookieChange[]
  /** Why the session of the request is gone from the browser only, and a copy of it may still work; it is in the log. */
  readonly fault?: AuthError
}
