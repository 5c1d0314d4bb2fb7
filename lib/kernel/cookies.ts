import { stringifySetCookie } from 'cookie'
import { withoutUndefined } from './objects.js'

/** The cookies Latchkey uses, by the key that configures them. */
export type CookieKey =
  | 'sessionToken'
  | 'callbackUrl'
  | 'csrfToken'
  | 'pkceCodeVerifier'
  | 'state'
  | 'nonce'
  | 'webauthnChallenge'
  | 'emailRequest'
  | 'lastProvider'
  | 'note'
  | 'ownSignIn'
  | 'logoutState'

/** Attributes of a cookie, as RFC 6265bis §4.1.2 names them. */
export interface CookieAttributes {
  /** Seconds until the cookie expires. */
  maxAge?: number
  /** When the cookie expires; browsers prefer `maxAge`. */
  expires?: Date
  domain?: string
  path?: string
  httpOnly?: boolean
  secure?: boolean
  /** One cookie jar for each top-level site (CHIPS). */
  partitioned?: boolean
  /** Which cookies Chromium removes first. */
  priority?: 'low' | 'medium' | 'high'
  /** `true` is `'strict'`. */
  sameSite?: boolean | 'lax' | 'strict' | 'none'
}

/** Name and attributes of one cookie, as an application may override them. */
export interface CookieOption {
  name: string
  options: CookieAttributes
}

/** `config.cookies`: any cookie's name, and its attributes one by one. */
export type CookiesOptions = Record<CookieKey, Partial<CookieOption>>

/** Name and attributes of one cookie, resolved. */
export interface CookieSpec {
  readonly name: string
  readonly attributes: Readonly<CookieAttributes>
}

/** All cookies of one configuration under one scheme. */
export type CookieSpecs = Readonly<Record<CookieKey, CookieSpec>>

/** One `Set-Cookie` to send: a value with its attributes, or an empty value with `maxAge` 0, which deletes. */
export interface CookieChange {
  readonly name: string
  readonly value: string
  readonly options: Readonly<CookieAttributes>
}

/**
 * Names and attributes of all cookies, those of the application in place of the defaults.
 *
 * @param secure whether the public origin is https: it decides the `__Secure-` and `__Host-` prefixes
 * @see RFC 6265bis §4.1.3 (prefixes)
 */
export function cookieSpecs(secure: boolean, custom: Partial<CookiesOptions> = {}): CookieSpecs {
  const prefix = secure ? '__Secure-' : ''
  // With https, the prefix is __Host-: then no sibling host can set a CSRF token, or the cookies of a sign-in that it
  // began itself. Browsers refuse the prefix together with a domain or another path, and without Secure (RFC 6265bis
  // §4.1.3.2).
  const hostPrefix = (key: CookieKey) => {
    const { domain, path = '/', secure: isSecure = secure } = custom[key]?.options ?? {}
    return !isSecure || !secure ? '' : domain || path !== '/' ? '__Secure-' : '__Host-'
  }
  const spec = (key: CookieKey, name: string): CookieSpec => ({
    name: custom[key]?.name ?? name,
    attributes: {
      httpOnly: true,
      sameSite: 'lax',
      path: '/',
      secure,
      ...withoutUndefined(custom[key]?.options),
    },
  })
  return {
    sessionToken: spec('sessionToken', `${prefix}authjs.session-token`),
    callbackUrl: spec('callbackUrl', `${prefix}authjs.callback-url`),
    csrfToken: spec('csrfToken', `${hostPrefix('csrfToken')}authjs.csrf-token`),
    pkceCodeVerifier: spec('pkceCodeVerifier', `${hostPrefix('pkceCodeVerifier')}authjs.pkce.code_verifier`),
    state: spec('state', `${hostPrefix('state')}authjs.state`),
    nonce: spec('nonce', `${hostPrefix('nonce')}authjs.nonce`),
    webauthnChallenge: spec('webauthnChallenge', `${hostPrefix('webauthnChallenge')}authjs.challenge`),
    emailRequest: spec('emailRequest', `${hostPrefix('emailRequest')}authjs.email-request`),
    lastProvider: spec('lastProvider', `${hostPrefix('lastProvider')}authjs.last-provider`),
    note: spec('note', `${hostPrefix('note')}authjs.note`),
    ownSignIn: spec('ownSignIn', `${hostPrefix('ownSignIn')}authjs.own-sign-in`),
    logoutState: spec('logoutState', `${hostPrefix('logoutState')}authjs.logout-state`),
  }
}

/** Whether browsers may send a cookie with requests of other sites. */
export const isForOtherSites = (attributes: CookieAttributes = {}): boolean =>
  String(attributes.sameSite).toLowerCase() === 'none'

/** The cure where browsers do not send it. */
export const CROSS_SITE_FIX =
  "Give the front end a host of the mount's site, such as app.example beside api.app.example. If you cannot, set sameSite: 'none' for these cookies, which Safari and Firefox do not send either."

/** Sets a cookie. The lifetime replaces that of the spec. */
export function setCookie(
  { name, attributes }: CookieSpec,
  value: string,
  lifetime: Pick<CookieAttributes, 'expires' | 'maxAge'> = {},
): CookieChange {
  return { name, value, options: { ...attributes, ...lifetime } }
}

/**
 * Deletes a cookie. It has the attributes with which it was set: for browsers, another path or domain is another
 * cookie.
 */
export function clearCookie({ name, attributes }: CookieSpec): CookieChange {
  const { expires: _, ...kept } = attributes
  return { name, value: '', options: { ...kept, maxAge: 0 } }
}

/**
 * Drops every change that a later change of the same cookie replaces. The others keep their order. For browsers, another path or
 * domain is another cookie.
 */
export function mergeCookieChanges(changes: readonly CookieChange[]): readonly CookieChange[] {
  if (changes.length < 2) return changes
  const byCookie = new Map<string, CookieChange>()
  for (const change of changes) {
    const { name, options } = change
    const key = `${name} ${options.domain ?? ''} ${options.path ?? ''}`
    byCookie.delete(key)
    byCookie.set(key, change)
  }
  return [...byCookie.values()]
}

/**
 * The value of a `Set-Cookie` header.
 *
 * @throws {TypeError} when a name, path or domain holds a character that would end it there (CVE-2024-47764)
 */
export function serializeCookie({ name, value, options }: CookieChange): string {
  return stringifySetCookie({ ...options, name, value }, ENCODING)
}

/** Session tokens are long and need no encoding, so they are only tested. */
const ENCODING = { encode: (value: string) => (/[^\w.!~*'()-]/.test(value) ? encodeURIComponent(value) : value) }
