import { type CookieChange, serializeCookie } from './cookies.js'

/** What an integration is given in place of a web `Response`, when it asks for it with `raw`. */
// biome-ignore lint/suspicious/noExplicitAny: the body's type depends on the action
export interface ResponseInternal<Body = any> {
  status?: number
  headers?: Headers | Record<string, string>
  body?: Body
  /** Bytes of the body, where they are known without looking at it. */
  byteLength?: number
  /** Where to redirect. */
  redirect?: string
  cookies?: CookieChange[]
}

/** The answer as a web `Response`, every `Set-Cookie` a header of its own. */
export function toResponse({ status = 200, headers, body, redirect, cookies = [] }: ResponseInternal): Response {
  const all = new Headers(headers)
  for (const cookie of cookies) all.append('set-cookie', serializeCookie(cookie))
  if (redirect !== undefined) all.set('location', redirect)
  return new Response(serializeBody(body), { status, headers: all })
}

/** The body as it goes over the wire: text as it is, anything else as JSON. */
export function serializeBody(body: unknown): string | null {
  if (body === undefined) return null
  return typeof body === 'string' ? body : JSON.stringify(body)
}
