import {
  keepOutOfSharedCaches,
  type ResponseHeaders,
  saysCaching,
  varyByCookie,
  varyByVisitor,
} from '../../kernel/answer-headers.js'
import { type CookieChange, serializeCookie } from '../../kernel/cookies.js'
import type { WebRequest } from './web-request.js'

/**
 * An answer with cookies added, which no shared cache may keep (COOKIE-12). Earlier values of the same cookies are
 * replaced (RFC 6265 §4.1.1). Without cookies it is the same answer.
 */
export function appendCookies(response: Response, cookies: readonly CookieChange[]): Response {
  return cookies.length === 0 ? response : withHeaders(response, (headers) => setCookies(headers, cookies))
}

/** The same answer with other headers: those that `fetch` or `Response.redirect` gave cannot be changed. */
function withHeaders(
  { body, status, statusText, headers: given }: Response,
  change: (headers: Headers) => void,
): Response {
  const headers = new Headers(given)
  change(headers)
  return new Response(body, { status, statusText, headers })
}

/** As {@link appendCookies}, for the headers of an answer that is yet to be made. */
export function setCookies(headers: Headers, cookies: readonly CookieChange[]): void {
  if (cookies.length === 0) return
  const names = cookies.map(({ name }) => `${name}=`)
  // The headers of SolidStart 1, which stand for those of Node, give `[undefined]` where there is no cookie.
  const present: readonly (string | undefined)[] = headers.getSetCookie()
  const kept = present.filter((text) => text !== undefined && !names.some((name) => text.startsWith(name))) as string[]
  headers.delete('set-cookie')
  for (const cookie of [...kept, ...cookies.map(serializeCookie)]) headers.append('set-cookie', cookie)
  keepOutOfSharedCaches(responseHeaders(headers))
}

/** An answer that depends on the visitor, so that no cache gives it to somebody else (COOKIE-12). */
export const forVisitorAlone = (response: Response): Response =>
  withHeaders(response, (headers) => varyByVisitor(responseHeaders(headers)))

/** An answer with the same cookies, which no shared cache may keep. */
export const outOfSharedCaches = (response: Response): Response =>
  withHeaders(response, (headers) => keepOutOfSharedCaches(responseHeaders(headers)))

/**
 * The answer of a route that a guard let run, or that has read the session. No cache keeps it, unless the application has
 * set a `Cache-Control`: then the application has decided, and the header stays. In both cases, the answer says that it
 * depends on the cookies. {@link appendCookies} is stricter, because its answers set cookies: it replaces a
 * `Cache-Control` with which a shared cache could keep the answer.
 */
export function privateByDefault(response: Response): Response {
  // A cache would use these headers for the answer that it has kept (RFC 9111 §3.2), and throw it away.
  if (response.status === 304) return response
  return withHeaders(response, (headers) => {
    const own = responseHeaders(headers)
    if (saysCaching(own)) varyByCookie(own)
    else varyByVisitor(own)
  })
}

/** The headers of a web response, for functions that also work with the response of Node. */
export const responseHeaders = (headers: Headers): ResponseHeaders => ({
  getHeader: (name) => headers.get(name) ?? undefined,
  // The headers of SolidStart 1 cannot be gone through themselves.
  getHeaderNames: () => [...headers.keys()],
  setHeader: (name, value) => headers.set(name, value),
  removeHeader: (name) => headers.delete(name),
})

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

/** The request of such a framework, without its body. */
export const eventRequest = (request: Request, url = request.url): WebRequest => {
  const { method, signal } = request
  return { headers: withoutForwarded(request), method, signal, url }
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
