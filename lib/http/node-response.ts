import type { ServerResponse } from 'node:http'
import { type CookieChange, serializeCookie } from './cookies.js'
import { type ResponseInternal, serializeBody } from './response-internal.js'
import { keepOutOfSharedCaches } from './shared-caches.js'

/**
 * Adds cookies to an answer that the application finishes. Cookies that are there already are kept, except earlier
 * values of the same cookies: an answer has one of each name (RFC 6265 §4.1.1), so that a sign-out does not go out
 * beside a renewed session. No shared cache may keep them.
 */
export function appendCookies(res: ServerResponse, cookies: readonly CookieChange[]): void {
  if (cookies.length === 0) return
  const names = cookies.map(({ name }) => `${name}=`)
  const kept = existingCookies(res).filter((existing) => !names.some((name) => existing.startsWith(name)))
  res.setHeader('set-cookie', [...kept, ...cookies.map(serializeCookie)])
  keepOutOfSharedCaches(res)
}

/** Takes back cookies that were added to an answer which has not been sent. The cookies of other names are kept. */
export function removeCookies(res: ServerResponse, isRemoved: (name: string) => boolean): void {
  const existing = existingCookies(res)
  const kept = existing.filter((cookie) => !isRemoved(cookie.slice(0, cookie.indexOf('='))))
  if (kept.length === existing.length) return
  if (kept.length > 0) res.setHeader('set-cookie', kept)
  else res.removeHeader('set-cookie')
}

function existingCookies(res: ServerResponse): string[] {
  const existing = res.getHeader('set-cookie')
  return existing === undefined ? [] : Array.isArray(existing) ? existing : [String(existing)]
}

/** Writes a whole answer. */
export function writeResponse(res: ServerResponse, answer: ResponseInternal, isHead: boolean): void {
  res.statusCode = answer.status ?? 200
  const headers = answer.headers instanceof Headers ? [...answer.headers] : Object.entries(answer.headers ?? {})
  for (const [name, value] of headers) res.setHeader(name, value)
  // Headers that the application set before were not meant for this answer. Only the served script may be cached by
  // everybody, and its header says so.
  if (!headers.some(([name, value]) => name === 'cache-control' && value.startsWith('public'))) {
    keepOutOfSharedCaches(res)
  }
  appendCookies(res, answer.cookies ?? [])
  if (answer.redirect !== undefined) res.setHeader('location', answer.redirect)
  const text = serializeBody(answer.body)
  const length = answer.byteLength ?? (text === null ? 0 : Buffer.byteLength(text))
  // Where HEAD did not make the body, the length that GET would have is not known (RFC 9110 §8.6).
  if (!isHead || length > 0) res.setHeader('content-length', length)
  // If there are as many bytes as characters, the text is ASCII. With `latin1`, Node writes it without a look at each
  // character.
  if (isHead || text === null) res.end()
  else res.end(text, length === text.length ? 'latin1' : 'utf8')
}

/** Writes a web `Response` that an application's callback made. */
export async function writeWebResponse(res: ServerResponse, response: Response): Promise<void> {
  res.statusCode = response.status
  for (const [name, value] of response.headers) if (name !== 'set-cookie') res.setHeader(name, value)
  const cookies = response.headers.getSetCookie()
  if (cookies.length > 0) res.setHeader('set-cookie', [...existingCookies(res), ...cookies])
  if (res.getHeader('set-cookie') !== undefined) keepOutOfSharedCaches(res)
  res.end(Buffer.from(await response.arrayBuffer()))
}
