import type { CookieChange } from '../kernel/cookies.js'

const FORWARDED = ['x-forwarded-host', 'x-forwarded-proto']

/**
 * The headers of a request without the forwarded ones. It is for frameworks whose adapter has read those that its settings
 * trust, and gives the result as the URL of the request.
 */
export function withoutForwarded(request: Request): Headers {
  const headers = new Headers(request.headers)
  for (const name of FORWARDED) headers.delete(name)
  return headers
}

/** The text of a `Cookie` header with these cookies. */
export const cookieHeader = (cookies: readonly { readonly name: string; readonly value: string }[]): string =>
  cookies.map(({ name, value }) => `${name}=${encodeURIComponent(value)}`).join('; ')

/**
 * The `Cookie` header that the browser would send after some changes.
 *
 * @param before the header of this request; null if it has none
 */
export function cookieHeaderAfter(before: string | null, changes: readonly CookieChange[]): string {
  const changed = new Set(changes.map(({ name }) => name))
  const pairs = before?.split(';').map((pair) => pair.trim()) ?? []
  const kept = pairs.filter((pair) => pair !== '' && !changed.has(nameOf(pair)))
  const set = cookieHeader(changes.filter(({ options }) => options.maxAge !== 0))
  return [...kept, ...(set === '' ? [] : [set])].join('; ')
}

const nameOf = (pair: string): string => pair.split('=', 1)[0]?.trim() ?? ''
