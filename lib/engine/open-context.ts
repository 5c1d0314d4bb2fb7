import type { Action, ActionContext } from '../actions/action.js'
import { mapRedirect } from '../actions/elsewhere.js'
import { type MaybePromise, whenReady } from '../awaitable.js'
import type { Config, ConfiguredProvider } from '../config/config.js'
import { MissingCSRF, RequestRefused } from '../errors.js'
import { type BodyFields, NO_FIELDS } from '../http/body.js'
import { parseTarget } from '../http/callback-url.js'
import { isCrossSite } from '../http/csrf.js'
import type { Arrival } from './read-arrival.js'
import type { Route } from './routes.js'

/** What a request asks for, and with whom. */
export interface Matched {
  readonly action: Action
  readonly route: Route
  readonly provider: ConfiguredProvider | null
}

/**
 * What a request asks for.
 *
 * @throws {RequestRefused} 404 for an unknown action or provider, 405 for a wrong method
 */
export function matchRoute(arrival: Arrival, config: Config): Matched {
  if (arrival.problem) throw arrival.problem
  const { route } = arrival
  if (!route || route.isServedBy?.(config) === false || (arrival.providerId !== null && !route.takesProvider)) {
    throw new RequestRefused(404, 'There is no such action.')
  }
  const provider = arrival.providerId === null ? null : (config.providers.get(arrival.providerId) ?? null)
  if (arrival.providerId !== null && !provider) throw new RequestRefused(404, 'There is no such provider.')
  const action = methodsOf(route, provider, arrival).includes(arrival.method)
    ? route[arrival.method as 'GET' | 'POST']
    : undefined
  if (!action) {
    throw new RequestRefused(405, 'That method is not for this action.', {
      allow: methodsOf(route, provider, arrival)
        .flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
        .join(', '),
    })
  }
  return { action, route, provider }
}

const methodsOf = (route: Route, provider: ConfiguredProvider | null, { action }: Arrival): readonly string[] =>
  action === 'callback' && provider
    ? provider.flow.callbackMethods
    : (['GET', 'POST'] as const).filter((method) => route[method])

/**
 * Everything an action needs: the body, checked for its CSRF token, and the return target. There is no promise where nothing has to be waited for.
 *
 * @throws {MissingCSRF} when a form of ours came without its token, or from another site
 */
export function openContext(
  arrival: Arrival,
  { route, provider }: Matched,
  config: Config,
): MaybePromise<ActionContext> {
  const { incoming, scheme, urls, cookies, query, rawQuery, method } = arrival
  const needsCsrf = method === 'POST' && (route.csrf === 'always' || (provider?.flow.callbackNeedsCsrf ?? false))
  return whenReady(method === 'POST' ? incoming.fields() : NO_FIELDS, (fields) => {
    if (needsCsrf) checkCsrf(arrival, fields, config)
    return whenReady(resolveCallbackUrl(arrival, fields, config), (callbackUrl) => {
      const { header, client } = incoming
      const { origin } = urls
      return {
        config,
        incoming,
        scheme,
        urls,
        origin,
        header,
        client,
        cookies,
        query,
        rawQuery,
        fields,
        provider,
        callbackUrl,
      }
    })
  })
}

function checkCsrf({ incoming, urls, cookies, scheme }: Arrival, fields: BodyFields, config: Config): void {
  if (!config.csrf) return
  if (isCrossSite(incoming.header, urls.origin)) {
    config.logger.warn('cross-site-post', { publicOrigin: urls.origin, sender: incoming.header('origin') ?? null })
    throw new MissingCSRF(
      `The browser says that another site sent the form; this one is ${urls.origin}. If that is not its public origin, set AUTH_URL.`,
    )
  }
  if (!config.csrf.verify(cookies, scheme.specs.csrfToken, fields['csrfToken'])) {
    const isOfOther = config.csrf.mayBeOfOtherSecret(cookies, scheme.specs.csrfToken)
    throw new MissingCSRF(
      isOfOther ? OTHER_SECRET : 'The CSRF token of the form is missing, or is not that of the cookie.',
    )
  }
}

const OTHER_SECRET = 'The CSRF cookie was made with a secret that this process does not have.'

/**
 * The first usable candidate of body, query and cookie, as the `redirect` callback maps it. Unusable ones count as absent.
 * The origin when there is none, or when the callback gives what is no http(s) URL.
 */
function resolveCallbackUrl(
  { urls, query, cookies, scheme }: Arrival,
  fields: BodyFields,
  config: Config,
): MaybePromise<string> {
  const { origin } = urls
  const candidate = [fields['callbackUrl'], query['callbackUrl'], cookies.get(scheme.specs.callbackUrl.name)].find(
    (value): value is string => parseTarget(value, origin) !== null,
  )
  if (candidate === undefined) return origin
  return whenReady(mapRedirect(config, candidate, origin), (target) => {
    if (target === null) config.logger.warn('redirect-refused', { reason: 'the redirect callback gave no http(s) URL' })
    return target ?? origin
  })
}
