import { FEATURES } from '../compose.js'
import { NO_STORE } from '../kernel/answer-headers.js'
import { comesWithBearer } from '../kernel/bearer-token.js'
import { repeatedParameter } from '../kernel/body.js'
import type { CookieChange } from '../kernel/cookies.js'
import { RequestRefused } from '../kernel/errors.js'
import type { ResolvedProvider } from '../providers/provider.js'
import { type Feature, formRoute, type Route } from '../sign-in/feature.js'
import { type CountedKind, type Flow, flowOf } from '../sign-in/flow.js'
import { postLanguage } from '../sign-in/language.js'
import { file } from '../sign-in/outcome.js'
import {
  getCsrfToken,
  getSession,
  getSessions,
  listProviders,
  postRevokeSessions,
  postSession,
} from '../sign-in/session-actions.js'
import { callback } from '../sign-in/sign-in.js'
import { enterMount, postSignIn, showError, showSignIn } from '../sign-in/sign-in-page.js'
import { postSignOut, showSignOut } from '../sign-in/sign-out.js'
import type { Action, Visit } from '../sign-in/visit.js'
import { type AuthAction, FILES, isAuthAction } from './action-names.js'

const sessionFails = { asJson: 503, leadsBack: true, again: 'EndSessions' } as const

/** The paths that need no feature. */
const CORE: Readonly<Record<string, Route>> = {
  callback: {
    GET: callback,
    getHasEffect: true,
    POST: callback,
    takesProvider: true,
    csrf: 'by-provider',
    limit: 'at-finish',
    fails: { isSignIn: true },
  },
  csrf: { GET: getCsrfToken },
  error: { GET: showError, fails: { asPage: true } },
  // The language of the browser, whoever is signed in.
  language: { POST: postLanguage, whileActing: ['POST'], isServedBy: ({ renderer }) => renderer.languages.length > 0 },
  providers: { GET: listProviders, bearer: ['GET'] },
  session: { GET: getSession, getHasEffect: true, POST: postSession, whileActing: ['GET'], bearer: ['GET'] },
  sessions: formRoute({
    GET: getSessions,
    bearer: ['GET'],
    fails: sessionFails,
    below: { revoke: { POST: postRevokeSessions, bearer: ['POST'], fails: sessionFails } },
  }),
  // A sign-in request may repeat parameters that it passes on to the provider (RFC 8707 §2, `resource`).
  signin: {
    GET: showSignIn,
    POST: postSignIn,
    takesProvider: true,
    mayRepeatParameters: true,
    limit: 'at-start',
    fails: { asPage: true, isSignIn: true },
  },
  signout: {
    GET: showSignOut,
    POST: postSignOut,
    takesProvider: true,
    whileActing: ['GET', 'POST'],
    bearer: ['POST'],
    fails: { asPage: true },
  },
}

/** A route, and those below, which only those configurations serve that serve their feature. */
function ofFeature(feature: Feature, route: Route): Route {
  const { isServedBy = () => true } = feature
  const { below = {}, isServedBy: isServed = () => true } = route
  return {
    ...route,
    isServedBy: (config) => isServedBy(config) && isServed(config),
    below: Object.fromEntries(Object.entries(below).map(([segment, each]) => [segment, ofFeature(feature, each)])),
  }
}

const ROUTES: Readonly<Record<string, Route>> = Object.assign(
  {},
  CORE,
  ...FEATURES.map((each) => ofFeature(each, { below: each.routes ?? {} }).below),
)

/** The mount itself. It is no action, so it has no name that clients use. */
const MOUNT: Route = { GET: enterMount }

/** The meaning of a path under the mount. */
export interface RouteFound {
  /** Null for a script, for the mount itself, and for a path that is not served. */
  readonly action: AuthAction | null
  readonly providerId: string | null
  /** Null if the path is not served. */
  readonly route: Route | null
}

const NOTHING: RouteFound = { action: null, providerId: null, route: null }

/**
 * Finds the meaning of a path. It never throws.
 *
 * @param basePath of the mount, without a trailing slash
 */
export function findRoute(path: string, basePath: string): RouteFound {
  if (basePath !== '' && path !== basePath && !path.startsWith(`${basePath}/`)) return NOTHING
  const below = path.slice(basePath.length)
  // A mount at the root has no path of its own: `/` is the first page of the application.
  if (basePath !== '' && /^\/*$/.test(below)) return { ...NOTHING, route: MOUNT }
  const file = FILES.find(({ path }) => path.test(below))
  if (file) return { ...NOTHING, route: file.route }
  const [action, providerId = null, ...more] = below.split('/').filter(Boolean)
  if (action === undefined || more.length > 0 || !isAuthAction(action)) return NOTHING
  const route = ROUTES[action]
  if (route === undefined) return NOTHING
  if (providerId !== null && route.below && Object.hasOwn(route.below, providerId)) {
    return { action, providerId: null, route: route.below[providerId] ?? null }
  }
  // Some clients send "undefined" if they have no provider. Auth.js treats it as a missing id.
  return { action, providerId: providerId === 'undefined' ? null : providerId, route }
}

/** What answers a request. */
export interface Matched {
  readonly action: Action
  readonly provider: ResolvedProvider | null
  /** Whether the request must bring a CSRF token. */
  readonly needsCsrf: boolean
  /** Whether it is done while somebody acts as the user. */
  readonly whileActing: boolean
  /** How a try is counted; null for not at all. */
  readonly limit: CountedKind | null
}

/**
 * What answers a request.
 *
 * @throws {AuthError} `problem` of the request
 * @throws {RequestRefused} 400 for a repeated parameter, 403 for a bearer token that may not do this, 404 for an unknown action
 *   or provider, 405 for a wrong method
 */
export function matchRoute(visit: Visit, found: RouteFound): Matched {
  const { config, method, incoming, problem } = visit
  const { route, providerId } = found
  if (problem) throw problem
  if (incoming.query.hasRepeatedNames && !(method === 'POST' && route?.mayRepeatParameters)) throw repeatedParameter()
  if (!route || route.isServedBy?.(config) === false || (providerId !== null && !route.takesProvider)) {
    throw new RequestRefused(404, 'There is no such action.')
  }
  const provider = providerId === null ? null : (config.providers.get(providerId) ?? null)
  if (providerId !== null && !provider) throw new RequestRefused(404, 'There is no such provider.')
  const flow = provider && flowOf(config, provider)
  const methods = methodsOf(found, route, flow)
  const action = methods.includes(method) ? route[method as 'GET' | 'POST'] : undefined
  if (!action) {
    throw new RequestRefused(405, 'That method is not for this action.', {
      allow: methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).join(', '),
    })
  }
  const isBearer = comesWithBearer(visit)
  if (isBearer && !route.bearer?.some((allowed) => allowed === method)) {
    throw new RequestRefused(403, 'A bearer token cannot do this. Send the request without the header Authorization.')
  }
  const isIdle = incoming.method === 'HEAD' && route.getHasEffect
  return {
    action: isIdle ? doNothing : action,
    limit: isIdle ? null : limitOf(route, flow, method),
    provider,
    whileActing: isServedWhileActing(route, flow, method),
    needsCsrf: method === 'POST' && !isBearer && needsCsrf(route, flow),
  }
}

function needsCsrf({ csrf = 'always' }: Route, flow: Flow | null): boolean {
  return csrf === 'by-provider' ? (flow?.callbackNeedsCsrf ?? false) : csrf === 'always'
}

/** A form that would be refused is not shown either. A provider sends to its callback itself, which may be for another deployment. */
const isServedWhileActing = (route: Route, flow: Flow | null, method: string): boolean =>
  route.whileActing?.some((allowed) => allowed === method) ??
  (method === 'GET' && !(route.POST && needsCsrf(route, flow)))

function limitOf({ limit }: Route, flow: Flow | null, method: string): CountedKind | null {
  const limits = limit === 'at-start' ? flow?.limits?.start : limit === 'at-finish' ? flow?.limits?.finish : limit
  return limits?.[method as 'GET' | 'POST'] ?? null
}

/** The answer to HEAD where GET has an effect. Its headers are those that do not depend on the visitor (RFC 9110 §9.3.2). */
const doNothing: Action = () => file(undefined, NO_STORE)

const methodsOf = ({ action }: RouteFound, route: Route, flow: Flow | null): readonly string[] =>
  action === 'callback' && flow ? flow.callbackMethods : (['GET', 'POST'] as const).filter((method) => route[method])

/** The request in whose place code of the application submits a form. */
export interface SubmitOptions {
  /**
   * Its method; undefined where the framework does not say it. Anybody may have caused a GET request, such as the author of
   * a link that the visitor has followed. Only a sign-in at a provider can begin with one, and it adds no account to the user
   * who is signed in.
   */
  readonly method: string | undefined
  /**
   * Called before the rejection, with the cookies that the answer to a failure must have: those of a session that was
   * renewed first, for instance. A `jwt` callback may have replaced what the cookie of the request holds.
   */
  readonly onFailure?: (cookies: readonly CookieChange[]) => void
}
