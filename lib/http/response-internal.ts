import { type CookieChange, serializeCookie } from './cookies.js'

/** What an integration gets in place of a web `Response` if it sets `raw`. */
// biome-ignore lint/suspicious/noExplicitAny: the body's type depends on the action
export interface ResponseInternal<Body = any> {
  status?: number
  headers?: Headers | Record<string, string>
  body?: Body
  /** Bytes of the body, if they are known already. */
  byteLength?: number
  /** Where to redirect. */
  redirect?: string
  cookies?: CookieChange[]
}

/** The answer as a web `Response`, with one `Set-Cookie` header for each cookie. */
export function toResponse({ status = 200, headers, body, redirect, cookies = [] }: ResponseInternal): Response {
  const all = new Headers(headers)
  for (const cookie of cookies) all.append('set-cookie', serializeCookie(cookie))
  if (redirect !== undefined) all.set('location', redirect)
  return new Response(serializeBody(body), { status, headers: all })
}

/** The body as it is sent: text as it is, anything else as JSON. */
export function serializeBody(body: unknown): string | null {
  if (body === undefined) return null
  return typeof body === 'string' ? body : JSON.stringify(body)
}
