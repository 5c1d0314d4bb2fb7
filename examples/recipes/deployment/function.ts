// A handler of AWS Lambda for a function URL, or an HTTP API of API Gateway.
//
// - Sessions in tokens need no connection to a store, so they fit well. With stored sessions, use a pool with one connection, or a
//   proxy of connections such as PgBouncer.
// - The configuration is outside of the handler, so that calls of a warm function share it.
// - A sign-out of a token session is known to the function that did it, and to others only with `session.revocation`.
import type { AuthConfig } from 'latchkey'
import GitHub from 'latchkey/providers/github'
import { appendCookies, webAuth } from 'latchkey/web'

/** What Lambda gives in the payload format 2.0, as far as it is needed here. */
interface Event {
  rawPath: string
  rawQueryString: string
  headers: Record<string, string>
  cookies?: string[]
  body?: string
  isBase64Encoded: boolean
  requestContext: { domainName: string; http: { method: string; sourceIp: string } }
}

const config: AuthConfig = { providers: [GitHub], basePath: '/auth' }
const auth = webAuth(config)

async function answer(request: Request, clientAddress: () => string): Promise<Response> {
  const { pathname } = new URL(request.url)
  if (auth.isServed(pathname)) return auth.serve(request, { clientAddress })
  const { session, cookies, response } = await auth.forRequest(request, { clientAddress }).guard()
  return response ?? appendCookies(Response.json({ user: session?.user }), cookies)
}

export async function handler(event: Event) {
  const { domainName, http } = event.requestContext
  const query = event.rawQueryString === '' ? '' : `?${event.rawQueryString}`
  const request = new Request(`https://${domainName}${event.rawPath}${query}`, {
    method: http.method,
    // Lambda takes the cookies out of the headers.
    headers: { ...event.headers, ...(event.cookies && { cookie: event.cookies.join('; ') }) },
    ...(event.body !== undefined && { body: Buffer.from(event.body, event.isBase64Encoded ? 'base64' : 'utf8') }),
  })
  const response = await answer(request, () => http.sourceIp)
  return {
    statusCode: response.status,
    headers: Object.fromEntries([...response.headers].filter(([name]) => name !== 'set-cookie')),
    // Several cookies do not fit into one header.
    cookies: response.headers.getSetCookie(),
    body: Buffer.from(await response.arrayBuffer()).toString('base64'),
    isBase64Encoded: true,
  }
}
