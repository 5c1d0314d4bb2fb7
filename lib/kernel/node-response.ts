import type { ServerResponse } from 'node:http'
import onHeaders from 'on-headers'
import { type ResponseInternal, serializeBody } from './answer.js'
import { keepOutOfSharedCaches, varyBy } from './answer-headers.js'
import { type CookieChange, serializeCookie } from './cookies.js'

/** The `Set-Cookie` lines that were added to answers of the application. */
const added = new WeakMap<ServerResponse, readonly string[]>()

/** Whether an answer that is not sent yet sets cookies, or will. */
export const setsCookies = (res: ServerResponse): boolean => res.getHeader('set-cookie') !== undefined || added.has(res)

/**
 * Adds cookies to an answer that the application finishes. Cookies that are there already are kept, except earlier
 * values of the same cookies: an answer has one of each name (RFC 6265 §4.1.1), so that a sign-out does not go out
 * beside a renewed session. No shared cache may keep them.
 *
 * A route, or a proxy in it, may replace the header `Set-Cookie`, and may set `Cache-Control`. So both are looked at again
 * when the headers are written.
 */
export function appendCookies(res: ServerResponse, cookies: readonly CookieChange[]): void {
  if (cookies.length === 0) return
  res.setHeader('set-cookie', replacing(existingCookies(res), cookies))
  keepOutOfSharedCaches(res)
  const before = added.get(res)
  if (before === undefined) onWriteHead(res, () => completeCookies(res))
  added.set(res, replacing(before ?? [], cookies))
}

/** `Set-Cookie` lines with those of other cookies, which replace earlier ones of the same name. */
function replacing(lines: readonly string[], cookies: readonly CookieChange[]): string[] {
  const isKept = (line: string) => !cookies.some(({ name }) => line.startsWith(`${name}=`))
  return [...lines.filter(isKept), ...cookies.map(serializeCookie)]
}

/**
 * Calls a function when the headers are written. From a list of pairs, on-headers would keep one value of each name, and it
 * drops headers that stand behind a reason that is undefined. Node takes both.
 */
function onWriteHead(res: ServerResponse, listener: () => void): void {
  onHeaders(res, listener)
  const writeHead = res.writeHead as (status: number, ...rest: unknown[]) => ServerResponse
  res.writeHead = (status: number, reason?: unknown, headers = typeof reason === 'string' ? undefined : reason) => {
    const flat = Array.isArray(headers) ? headers.flat() : headers
    return typeof reason === 'string' ? writeHead.call(res, status, reason, flat) : writeHead.call(res, status, flat)
  }
}

function completeCookies(res: ServerResponse): void {
  const present = existingCookies(res)
  const lost = (added.get(res) ?? []).filter((line) => !present.some((each) => nameOf(each) === nameOf(line)))
  if (lost.length > 0) res.setHeader('set-cookie', [...present, ...lost])
  if (lost.length + present.length > 0) keepOutOfSharedCaches(res)
}

const nameOf = (line: string): string => line.slice(0, line.indexOf('='))

/** Takes back cookies that were added to an answer which has not been sent. The cookies of other names are kept. */
export function removeCookies(res: ServerResponse, isRemoved: (name: string) => boolean): void {
  const isKept = (line: string) => !isRemoved(nameOf(line))
  const lines = added.get(res)
  if (lines) added.set(res, lines.filter(isKept))
  const existing = existingCookies(res)
  const kept = existing.filter(isKept)
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
  for (const [name, value] of headers) setOrVary(res, name, value)
  if (answer.cookies?.length) res.setHeader('set-cookie', replacing(existingCookies(res), answer.cookies))
  // Headers that the application set before were not meant for this answer. Only the served script and public keys may be
  // cached by everybody, and their header says so; but never together with a cookie. A middleware that waits for the headers,
  // as express-session does, may still set one.
  if (
    !headers.some(([name, value]) => name === 'cache-control' && value.startsWith('public')) ||
    setsCookies(res) ||
    Object.hasOwn(res, 'writeHead')
  ) {
    keepOutOfSharedCaches(res)
  }
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

/** Sets a header. `Vary` is added to: what a middleware before, such as cors, has chosen by a header stays chosen by it. */
function setOrVary(res: ServerResponse, name: string, value: string): void {
  if (name.toLowerCase() !== 'vary') res.setHeader(name, value)
  else for (const each of value.split(',')) varyBy(res, each.trim())
}

/** Writes a web `Response` that an application's callback made. */
export async function writeWebResponse(res: ServerResponse, response: Response): Promise<void> {
  res.statusCode = response.status
  for (const [name, value] of response.headers) if (name !== 'set-cookie') setOrVary(res, name, value)
  const cookies = response.headers.getSetCookie()
  if (cookies.length > 0) res.setHeader('set-cookie', [...existingCookies(res), ...cookies])
  if (setsCookies(res)) keepOutOfSharedCaches(res)
  res.end(Buffer.from(await response.arrayBuffer()))
}
