import type { OutOfTime } from '../kernel/claims.js'
import type { DeclaredCookie } from '../kernel/cookies.js'
import type { SuffixedCookie } from '../kernel/suffixed-cookies.js'

/** What differs between kinds of transactions. A feature declares its kind, and names it by the object. */
export interface TransactionKind {
  readonly name: string
  /** Its cookies, by the keys that configure them, and the purpose that each is encrypted for. */
  readonly cookies: Readonly<Record<string, DeclaredCookie & { readonly purpose: string }>>
  /** The option whose secrets encrypt them. */
  readonly secretOption: SecretOption
  /** What one unit of `t` in its cookies is, in milliseconds; 1 by default. */
  readonly timeUnitMs?: number
  /**
   * Whether it was perhaps only offered, because a GET begins it. A page with passkeys in its form begins a ceremony
   * each time it is loaded, and a link on another site can do the same. All other kinds begin with a form that has a
   * CSRF token, so a person began them.
   */
  readonly isOffered?: boolean
  /** Whether a transaction of another kind may take its room. */
  readonly makesRoom?: boolean
}

/** Without `jwt.secret`, its secrets are those of `secret`. */
export type SecretOption = 'secret' | 'jwt.secret'

/** A cookie that the browser has of a transaction. */
export type TransactionCookie = SuffixedCookie<string>

/** What one cookie of a transaction holds, or why it holds nothing. */
export type CookieReading =
  | { readonly state: 'valid'; readonly content: unknown }
  | { readonly state: 'out-of-time'; readonly outOfTime: OutOfTime }
  /** It may have been made with a secret that is not known here. */
  | { readonly state: 'unknown-secret' }
  /** It is damaged, or somebody else made it. */
  | { readonly state: 'unreadable' }

/** The readings of the cookies that the browser has of one transaction, by their keys. */
export type TransactionReadings = Readonly<Record<string, CookieReading>>
