// app/auth.server.ts. React Router 7 needs two flags of react-router.config.ts, which React Router 8 always has on:
// future: { v8_middleware: true, v8_passThroughRequests: true }. React Router 8 needs Node 22.22.

import type { Session } from 'latchkey'
import { appendCookies, privateByDefault, webAuth } from 'latchkey/web'
import { createContext, type MiddlewareFunction, redirectDocument } from 'react-router'
import { config } from '../config.js'

export const auth = webAuth(config)
export const sessionContext = createContext<Session | null>(null)

/** Guards a route and the routes below it. */
export const guard: MiddlewareFunction<Response> = async ({ request, url, context }, next) => {
  const { method, headers, signal } = request
  // `url` is the address of the page, while `request.url` may be `/private/papers.data?_routes=…`.
  const visitor = auth.forRequest({ method, headers, signal, url: url.href })
  const { session, cookies, response } = await visitor.guard()
  const isDataRequest = new URL(request.url).pathname.endsWith('.data')
  if (response && isDataRequest) {
    // The router in the browser understands a redirect, and shows every other refusal in the error boundary.
    if (response.status !== 401) throw response
    const signIn = await visitor.signIn({ redirectTo: url.pathname + url.search })
    return appendCookies(privateByDefault(redirectDocument(signIn.url)), [...cookies, ...signIn.cookies])
  }
  if (response) return response
  context.set(sessionContext, session)
  return appendCookies(privateByDefault(await next()), cookies)
}
