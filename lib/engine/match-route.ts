import { NO_STORE } from '../kernel/answer-headers.js'
import { repeatedParameter } from '../kernel/body.js'
import { RequestRefused } from '../kernel/errors.js'
import { comesWithBearer } from '../sign-in/bearer-request.js'
import type { ConfiguredProvider } from '../sign-in/config.js'
import type { Route } from '../sign-in/feature.js'
import { type Flow, flowOf } from '../sign-in/flow.js'
import { file } from '../sign-in/outcome.js'
import type { Action, Visit } from '../sign-in/visit.js'
import type { RouteFound } from './routes.js'

/** What answers a request. */
export interface Matched {
  readonly action: Action
  readonly provider: ConfiguredProvider | null
  /** Whether the request must bring a CSRF token. */
  readonly needsCsrf: boolean
}

/**
 * What answers a request.
 *
 * @throws {AuthError} `problem` of the request
 * @throws {RequestRefused} 400 for a repeated parameter, 403 for a bearer token that may not do this, 404 for an unknown action or provider, 405 for a wrong method
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
  return {
    action: incoming.method === 'HEAD' && route.getHasEffect ? doNothing : action,
    provider,
    needsCsrf: method === 'POST' && !isBearer && needsCsrf(route, flow),
  }
}

function needsCsrf({ csrf = 'always' }: Route, flow: Flow | null): boolean {
  return csrf === 'by-provider' ? (flow?.callbackNeedsCsrf ?? false) : csrf === 'always'
}

/** The answer to HEAD where GET has an effect. Its headers are those that do not depend on the visitor (RFC 9110 §9.3.2). */
const doNothing: Action = () => file(undefined, NO_STORE)

const methodsOf = ({ action }: RouteFound, route: Route, flow: Flow | null): readonly string[] =>
  action === 'callback' && flow ? flow.callbackMethods : (['GET', 'POST'] as const).filter((method) => route[method])
