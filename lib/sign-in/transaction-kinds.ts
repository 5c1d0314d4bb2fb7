import type { OutOfTime } from '../kernel/claims.js'
import type { CookieSpecs } from '../kernel/cookies.js'
import type { RequestCookies } from '../kernel/request-cookies.js'
import type { SuffixedCookie } from '../kernel/suffixed-cookies.js'

/** What differs between kinds of transactions. */
interface KindRules {
  /** The keys by which its cookies are configured, and the purpose that each cookie is encrypted for. */
  readonly purposes: Readonly<Record<string, string>>
  /** What one unit of `t` in its cookies is, in milliseconds. */
  readonly timeUnitMs: number
  /**
   * Whether it was perhaps only offered, because a GET begins it. A page with passkeys in its form begins a ceremony
   * each time it is loaded, and a link on another site can do the same. All other kinds begin with a form that has a
   * CSRF token, so a person began them.
   */
  readonly isOffered: boolean
  /** Whether a transaction of another kind may take its room. */
  readonly makesRoom: boolean
}

/** The kinds: a sign-in at a provider, a sign-out there, a passkey ceremony, and a browser that waits for a mailed link. */
export const TRANSACTION_KINDS = {
  oauth: {
    purposes: { state: 'state', pkceCodeVerifier: 'pkce', nonce: 'nonce' },
    timeUnitMs: 1000,
    isOffered: false,
    makesRoom: true,
  },
  logout: { purposes: { logoutState: 'logout-state' }, timeUnitMs: 1, isOffered: false, makesRoom: false },
  passkey: { purposes: { webauthnChallenge: 'webauthn-challenge' }, timeUnitMs: 1, isOffered: true, makesRoom: true },
  email: { purposes: { emailRequest: 'email-request' }, timeUnitMs: 1, isOffered: false, makesRoom: true },
} as const satisfies Readonly<Record<string, KindRules>>

/** The name of a kind. */
export type TransactionKind = keyof typeof TRANSACTION_KINDS

/** All kinds. */
export const KINDS = Object.keys(TRANSACTION_KINDS) as readonly TransactionKind[]

/** The key of a cookie that a transaction is kept in. */
export type TransactionCookieKey = {
  [Kind in TransactionKind]: keyof (typeof TRANSACTION_KINDS)[Kind]['purposes']
}[TransactionKind]

/** The keys of a kind's cookies. */
export const keysOf = (kind: TransactionKind) =>
  Object.keys(TRANSACTION_KINDS[kind].purposes) as readonly TransactionCookieKey[]

/** The kind that each cookie belongs to. */
export const KIND_OF_KEY = Object.fromEntries(
  KINDS.flatMap((kind) => keysOf(kind).map((key) => [key, kind])),
) as Readonly<Record<TransactionCookieKey, TransactionKind>>

/** The keys of all kinds' cookies. */
export const TRANSACTION_COOKIE_KEYS = Object.keys(KIND_OF_KEY) as readonly TransactionCookieKey[]

/** What transactions need of a request. */
export interface CookieRequest {
  readonly cookies: RequestCookies
  readonly specs: CookieSpecs
}

/** A cookie that the browser has of a transaction. */
export type TransactionCookie = SuffixedCookie<TransactionCookieKey>

/** What one cookie of a transaction holds, or why it holds nothing. */
export type CookieReading =
  | { readonly state: 'valid'; readonly content: unknown }
  | { readonly state: 'out-of-time'; readonly outOfTime: OutOfTime }
  /** It may have been made with a secret that is not known here. */
  | { readonly state: 'unknown-secret' }
  /** It is damaged, or somebody else made it. */
  | { readonly state: 'unreadable' }

/** The readings of the cookies that the browser has of one transaction. */
export type TransactionReadings = Readonly<Partial<Record<TransactionCookieKey, CookieReading>>>
