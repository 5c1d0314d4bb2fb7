import { type CookieChange, type CookieSpec, type RequestCookies, setCookie } from './cookies.js'

/**
 * Longer targets, as a cookie encodes them, do not fit into the one that carries them: name and value have 4096 bytes
 * (COOKIE-05).
 */
const MAX_ENCODED_LENGTH = 3900

// Line breaks and tabs vanish when a browser parses a URL, so `/\t/evil` would read as another host there than here.
const UNUSABLE = /[\p{Cc}\\]/u

/**
 * THE redirect validator: a return target as a URL of this origin, or null.
 *
 * Takes a path that starts with `/`, or an absolute http(s) URL. The URL is returned, never its path:
 * `/.//evil.example` is harmless as a URL and another host as a path.
 *
 * @param value what a visitor, a cookie or a callback named
 * @param origin the public origin, without a trailing slash
 */
export function parseCallbackUrl(value: unknown, origin: string): URL | null {
  const url = parseTarget(value, origin)
  return url?.origin === origin ? url : null
}

/**
 * A target on any http(s) origin, or null. Only for values that the application itself chose, such as the result of its
 * `redirect` callback.
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

function parseUrl(value: string, origin: string): URL | null {
  try {
    return new URL(value, origin)
  } catch {
    return null
  }
}

/** Encoded, a character of a URL has three at most. */
const isTooLong = (href: string) =>
  href.length * 3 > MAX_ENCODED_LENGTH && encodeURIComponent(href).length > MAX_ENCODED_LENGTH

/**
 * A URL of this origin as a path that stays on it. Where the path begins with two slashes, as that of
 * `/.//evil.example` does, the text alone would name a host (RFC 3986 §4.2).
 */
export const formatPath = ({ pathname, search, hash }: URL): string => pathname.replace(/^\/+/, '/') + search + hash

/** The text of a target: an origin alone keeps having no trailing slash, as it was given. */
export function formatTarget(url: URL, given: string): string {
  return given === url.origin ? given : url.href
}

/** The default `redirect` callback: targets of this origin, and the origin itself for every other. */
export function sameOriginRedirect({ url, baseUrl }: { url: string; baseUrl: string }): string {
  const target = parseCallbackUrl(url, baseUrl)
  return target ? formatTarget(target, url) : baseUrl
}

/** The cookie that remembers a return target; none where the browser has it already. */
export const returnTargetCookie = (
  cookies: RequestCookies,
  spec: CookieSpec,
  target: string,
): readonly CookieChange[] => (cookies.get(spec.name) === target ? [] : [setCookie(spec, target)])
