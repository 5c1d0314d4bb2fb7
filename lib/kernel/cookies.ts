import { stringifySetCookie } from 'cookie'
import { withoutUndefined } from './objects.js'

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

/** A cookie, as the code that uses it declares it. */
export interface DeclaredCookie {
  /** Without a prefix. */
  readonly name: string
  /**
   * What the name begins with over https. Absent: `__Host-`, so that no sibling host can set a CSRF token, or the cookies of a
   * sign-in that it began itself. `__Secure-` where Auth.js has it.
   */
  readonly prefix?: '__Secure-'
}

/** Name and attributes of one cookie, resolved. */
export interface CookieSpec {
  readonly name: string
  readonly attributes: Readonly<CookieAttributes>
}

/** One `Set-Cookie` to send: a value with its attributes, or an empty value with `maxAge` 0, which deletes. */
export interface CookieChange {
  readonly name: string
  readonly value: string
  readonly options: Readonly<CookieAttributes>
}

/**
 * Names and attributes of cookies, those of the application in place of the defaults.
 *
 * @param secure whether the public origin is https: it decides the prefixes
 */
export function cookieSpecs<Key extends string>(
  declared: Readonly<Record<Key, DeclaredCookie>>,
  secure: boolean,
  custom: Readonly<Partial<Record<string, Partial<CookieOption>>>> = {},
): Readonly<Record<Key, CookieSpec>> {
  const keys = Object.keys(declared) as Key[]
  const specs = keys.map((key) => [key, cookieSpec(declared[key], secure, custom[key])])
  return Object.fromEntries(specs) as Record<Key, CookieSpec>
}

/** As {@link cookieSpecs}, of one cookie. */
export function cookieSpec(
  declared: DeclaredCookie,
  secure: boolean,
  { name, options }: Partial<CookieOption> = {},
): CookieSpec {
  return {
    name: name ?? prefixOf(declared, secure, options) + declared.name,
    attributes: { httpOnly: true, sameSite: 'lax', path: '/', secure, ...withoutUndefined(options) },
  }
}

/**
 * Browsers refuse `__Host-` together with a domain or another path, and without Secure.
 *
 * @see RFC 6265bis §4.1.3 (prefixes)
 */
function prefixOf({ prefix }: DeclaredCookie, secure: boolean, options: CookieAttributes = {}): string {
  if (!secure) return ''
  if (prefix !== undefined) return prefix
  const { domain, path = '/', secure: isSecure = true } = options
  if (!isSecure) return ''
  return domain || path !== '/' ? '__Secure-' : '__Host-'
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
