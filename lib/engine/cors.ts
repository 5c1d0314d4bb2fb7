import type { Visit } from '../context/visit.js'
import type { ResponseInternal } from '../http/answer.js'
import { CROSS_SITE_FIX, isForOtherSites } from '../http/cookies.js'
import { isFirstTime } from '../logging/repeats.js'

/** Seconds that a browser may remember a preflight: a front end that is not listed any more is refused without it, too. */
const PREFLIGHT_LIFETIME = '600'

/** Whether a browser asks if a page of a front end may send a request (Fetch §3.3.2). */
export const isPreflight = ({ method, header, fromFrontEnd }: Visit): boolean =>
  fromFrontEnd && method === 'OPTIONS' && header('access-control-request-method') !== undefined

/**
 * The answer to a preflight. It is the same for every path of the mount, so that a page can read why a request is refused.
 * `Authorization` is not allowed: a bearer token is for programs.
 */
export const PREFLIGHT_ANSWER: ResponseInternal = {
  status: 204,
  headers: {
    'access-control-allow-methods': 'GET, HEAD, POST',
    'access-control-allow-headers': 'Content-Type, X-Auth-Return-Redirect',
    'access-control-max-age': PREFLIGHT_LIFETIME,
  },
}

/**
 * Lets pages of front ends read an answer, with the cookies of the visitor. They read no page of the mount, such as the one
 * that asks whether an account shall be added. With `origins`, every answer depends on the sender, also for a cache.
 *
 * @see Fetch §3.3.3 (Access-Control-Allow-Credentials), RFC 9110 §12.5.5 (Vary)
 */
export function readableByFrontEnds(answer: ResponseInternal, visit: Visit): ResponseInternal {
  const { config, header, fromFrontEnd } = visit
  if (config.origins === null) return answer
  warnAboutOtherSite(visit)
  const headers = new Headers(answer.headers)
  headers.append('vary', 'Origin')
  if (fromFrontEnd && !headers.get('content-type')?.startsWith('text/html')) {
    headers.set('access-control-allow-origin', header('origin') ?? '')
    headers.set('access-control-allow-credentials', 'true')
  }
  return { ...answer, headers }
}

/** Only the browser knows for certain what a site is, and without a configured URL nothing is known at the start. */
function warnAboutOtherSite({ config, header, fromFrontEnd, specs, source }: Visit): void {
  if (!fromFrontEnd || header('sec-fetch-site') !== 'cross-site') return
  if (isForOtherSites(specs.sessionToken.attributes) || !isFirstTime(config, 'cross-site-cookies')) return
  const cookies = ['sessionToken', 'csrfToken']
  config.logger.warn('cross-site-cookies', { origins: [header('origin')], cookies, fix: CROSS_SITE_FIX }, source)
}
