import type { IncomingMessage, ServerResponse } from 'node:http'
import type { NextRequest } from 'next/server.js'
import type { MaybePromise } from '../../kernel/awaitable.js'
import { InvalidConfiguration } from '../../kernel/errors.js'
import { appendCookies as appendNodeCookies } from '../../kernel/node-response.js'
import type { CurrentSession } from '../../sessions/session.js'
import { cookieHeaderAfter } from '../request-headers.js'
import {
  appendCookies,
  type CookieChange,
  forVisitorAlone,
  type RequestAuth,
  type WebAuth,
  type WebRequestFacts,
} from '../web/index.js'
import { currentRequest, nextServer, nodeRequest, webRequest } from './request-facts.js'
import type { Auth, NextAuthRequest, PagesContext } from './types.js'

/** The configuration at work for a request; undefined where Next.js hands out none. */
export type AuthOf = (request: NextRequest | undefined) => MaybePromise<WebAuth>

type Handler = (request: NextAuthRequest, context: never) => unknown

/** Makes the `auth` of an application, which does what its arguments say. */
export function createAuth(authOf: AuthOf): Auth {
  return function auth(first?: unknown, second?: unknown) {
    if (first === undefined) return readCurrent(authOf)
    if (typeof first === 'function')
      return (request: NextRequest, context: never) => protect(authOf, request, { handler: first as Handler, context })
    if (isWebRequest(first)) return protect(authOf, first)
    return readPages(authOf, first, second)
  } as Auth
}

async function readCurrent(authOf: AuthOf): Promise<CurrentSession | null> {
  const { request, facts } = await currentRequest()
  return (await authOf(undefined)).forRequest(request, facts).getSession()
}

/** Lets a request pass to what stands behind, or to the handler; or answers in its place. */
async function protect(
  authOf: AuthOf,
  given: NextRequest,
  behind?: { readonly handler: Handler; readonly context: never },
): Promise<Response> {
  // First of all: where Next.js tries whether it can make the answer in advance, this ends the try.
  const { pathname } = new URL(given.url)
  const auth = await authOf(given)
  const { NextResponse } = await nextServer()
  const isMount = auth.isServed(pathname)
  if (isMount && !behind) return NextResponse.next()
  const { request, facts } = await webRequest(given, auth.basePath)
  const visitor = auth.forRequest(request, facts)
  const { session, cookies, response } = await visitor.guard({
    everywhere: true,
    // What stands behind may sign the visitor out; a cookie from here would be sent beside its own.
    renews: !isMount && (given.method === 'GET' || given.method === 'HEAD'),
  })
  if (response) return given.headers.has('next-action') ? leadingToSignIn(response, visitor, given) : response
  const shown = behind && !isProxy(behind.context) ? publicly(given, visitor, facts) : given
  const answer = await behind?.handler(Object.assign(shown, { auth: session }), behind.context)
  const ours = answer instanceof Response ? answer : NextResponse.next(withCookies(given, cookies))
  return appendCookies(isOfVisitor(ours, given, session) ? forVisitorAlone(ours) : ours, cookies)
}

/** Next.js gives a proxy an event, and a route handler its parameters. */
const isProxy = (context: object | undefined): boolean => context !== undefined && 'waitUntil' in context

/**
 * The request at the public origin, for a route handler that makes URLs of it. A proxy keeps the origin of Next.js, which takes
 * a rewrite to any other one for a rewrite to another server.
 */
function publicly(given: NextRequest, visitor: RequestAuth, { toRequest }: WebRequestFacts): NextRequest {
  const { origin } = visitor
  if (origin === null || origin === new URL(given.url).origin || !toRequest) return given
  const { pathname, search } = new URL(given.url)
  return toRequest(new Request(origin + pathname + search, given)) as NextRequest
}

/**
 * The refusal of a server action, which the script of Next.js shows as an error. With the header it opens the sign-in page,
 * which leads back to the page of the action.
 */
async function leadingToSignIn(response: Response, visitor: RequestAuth, { url }: NextRequest): Promise<Response> {
  if (response.status !== 401) return response
  const { pathname, search } = new URL(url)
  const signIn = await visitor.signIn({ redirectTo: pathname + search })
  const answer = appendCookies(response, signIn.cookies)
  answer.headers.set('x-action-redirect', `${signIn.url};push`)
  return answer
}

/**
 * Whether an answer depends on the visitor, so that no shared cache may have it. Next.js lets such caches keep every
 * page that it made in advance, also one that only some visitors may see.
 */
function isOfVisitor({ headers }: Response, { nextUrl }: NextRequest, session: CurrentSession | null): boolean {
  // The application may have made the answer for everybody.
  if (headers.has('cache-control')) return false
  const passes = headers.has('x-middleware-next') || headers.has('x-middleware-rewrite')
  return !passes || (session !== null && !nextUrl.pathname.startsWith('/_next/'))
}

/** Lets the page behind read the session that was just renewed, so that it does not renew it again. */
function withCookies(given: NextRequest, changes: readonly CookieChange[]) {
  if (changes.length === 0) return undefined
  const headers = new Headers(given.headers)
  headers.set('cookie', cookieHeaderAfter(given.headers.get('cookie'), changes))
  return { request: { headers } }
}

async function readPages(authOf: AuthOf, first: unknown, second: unknown): Promise<CurrentSession | null> {
  const { req, res } = pagesRequest(first, second)
  const { request, facts } = nodeRequest(req)
  const visitor = (await authOf(undefined)).forRequest(request, facts)
  if (res.headersSent) return visitor.getSession()
  const { session, cookies } = await visitor.renewSession()
  appendNodeCookies(res, cookies)
  return session
}

function pagesRequest(first: unknown, second: unknown): PagesContext {
  const context = first as Partial<PagesContext> | null
  const req = context?.req ?? (first as IncomingMessage | null)
  const res = context?.req ? context.res : (second as ServerResponse | undefined)
  if (typeof req?.headers === 'object' && typeof res?.setHeader === 'function') return { req, res }
  throw new InvalidConfiguration(
    'auth() was called with something that is no request. Call it without arguments in server components, actions and ' +
      'route handlers, with the context in getServerSideProps, and with request and response in API routes.',
  )
}

function isWebRequest(value: unknown): value is NextRequest {
  const { headers, url } = (value ?? {}) as Partial<Request>
  return typeof headers?.get === 'function' && typeof url === 'string'
}
