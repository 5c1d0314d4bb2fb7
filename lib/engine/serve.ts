import type { ResponseInternal } from '../kernel/answer.js'
import type { MaybePromise } from '../kernel/awaitable.js'
import { CROSS_SITE_FIX, isForOtherSites } from '../kernel/cookies.js'
import { isSafeMethod } from '../kernel/csrf.js'
import { traced } from '../kernel/diagnostics.js'
import { AuthError, withoutDetails } from '../kernel/errors.js'
import type { Incoming } from '../kernel/incoming.js'
import { isFirstTime, noteSubject } from '../kernel/logger.js'
import type { Banner } from '../pages/view.js'
import { isOAuthProvider } from '../providers/provider.js'
import { currentSessionOf } from '../sessions/session.js'
import type { Config } from '../sign-in/config.js'
import { checkCsrfToken, checkSender, refuseOtherSites } from '../sign-in/csrf-token.js'
import { type Points, pointsIn } from '../sign-in/feature.js'
import type { Outcome, Redirection } from '../sign-in/outcome.js'
import { lookAtSession, type Mount, Visit } from '../sign-in/visit.js'
import { outcomeOfError, reportFailure } from './outcome-of-error.js'
import { cookiesFor, respond } from './respond.js'
import { findRoute, type Matched, matchRoute, type RouteFound, type SubmitOptions } from './routes.js'

/** Answers a request to the mount. Never throws. */
export async function serve(incoming: Incoming, mount: Mount, config: Config): Promise<ResponseInternal> {
  const visit = new Visit(incoming, mount, config)
  const found = findRoute(visit.path, mount.basePath)
  const { answer } = await traced(
    'latchkey:action',
    () => ({ method: visit.method, action: found.action, ...providerNamed(visit, found) }),
    () => answerOrRefuse(visit, found),
    ({ answer: { status }, error }) => ({ status, ...(error !== null && { error }) }),
  )
  return readableByFrontEnds(answer, visit)
}

/** The provider that the path names, if it is configured: anybody can write any other name. */
function providerNamed({ config }: Visit, { providerId }: RouteFound): { provider?: string } {
  return providerId !== null && config.providers.has(providerId) ? { provider: providerId } : {}
}

/** The answer, and the type of the error that it is about; null for none. */
async function answerOrRefuse(
  visit: Visit,
  found: RouteFound,
): Promise<{ answer: ResponseInternal; error: string | null }> {
  if (isPreflight(visit) && visit.problem === null) return { answer: PREFLIGHT_ANSWER, error: null }
  try {
    return { answer: await answerWith(await runAction(visit, found), visit), error: null }
  } catch (error) {
    const type = error instanceof AuthError ? error.type : 'AuthError'
    return { answer: await answerFailure(error, visit, found), error: type }
  }
}

/** Checks a request, and runs its action. */
function runAction(visit: Visit, found: RouteFound): Promise<Outcome> {
  const matched = matchRoute(visit, found)
  noteSubject(visit.source, found.action, matched.provider?.id)
  return limited(visit, matched)
}

/** Reads the body, and runs the action, if the limits allow the try. What cannot be read was tried as well. */
async function limited(visit: Visit, matched: Matched): Promise<Outcome> {
  const { action, provider, limit, needsCsrf, whileActing } = matched
  const { acting } = visit.sessions
  if (acting && !whileActing) await acting.refuse(visit)
  if (needsCsrf) refuseOtherSites(visit)
  const { mayTry } = pointsIn(visit.config)
  const onceRead = limit === null ? undefined : await mayTry?.(visit, limit)
  await visit.readBody(provider)
  if (needsCsrf) checkCsrfToken(visit)
  return (onceRead && (await onceRead())) ?? action(visit)
}

/** The answer, with the cookies to keep. A page has what a feature says above it. */
function answerWith(outcome: Outcome, visit: Visit): MaybePromise<ResponseInternal> {
  const kept = withKept(outcome, visit)
  const { banner } = pointsIn(visit.config)
  if (kept.kind !== 'page' || !banner || !visit.sessions.acting?.isBrought(visit)) return respond(kept, visit)
  return bannerOn(visit, banner).then((banner) =>
    respond(banner ? { ...kept, view: { ...kept.view, banner } } : kept, visit),
  )
}

async function bannerOn(visit: Visit, banner: NonNullable<Points['banner']>): Promise<Banner | null> {
  const reading = await lookAtSession(visit, 'read')
  const session = reading && currentSessionOf(reading)
  return session && banner(session, visit.mountUrl)
}

/** What the action itself says of a cookie counts. */
const withKept = (outcome: Outcome, { keep }: Visit): Outcome => ({
  ...outcome,
  cookies: [...keep.cookies, ...outcome.cookies],
})

/** The answer also if the page of the failure cannot be made. */
async function answerFailure(error: unknown, visit: Visit, found: RouteFound): Promise<ResponseInternal> {
  try {
    return await answerWith(await outcomeOfError(error, visit, found), visit)
  } catch (second) {
    const fault = new AuthError('The page of a failure could not be made.', { err: withoutDetails(second) })
    visit.config.logger.error(fault, visit.source)
    return { status: 500, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: 'Something went wrong.' }
  }
}

/**
 * Does what a posted form of the mount does, for code of the application.
 *
 * @throws {AuthError} what a visitor would see on a page; it is in the log
 */
export async function submit(
  incoming: Incoming,
  mount: Mount,
  config: Config,
  { method, onFailure }: SubmitOptions,
): Promise<Redirection> {
  const visit = new Visit(incoming, mount, config, { mayBeForged: isSafeMethod({ method }) })
  const found = findRoute(visit.path, mount.basePath)
  try {
    return await redirection(visit, found, method)
  } catch (thrown) {
    const error = reportFailure(thrown, visit, found)
    onFailure?.(cookiesFor(visit, visit.keep))
    throw error
  }
}

async function redirection(visit: Visit, found: RouteFound, method: string | undefined): Promise<Redirection> {
  const matched = matchRoute(visit, found)
  const { provider } = matched
  noteSubject(visit.source, found.action, provider?.id)
  // Without a provider the visitor is only sent to the sign-in page, which has forms of its own. Other providers than those of OAuth
  // could sign the visitor in with credentials of somebody else, or send mails.
  const isOpen = found.action === 'signin' && (provider === null || (visit.mayBeForged && isOAuthProvider(provider)))
  const { config, header, origin, source } = visit
  if (!isOpen) checkSender({ config, header, origin, source, method })
  // The sender was checked in place of a token.
  const outcome = await limited(visit, { ...matched, needsCsrf: false })
  if (outcome.kind === 'redirect') {
    const { to: url, fault } = outcome
    return { url, cookies: cookiesFor(visit, withKept(outcome, visit)), ...(fault && { fault }) }
  }
  throw new AuthError(`The action ${found.action} cannot be done by code: it asks the visitor first.`)
}

/** Seconds that a browser may remember a preflight: a front end that is not listed any more is refused without it, too. */
const PREFLIGHT_LIFETIME = '600'

/** Whether a browser asks if a page of a front end may send a request (Fetch §3.3.2). */
const isPreflight = ({ method, header, fromFrontEnd }: Visit): boolean =>
  fromFrontEnd && method === 'OPTIONS' && header('access-control-request-method') !== undefined

/**
 * The answer to a preflight. It is the same for every path of the mount, so that a page can read why a request is refused.
 * `Authorization` is not allowed: a bearer token is for programs.
 */
const PREFLIGHT_ANSWER: ResponseInternal = {
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
function readableByFrontEnds(answer: ResponseInternal, visit: Visit): ResponseInternal {
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
