import type { LifetimeChoice } from '../crypto/lifetime-choice.js'
import type { CookieAttributes, CookieSpec } from '../http/cookies.js'

/** The session cookie of one session: its name and attributes, and when the browser deletes it. */
export interface CookieLifetime {
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
