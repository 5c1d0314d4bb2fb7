import { type CookieChange, type CookieSpec, clearCookie, setCookie } from './cookies.js'
import { equalInConstantTime, sha256Hex } from './digest.js'
import { randomHex } from './random.js'
import { type RequestCookies, suffixesOf } from './request-cookies.js'
import { suffixed } from './suffixed-cookies.js'

/** Makes and checks the tokens of the double-submit technique: a token is in a cookie and also in the form. */
export interface CsrfTokens {
  /** The token of this browser, and the cookie to send with it if the browser has none yet. */
  handOut(
    cookies: RequestCookies,
    spec: CookieSpec,
  ): { readonly token: string; readonly cookies: readonly CookieChange[] }
  /** Whether a submitted token was given to this browser. */
  verify(cookies: RequestCookies, spec: CookieSpec, submitted: unknown): boolean
  /**
   * Whether the browser's cookie has a signature of another secret: another process may know that secret.
   */
  mayBeOfOtherSecret(cookies: RequestCookies, spec: CookieSpec): boolean
  /** A new token, which replaces the browser's token when somebody signs in. */
  renew(cookies: RequestCookies, spec: CookieSpec): readonly CookieChange[]
  /** Deletes the browser's tokens. */
  clear(cookies: RequestCookies, spec: CookieSpec): readonly CookieChange[]
}

/** A token that was made here. */
const OWN_TOKEN = /^[0-9a-f]{64}$/
/** Matches the signature in a cookie, by any secret. */
const SIGNED = /\|[0-9a-f]{64}(?:\||$)/
/**
 * Any token: an application may have chosen it, since everybody who has the secret can make the hash. It becomes part
 * of pages.
 */
const TOKEN = /^[^\p{C}|]{1,512}$/u
/**
 * How long the forms of a browser's first requests are valid, if several tabs made them at the same time, in seconds.
 */
const FIRST_FORM_LIFETIME_SECONDS = 60 * 60

/**
 * Tokens in the cookie format of Auth.js: `{token}|{SHA-256 of token and secret}`. A cookie with any token and its hash
 * is accepted, so an application that has the secret can choose its own tokens.
 *
 * A cookie that an older secret signed is signed again when its token is given out. The cookie lives as long as the
 * browser runs, so it is still valid when the older secret is removed. A cookie that none of these secrets signed stays
 * as it is, because another process may have signed it a moment ago with a newer secret.
 *
 * @param secrets the first signs; any of them verifies, and so does the comma-joined list that Auth.js signs with
 */
export function createCsrfTokens(secrets: readonly string[]): CsrfTokens {
  const [newest = ''] = secrets
  const accepted = secrets.length > 1 ? [...secrets, secrets.join(',')] : [newest]

  const read = (value: string | undefined): { readonly token: string; readonly signer: number } | null => {
    // What follows the hash is ignored, as in Auth.js.
    const [token, hash] = value?.split('|', 2) ?? []
    if (!token || !hash || !TOKEN.test(token)) return null
    const signer = accepted.findIndex((secret) => equalInConstantTime(hash, sha256Hex(token + secret)))
    return signer < 0 ? null : { token, signer }
  }
  const tokenOf = (value: string | undefined): string | null => read(value)?.token ?? null
  // A cookie that Auth.js signed with the list of all secrets stays as it is: Auth.js would not accept another
  // signature.
  const isOfOlderSecret = (signer: number) => signer > 0 && signer < secrets.length
  const sign = (token: string) => `${token}|${sha256Hex(token + newest)}`
  // Tabs that open at once, before any has its cookie, each get a token, and the last cookie wins. A second
  // cookie, named after the token, keeps the other tabs' forms good.
  const ownName = (spec: CookieSpec, token: string) => suffixed(spec, token.slice(0, 8))
  const namesOf = (spec: CookieSpec, token: string) =>
    OWN_TOKEN.test(token) ? [spec.name, ownName(spec, token).name] : [spec.name]
  const setOwn = (spec: CookieSpec, token: string, signed: string) =>
    setCookie(ownName(spec, token), signed, { maxAge: FIRST_FORM_LIFETIME_SECONDS })
  const ownSuffixes = (cookies: RequestCookies, spec: CookieSpec) => suffixesOf(cookies, spec, /^[0-9a-f]{8}$/)
  /** The token of a second cookie. */
  const tokenOfSecondCookie = (cookies: RequestCookies, spec: CookieSpec): string | undefined =>
    ownSuffixes(cookies, spec)
      .map((suffix) => tokenOf(cookies.get(suffixed(spec, suffix).name)))
      .find((token) => token !== null && OWN_TOKEN.test(token)) ?? undefined
  const clearOwn = (cookies: RequestCookies, spec: CookieSpec) =>
    ownSuffixes(cookies, spec).map((suffix) => clearCookie(suffixed(spec, suffix)))

  return {
    handOut(cookies, spec) {
      const value = cookies.get(spec.name)
      const present = read(value)
      if (present) {
        const { token, signer } = present
        return { token, cookies: isOfOlderSecret(signer) ? [setCookie(spec, sign(token))] : [] }
      }
      if (value !== undefined && SIGNED.test(value)) {
        const token = tokenOfSecondCookie(cookies, spec) ?? randomHex()
        return { token, cookies: [setOwn(spec, token, sign(token))] }
      }
      const token = randomHex()
      const signed = sign(token)
      return { token, cookies: [setCookie(spec, signed), setOwn(spec, token, signed)] }
    },
    verify(cookies, spec, submitted) {
      if (typeof submitted !== 'string' || !TOKEN.test(submitted)) return false
      return namesOf(spec, submitted).some((name) => {
        const token = tokenOf(cookies.get(name))
        return token !== null && equalInConstantTime(token, submitted)
      })
    },
    mayBeOfOtherSecret(cookies, spec) {
      const value = cookies.get(spec.name)
      return value !== undefined && SIGNED.test(value) && read(value) === null
    },
    renew: (cookies, spec) => [...clearOwn(cookies, spec), setCookie(spec, sign(randomHex()))],
    clear: (cookies, spec) => [...clearOwn(cookies, spec), ...(cookies.has(spec.name) ? [clearCookie(spec)] : [])],
  }
}

/**
 * Whether the browser says that another site sent a request. Old browsers do not say it; then only the token decides.
 *
 * @param origin the public origin
 * @see Fetch Metadata Request Headers §2.3 (Sec-Fetch-Site), RFC 6454 §7 (Origin)
 */
export function isCrossSite(header: (name: string) => string | undefined, origin: string): boolean {
  const site = header('sec-fetch-site')
  // A page cannot forge this header, so it decides even if a proxy hides the origin from us.
  if (site === 'same-origin' || site === 'none') return false
  if (site === 'cross-site') return true
  const sender = header('origin')
  // A sibling host can have its origin left out, or written as `null`, by its Referrer-Policy.
  if (site === 'same-site') return sender !== origin
  return sender !== undefined && sender !== 'null' && sender !== origin
}

/**
 * What a request is for, if a page sent it by code, a form or a link. Every other destination is a part of a page, such as
 * an image, whose address may come from another visitor.
 */
const SENT_BY_PAGES: readonly (string | undefined)[] = ['empty', 'document', 'iframe', 'frame', undefined]

/**
 * Whether the browser itself says that a page of this origin sent a request. A request that carries no CSRF token needs
 * that. Browsers send `Origin` with every POST, and current ones `Sec-Fetch-Site` with every request.
 *
 * @param origin the public origin
 * @see Fetch Metadata Request Headers §2.1 (Sec-Fetch-Dest), §2.3 (Sec-Fetch-Site), RFC 6454 §7 (Origin)
 */
export const isSameOrigin = (header: (name: string) => string | undefined, origin: string): boolean =>
  !isCrossSite(header, origin) &&
  SENT_BY_PAGES.includes(header('sec-fetch-dest')) &&
  (header('sec-fetch-site') === 'same-origin' || header('origin') === origin)

/**
 * Whether a request only reads (RFC 9110 §9.2.1). Anybody can write a link that sends one, and browsers fetch links ahead, so
 * it changes nothing, whatever the browser says of its sender.
 */
export const isSafeMethod = ({ method }: { readonly method?: string | undefined }): boolean =>
  method === 'GET' || method === 'HEAD'

/**
 * Whether a person goes to the address, in a window of its own. A part of a page, such as an image or a frame, is no such
 * request, nor is that of a script, nor that of a browser which fetches ahead what may be asked for next.
 *
 * @see Fetch Metadata Request Headers §2.1, §2.2, Fetch §2.2.5 (Sec-Purpose)
 */
export function isTopNavigation(header: (name: string) => string | undefined): boolean {
  if (AHEAD.some((name) => header(name) !== undefined)) return false
  const mode = header('sec-fetch-mode')
  if (mode !== undefined) return mode === 'navigate' && header('sec-fetch-dest') === 'document'
  return header('x-requested-with') === undefined && (header('accept')?.includes('text/html') ?? false)
}

/** Headers with which browsers say that they fetch ahead: the standard one, and those of older browsers. */
const AHEAD = ['sec-purpose', 'purpose', 'x-purpose', 'x-moz']
