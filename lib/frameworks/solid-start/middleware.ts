import { membersNamed, OPTION_NAMES } from '../../config/option-shapes.js'
import type { AuthConfig, ConfigSource } from '../../config/options.js'
import { keepOutOfSharedCaches, NO_STORE, saysCaching, varyByVisitor } from '../../kernel/answer-headers.js'
import { type MaybePromise, onceFor } from '../../kernel/awaitable.js'
import type { CookieChange } from '../../kernel/cookies.js'
import { decodedText } from '../../kernel/urls.js'
import type { CurrentSession } from '../../sessions/session.js'
import { outOfSharedCaches, responseHeaders } from '../web/headers.js'
import { prepareWebAuth, setCookies, type WebAuth, type WebRequestFacts, webAuth } from '../web/index.js'

/** Path of the mount where neither the configuration nor `AUTH_URL` has one, as in @auth/solid-start. */
const BASE_PATH = '/api/auth'

/** The options of Latchkey, and the one of @auth/solid-start that no other integration has. */
export interface SolidAuthConfig extends AuthConfig {
  /** Another name of `basePath`, which applies where there is no `basePath`. */
  prefix?: string
}

/**
 * The configuration, or a function that gives one for the request. A function returns the same object for the same
 * tenant each time.
 */
export type SolidAuthSource = SolidAuthConfig | ((request: Request) => MaybePromise<SolidAuthConfig>)

type AuthOfRequest = (request: Request) => MaybePromise<WebAuth>

/** By function: what {@link prepareWebAuth} made of it, which counts the configurations that one function returns. */
const prepared = new WeakMap<object, AuthOfRequest>()
/** By configuration with a `prefix`: the same one without. An engine belongs to one object. */
const withoutPrefix = onceFor((config: SolidAuthConfig): AuthConfig => {
  const { prefix, ...own } = config
  return { ...own, ...membersNamed(OPTION_NAMES, config), basePath: config.basePath ?? prefix }
})

/**
 * What works with a configuration. An object is resolved now.
 *
 * @param call the function that was handed the configuration, for its error: `SolidAuth(config)`
 * @throws {AuthError} when a configuration given as an object cannot work
 */
export function prepareAuth(source: SolidAuthSource, call: string): AuthOfRequest {
  const defaults = { basePath: BASE_PATH, call }
  if (typeof source !== 'function') {
    const auth = webAuth(plainConfig(source), defaults)
    return () => auth
  }
  const known = prepared.get(source)
  if (known) return known
  const plain: ConfigSource<Request> = async (request) => plainConfig(await source(request))
  const made = prepareWebAuth(plain, defaults)
  prepared.set(source, made)
  return made
}

function plainConfig(config: SolidAuthConfig): AuthConfig {
  // What is no object is refused with the other mistakes of a configuration.
  return config?.prefix === undefined ? config : withoutPrefix(config)
}

/**
 * As much of an event of SolidStart as is needed: what API routes and middlewares get, and what `getRequestEvent()` of
 * `solid-js/web` returns.
 */
export interface SolidEvent {
  readonly request: Request
  /** The answer of SolidStart, whichever code gives its body. */
  readonly response: { readonly headers: Headers }
  /** The IP address of the client, as the server knows it. */
  readonly clientAddress?: string | undefined
  /** The event of the server below, with the request of Node where that is the server. */
  readonly nativeEvent?: unknown
}

/** What `latchkey/web` must know of an event beside its request. */
export const factsOf = (event: Pick<SolidEvent, 'clientAddress'>): WebRequestFacts => ({
  clientAddress: () => event.clientAddress,
})

/**
 * Sets cookies with the answer to an event. They are in the answer of SolidStart and not in one of our own, because
 * SolidStart loads the data of the next page with the cookies of that answer.
 */
export const setEventCookies = ({ response }: SolidEvent, cookies: readonly CookieChange[]): void =>
  setCookies(response.headers, cookies)

/** An event in a middleware of SolidStart. */
export interface MiddlewareEvent extends SolidEvent {
  /** Values of this request for the code behind the middleware. */
  readonly locals: object
}

/** The options of `createMiddleware` of `@solidjs/start/middleware`. */
export interface SessionMiddleware {
  onRequest(event: MiddlewareEvent): Promise<Response | undefined>
  onBeforeResponse(event: MiddlewareEvent, response: { readonly body?: unknown }): Response | undefined
}

/**
 * A middleware that puts the session into `event.locals.session`, null when nobody is signed in, and renews it when it
 * is time: `export default createMiddleware(authSession(config))`.
 *
 * @throws {AuthError} at once, when a configuration given as an object cannot work
 */
export function authSession(config: SolidAuthSource): SessionMiddleware {
  return middleware(config, 'authSession(config)', async (auth, event) => {
    const { session, cookies } = await auth.forRequest(event.request, factsOf(event)).renewSession()
    attach(event, session)
    setEventCookies(event, cookies)
    return undefined
  })
}

/**
 * A guard, and everything that {@link authSession} does: lets a request through when the `authorized` callback does, by
 * default when somebody is signed in. Otherwise a browser that navigates is sent to the sign-in page, and everything
 * else gets 401 with JSON. After a fault nobody passes. The mount always passes. Server functions have their own path,
 * `/_server`, on whatever page they are called. The callback is asked about this path for every request that runs one.
 *
 * @throws {AuthError} at once, when a configuration given as an object cannot work
 */
export function requireAuth(config: SolidAuthSource): SessionMiddleware {
  return middleware(config, 'requireAuth(config)', async (auth, event) => {
    const { session, cookies, response } = await auth
      .forRequest(event.request, { ...factsOf(event), ...routeOf(event) })
      .guard()
    if (response !== null) return response
    attach(event, session)
    setEventCookies(event, cookies)
    return undefined
  })
}

/** SolidStart 2 would prefer the header of its own answer, which is ours, to that of the answer of an API route. */
function withdrawDefault({ response: { headers } }: SolidEvent): void {
  if (headers.get('cache-control') === NO_STORE['cache-control']) headers.delete('cache-control')
}

type Work = (auth: WebAuth, event: MiddlewareEvent) => Promise<Response | undefined>

function middleware(config: SolidAuthSource, call: string, work: Work): SessionMiddleware {
  const authOf = prepareAuth(config, call)
  return {
    async onRequest(event) {
      const auth = await authOf(event.request)
      const path = new URL(event.request.url).pathname
      if (routedPath(event) !== path) return new Response('The path of the request is not clear.', { status: 400 })
      if (auth.isServed(path)) return undefined
      // Before anything is read, because the answer to a fault depends on the visitor, too.
      varyByVisitor(responseHeaders(event.response.headers))
      return work(auth, event)
    },
    onBeforeResponse(event, { body }) {
      // A page or an API route may have asked caches to keep its answer, after the cookies were set.
      if (!setsCookies(event.response.headers)) {
        if (body instanceof Response && saysCaching(responseHeaders(body.headers))) withdrawDefault(event)
        return undefined
      }
      keepOutOfSharedCaches(responseHeaders(event.response.headers))
      return body instanceof Response ? outOfSharedCaches(body) : undefined
    },
  }
}

/**
 * The path that SolidStart 1 routes by: it takes it from the request of Node as it came, and a URL has resolved its dots.
 * SolidStart 2 routes by the path of the URL.
 */
function routedPath({ request, nativeEvent }: MiddlewareEvent): string {
  const { pathname } = new URL(request.url)
  const { node } = (nativeEvent ?? {}) as {
    readonly node?: { readonly req?: { readonly originalUrl?: string; readonly url?: string } }
  }
  const target = node?.req?.originalUrl ?? node?.req?.url
  return target === undefined ? pathname : (target.split('?', 1)[0] ?? '')
}

const SERVER_FUNCTIONS = '_server'

/**
 * SolidStart runs a server function for every path that only begins like theirs: `/_serverless`, `/_server/x`, and in
 * SolidStart 1, which decodes the path, `/%5fserver`.
 */
function routeOf({ request }: MiddlewareEvent): WebRequestFacts {
  const segments = new URL(request.url).pathname.split('/')
  const at = segments.findIndex((segment) => (decodedText(segment) ?? segment).startsWith(SERVER_FUNCTIONS))
  return at < 0 ? {} : { routedAs: [...segments.slice(0, at), SERVER_FUNCTIONS].join('/') }
}

const setsCookies = (headers: Headers): boolean => headers.get('set-cookie') !== null

function attach({ locals }: MiddlewareEvent, session: CurrentSession | null): void {
  Object.assign(locals, { session })
}
