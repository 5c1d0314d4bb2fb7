import type { CookieSpec, DeclaredCookie } from '../kernel/cookies.js'
import type { RequestCookies } from '../kernel/request-cookies.js'

/** The cookies of every configuration, by the keys that configure them. Those of a feature are in its `transaction`. */
export const COOKIES = {
  sessionToken: { name: 'authjs.session-token', prefix: '__Secure-' },
  callbackUrl: { name: 'authjs.callback-url', prefix: '__Secure-' },
  csrfToken: { name: 'authjs.csrf-token' },
  lastProvider: { name: 'authjs.last-provider' },
  language: { name: 'authjs.language' },
  note: { name: 'authjs.note' },
  ownSignIn: { name: 'authjs.own-sign-in' },
  heldSignIn: { name: 'authjs.held-sign-in' },
} as const satisfies Readonly<Record<string, DeclaredCookie>>

/** All cookies of one configuration under one scheme, also those of features. */
export type CookieSpecs = Readonly<Record<keyof typeof COOKIES, CookieSpec>> & Readonly<Record<string, CookieSpec>>

/** The cookies of a request. */
export interface CookieRequest {
  readonly cookies: RequestCookies
  readonly specs: CookieSpecs
}
