import type { IncomingMessage, ServerResponse } from 'node:http'
import type { NextFetchEvent, NextRequest } from 'next/server.js'
import type { AuthConfig } from '../../config/options.js'
import type { MaybePromise } from '../../kernel/awaitable.js'
import { InvalidConfiguration } from '../../kernel/errors.js'
import { appendCookies as appendNodeCookies } from '../../kernel/node-response.js'
import type { CurrentSession, Session } from '../../sessions/session.js'
import { cookieHeaderAfter } from '../web/headers.js'
import {
  type AuthorizationParams,
  appendCookies,
  type CookieChange,
  forVisitorAlone,
  type RequestAuth,
  type VisitorOfRequest,
  type WebAuth,
  type WebRequestFacts,
} from '../web/index.js'
import { currentRequest, nextServer, nodeRequest, webRequest } from './request-facts.js'

type Callbacks = NonNullable<AuthConfig['callbacks']>

/** The configuration: that of Latchkey, whose `authorized` callback gets the request class of Next.js. */
export interface NextAuthConfig extends Omit<AuthConfig, 'raw' | 'callbacks'> {
  callbacks?: Omit<Callbacks, 'authorized'> & {
    /**
     * Decides who may see a page, where `auth` is the proxy (middleware) or wraps a handler. True lets the request
     * pass, false sends a person to sign in and answers a script with 401, and a response is the answer. It is asked about
     * each spelling of the path that routes may read.
     */
    authorized?: (params: {
      request: NextRequest
      auth: CurrentSession | null
    }) => MaybePromise<boolean | Response | null | undefined>
  }
}

/** A request with the session of its visitor; null when nobody is signed in. */
export interface NextAuthRequest extends NextRequest {
  auth: CurrentSession | null
}

/** What Next.js gives a route handler beside the request. */
export interface RouteContext {
  params: Promise<Record<string, string | string[] | undefined>>
}

type Answer = MaybePromise<Response | null | undefined | void>

/** Reads the session, or protects what it is put before. */
export interface Auth {
  /**
   * In server components, server actions and route handlers: the session, or null when nobody is signed in. It is not
   * renewed, since a server component cannot set a cookie.
   *
   * @throws {AuthError} when it cannot be read because of a fault; a fault never means that nobody is signed in
   */
  (): Promise<CurrentSession | null>
  /**
   * Wraps a route handler or a proxy (middleware), which finds the session as `request.auth`. The `authorized` callback
   * is asked first, if there is one. The session is renewed when it is time.
   */
  <Context = RouteContext>(
    handler: (request: NextAuthRequest, context: Context) => Answer,
  ): (request: NextRequest, context: Context) => Promise<Response>
  /**
   * As the proxy (middleware) of the application: `export { auth as proxy } from './auth'`. It asks the `authorized`
   * callback, if there is one, and renews the session when it is time.
   */
  (request: NextRequest, event: NextFetchEvent): Promise<Response>
  /** In `getServerSideProps`: the session, which is renewed when it is time. */
  (context: PagesContext): Promise<CurrentSession | null>
  /** In API routes of the pages router: the session, which is renewed when it is time. */
  (request: IncomingMessage, response: ServerResponse): Promise<CurrentSession | null>
}

/** What `getServerSideProps` is given, as far as it is needed. */
export interface PagesContext {
  req: IncomingMessage
  res: ServerResponse
}

/** Whether and where the visitor is sent. */
export interface RedirectOptions<Redirects extends boolean = true> {
  /** Where the visitor goes in the end: a path, or a URL of this application; by default the page they are on. */
  redirectTo?: string
  /** False gives the address in place of sending the visitor there. True by default. */
  redirect?: Redirects
}

/** What `NextAuth` gives. */
export interface NextAuthResult {
  /** For `app/api/auth/[...nextauth]/route.ts`: `export const { GET, POST } = handlers`. */
  readonly handlers: Readonly<Record<'GET' | 'POST', (request: NextRequest) => Promise<Response>>>
  readonly auth: Auth
  /**
   * In server actions and route handlers: begins a sign-in, or, with a provider of credentials, does it. Without a
   * provider the visitor is sent to the sign-in page.
   *
   * @param options the fields of the provider's form, as the form that was posted or as an object
   * @throws {CredentialsSignin} when `authorize` accepts nobody
   * @throws {MissingCSRF} when the request may come from another site
   * @throws {AuthError} when the sign-in fails otherwise
   */
  signIn<Redirects extends boolean = true>(
    provider?: string | null,
    options?: FormData | (RedirectOptions<Redirects> & Record<string, unknown>),
    authorizationParams?: AuthorizationParams,
  ): Promise<Redirects extends false ? string : never>
  /**
   * In server actions and route handlers: ends the session; with `endSession` also that at the provider, if its option
   * `endSession` is set.
   *
   * @throws {MissingCSRF} when the request may come from another site
   */
  signOut<Redirects extends boolean = true>(
    options?: RedirectOptions<Redirects> & { readonly endSession?: boolean },
  ): Promise<Redirects extends false ? string : never>
  /**
   * In server actions and route handlers: changes the session. The `jwt` and `session` callbacks get `data` as they get
   * that of a client's update.
   */
  unstable_update(data: Partial<Session> | { user: Partial<Session['user']> }): Promise<CurrentSession | null>
  /**
   * What the visitor does with what is theirs, as with their sessions. What changes something is for server
   * actions and route handlers.
   *
   * @example
   * const sessions = await (await visitor()).listSessions()
   */
  visitor(): Promise<VisitorOfRequest>
}

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

/** What code of the application does on behalf of the request that it runs for, with that request and its cookies. */
export async function currentAuth(authOf: AuthOf) {
  const { request, facts, store } = await currentRequest()
  return { auth: (await authOf(undefined)).forRequest(request, facts), request, store }
}

async function readCurrent(authOf: AuthOf): Promise<CurrentSession | null> {
  const { auth } = await currentAuth(authOf)
  return auth.getSession()
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
