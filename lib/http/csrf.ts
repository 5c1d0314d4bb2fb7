import { equalInConstantTime, sha256Hex } from '../crypto/digest.js'
import { randomHex } from '../crypto/random.js'
import {
  type CookieChange,
  type CookieSpec,
  clearCookie,
  type RequestCookies,
  setCookie,
  suffixed,
  suffixesOf,
} from './cookies.js'

/** Makes and checks the tokens of the double-submit technique: one half in a cookie, the other in the form. */
export interface CsrfTokens {
  /** The token of this browser, and the cookie that must go with it if the browser has none yet. */
  handOut(
    cookies: RequestCookies,
    spec: CookieSpec,
  ): { readonly token: string; readonly cookies: readonly CookieChange[] }
  /** Whether a submitted token is one that this browser was handed. */
  verify(cookies: RequestCookies, spec: CookieSpec, submitted: unknown): boolean
  /** A new token in place of the browser's own, for the moment somebody signs in. */
  renew(cookies: RequestCookies, spec: CookieSpec): readonly CookieChange[]
  /** Deletes the browser's tokens. */
  clear(cookies: RequestCookies, spec: CookieSpec): readonly CookieChange[]
}

/** A token that was made here. */
const OWN_TOKEN = /^[0-9a-f]{64}$/
/** Any token: an application may have chosen it, since whoever has the secret can make the hash. It becomes part of pages. */
const TOKEN = /^[^\p{C}|]{1,512}$/u
/** How long a form of a browser's very first requests stays good beside those of other tabs, in seconds. */
const FIRST_FORM_LIFETIME_SECONDS = 60 * 60

/**
 * Tokens in the cookie format of Auth.js: `{token}|{SHA-256 of token and secret}`. A cookie with any token and its hash is taken, so an application
 * that has the secret can choose tokens of its own.
 *
 * @param secrets the first signs; any of them verifies, and so does the comma-joined list that Auth.js signs with
 */
export function createCsrfTokens(secrets: readonly string[]): CsrfTokens {
  const [newest = ''] = secrets
  const accepted = secrets.length > 1 ? [...secrets, secrets.join(',')] : [newest]

  const open = (value: string | undefined): string | null => {
    // As Auth.js, which does not look at what follows the hash.
    const [token, hash] = value?.split('|', 2) ?? []
    if (!token || !hash || !TOKEN.test(token)) return null
    return accepted.some((secret) => equalInConstantTime(hash, sha256Hex(token + secret))) ? token : null
  }
  const mint = () => {
    const token = randomHex()
    return { token, value: `${token}|${sha256Hex(token + newest)}` }
  }
  // Tabs that open at once, before any has its cookie, are each handed a token, and the last cookie wins. A second cookie, named
  // after the token, keeps the other tabs' forms good.
  const ownName = (spec: CookieSpec, token: string) => suffixed(spec, token.slice(0, 8))
  const namesOf = (spec: CookieSpec, token: string) =>
    OWN_TOKEN.test(token) ? [spec.name, ownName(spec, token).name] : [spec.name]
  const clearOwn = (cookies: RequestCookies, spec: CookieSpec) =>
    suffixesOf(cookies, spec, /^[0-9a-f]{8}$/).map((suffix) => clearCookie(suffixed(spec, suffix)))

  return {
    handOut(cookies, spec) {
      const present = open(cookies.get(spec.name))
      if (present) return { token: present, cookies: [] }
      const { token, value } = mint()
      return {
        token,
        cookies: [
          setCookie(spec, value),
          setCookie(ownName(spec, token), value, { maxAge: FIRST_FORM_LIFETIME_SECONDS }),
        ],
      }
    },
    verify(cookies, spec, submitted) {
      if (typeof submitted !== 'string' || !TOKEN.test(submitted)) return false
      return namesOf(spec, submitted).some((name) => {
        const held = open(cookies.get(name))
        return held !== null && equalInConstantTime(held, submitted)
      })
    },
    renew: (cookies, spec) => [...clearOwn(cookies, spec), setCookie(spec, mint().value)],
    clear: (cookies, spec) => [...clearOwn(cookies, spec), ...(cookies.has(spec.name) ? [clearCookie(spec)] : [])],
  }
}

/**
 * Whether the browser itself says that another site sent a request. Old browsers say nothing; then the token decides.
 *
 * @param origin the public origin
 * @see Fetch Metadata Request Headers §2.3 (Sec-Fetch-Site), RFC 6454 §7 (Origin)
 */
export function isCrossSite(header: (name: string) => string | undefined, origin: string): boolean {
  const site = header('sec-fetch-site')
  // A page cannot forge this header, so it settles the matter even where a proxy hides the origin from us.
  if (site === 'same-origin' || site === 'none') return false
  if (site === 'cross-site') return true
  const sender = header('origin')
  return sender !== undefined && sender !== 'null' && sender !== origin
}
