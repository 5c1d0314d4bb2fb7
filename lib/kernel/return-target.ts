import { type CookieChange, type CookieSpec, setCookie } from './cookies.js'
import type { FrontEndOrigins } from './front-end-origins.js'
import type { RequestCookies } from './request-cookies.js'
import { parseUrl } from './urls.js'

/**
 * Longer targets do not fit into their cookie after they were encoded: name and value of a cookie have 4096 bytes at
 * most (COOKIE-05).
 */
const MAX_ENCODED_LENGTH = 3900

// A browser removes line breaks and tabs when it parses a URL, so it would read `/\t/evil` as another host.
const UNUSABLE = /[\p{Cc}\\]/u

/**
 * The check of return targets: gives a return target as a URL of this origin or of a front end, or null.
 *
 * Accepts a path that starts with `/`, or an absolute http(s) URL. Gives the URL and never its path:
 * `/.//evil.example` is harmless as a URL and another host as a path.
 *
 * @param value from a visitor, a cookie or a callback
 * @param origin the public origin, without a trailing slash
 * @param frontEnds left out where only a page of this origin will do
 */
export function parseReturnTarget(
  value: unknown,
  origin: string,
  frontEnds: FrontEndOrigins | null = null,
): URL | null {
  const url = parseTarget(value, origin)
  return url?.origin === origin || frontEnds?.has(url?.origin) ? url : null
}

/**
 * A target on any http(s) origin, or null. It does not check the origin: for a value of a visitor, the `redirect` callback
 * does that next.
 */
export function parseTarget(value: unknown, origin: string): URL | null {
  if (typeof value !== 'string' || value === '' || value.length > MAX_ENCODED_LENGTH || UNUSABLE.test(value))
    return null
  if (!value.startsWith('/') && !/^https?:\/\//i.test(value)) return null
  const url = parseUrl(value, origin)
  if (!url) return null
  const isWeb = url.protocol === 'https:' || url.protocol === 'http:'
  if (!isWeb || url.username !== '' || url.password !== '') return null
  return isTooLong(url.href) ? null : url
}

/**
 * Whether a text that the application chose is the address of a page: a path that begins with one slash, or an http(s)
 * URL.
 */
export const isPageAddress = (value: string): boolean =>
  !value.startsWith('//') && parseTarget(value, 'http://localhost') !== null

/** Whether a URL is too long for its cookie. An encoded character of a URL has three characters at most. */
const isTooLong = (href: string) =>
  href.length * 3 > MAX_ENCODED_LENGTH && encodeURIComponent(href).length > MAX_ENCODED_LENGTH

/**
 * A URL of this origin as a path that stays on it. If the path begins with two slashes, as that of `/.//evil.example`
 * does, the text alone would name a host (RFC 3986 §4.2).
 */
export const formatPath = ({ pathname, search, hash }: URL): string => pathname.replace(/^\/+/, '/') + search + hash

/** The text of a target. An origin that was given without a trailing slash gets none. */
export function formatTarget(url: URL, given: string): string {
  return given === url.origin ? given : url.href
}

/**
 * The default `redirect` callback: gives targets of this origin and of front ends as they are, and the origin for every
 * other target.
 */
export const defaultRedirect =
  (frontEnds: FrontEndOrigins | null) =>
  ({ url, baseUrl }: { url: string; baseUrl: string }): string => {
    const target = parseReturnTarget(url, baseUrl, frontEnds)
    return target ? formatTarget(target, url) : baseUrl
  }

/** The cookie that keeps a return target; none if the browser has the same cookie already. */
export const returnTargetCookie = (
  cookies: RequestCookies,
  spec: CookieSpec,
  target: string,
): readonly CookieChange[] => (cookies.get(spec.name) === target ? [] : [setCookie(spec, target)])

/**
 * The path of the page where an account at a provider is added.
 *
 * @param mount base path or public URL of the mount, without a trailing slash
 */
export const linkPath = (mount: string, providerId: string): string => `${mount}/link/${encodeURIComponent(providerId)}`

/**
 * The address of that page, which is a path if `mount` is one.
 *
 * @param params the link request, as it came, which has a return target in it; else the return target, if it is not the default one
 */
export function linkPageAddress(
  mount: string,
  providerId: string,
  { request, callbackUrl }: { readonly request?: string | undefined; readonly callbackUrl?: string | undefined },
): string {
  const query = new URLSearchParams()
  if (request !== undefined) query.set('request', request)
  else if (callbackUrl !== undefined) query.set('callbackUrl', callbackUrl)
  return query.size === 0 ? linkPath(mount, providerId) : `${linkPath(mount, providerId)}?${query}`
}
