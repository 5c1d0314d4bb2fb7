import { keepForm, leadsToSignIn } from '../actions/kept-form.js'
import { lookAtSession } from '../actions/look-at-session.js'
import type { Config } from '../config/config.js'
import { type ActionContext, actionContext } from '../context/action-context.js'
import { checkCsrfToken, checkSender } from '../context/csrf-token.js'
import type { Redirection } from '../context/outcome.js'
import { type Mount, type MountRequest, readRequest, wantsPage } from '../context/read-request.js'
import { AuthError, MissingCSRF, withoutDetails } from '../errors.js'
import { FlowFailure } from '../flows/flow-failure.js'
import { isRemembered } from '../flows/remember-field.js'
import { NO_FIELDS } from '../http/body.js'
import { isSafeMethod } from '../http/csrf.js'
import type { Incoming } from '../http/incoming.js'
import type { ResponseInternal } from '../http/response-internal.js'
import { parseTarget } from '../http/return-target.js'
import { noteSubject } from '../logger.js'
import { traced } from '../logging/diagnostics.js'
import type { AuthAction } from './action-names.js'
import { isPreflight, PREFLIGHT_ANSWER, readableByFrontEnds } from './cors.js'
import { matchRoute } from './match-route.js'
import { outcomeOfError, reportFailure } from './outcome-of-error.js'
import { cookiesFor, respond } from './respond.js'
import { findRoute, type RouteFound } from './routes.js'
import { leadsToProvider, type SubmitOptions } from './submit-options.js'

/** Answers a request to the mount. Never throws. */
export async function serve(incoming: Incoming, mount: Mount, config: Config): Promise<ResponseInternal> {
  const request = readRequest(incoming, mount, config)
  const found = findRoute(request.path, mount.basePath)
  const { answer } = await traced(
    'latchkey:action',
    () => ({ method: request.method, action: found.action, ...providerNamed(request, found) }),
    () => answerOrRefuse(request, found),
    ({ answer: { status }, error }) => ({ status, ...(error !== null && { error }) }),
  )
  return readableByFrontEnds(answer, request)
}

/** The provider that the path names, if it is configured: anybody can write any other name. */
function providerNamed({ config }: MountRequest, { providerId }: RouteFound): { provider?: string } {
  return providerId !== null && config.providers.has(providerId) ? { provider: providerId } : {}
}

/** The answer, and the type of the error that it is about; null for none. */
async function answerOrRefuse(
  request: MountRequest,
  found: RouteFound,
): Promise<{ answer: ResponseInternal; error: string | null }> {
  try {
    return { answer: await runAction(request, found), error: null }
  } catch (error) {
    return { answer: await answerFailure(error, request, found.action), error: typeOfError(error) }
  }
}

function typeOfError(thrown: unknown): string {
  const error = thrown instanceof FlowFailure ? thrown.cause : thrown
  return error instanceof AuthError ? error.type : 'AuthError'
}

/** Checks a request, runs its action, and makes the answer of the outcome. */
async function runAction(request: MountRequest, found: RouteFound): Promise<ResponseInternal> {
  if (isPreflight(request) && request.problem === null) return PREFLIGHT_ANSWER
  const { action, provider, needsCsrf } = matchRoute(request, found)
  noteSubject(request.source, found.action, provider?.settings.id)
  const fields = request.method === 'POST' ? await request.incoming.fields() : NO_FIELDS
  const context = actionContext(request, fields, provider)
  return leadingBack(context, found.action, async () => {
    if (needsCsrf) checkCsrfToken(request, fields)
    return respond(await action(context), request)
  })
}

/** Actions whose forms are in pages for signed-in visitors. The page of their failure leads back there. */
const OF_SIGNED_IN: ReadonlySet<AuthAction | null> = new Set(['accounts', 'sessions', 'link'])

/**
 * Runs the work for a posted form. If it fails, the page of the failure leads back to the return target that the form names.
 *
 * @throws {FlowFailure} with this target, if a page is shown that uses it, and with the cookies that keep what the visitor has
 *   entered; the error itself, if there is neither
 */
async function leadingBack<T>(context: ActionContext, action: AuthAction | null, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const { fields, origin } = context
    const namesTarget = parseTarget(fields['callbackUrl'], origin) !== null
    const isOfSignedIn = OF_SIGNED_IN.has(action)
    const kept = isOfSignedIn ? [] : await keepForm(context, error)
    const isShownAgain = isOfSignedIn || error instanceof MissingCSRF || leadsToOwnSignIn(context, error)
    if (!namesTarget || !isShownAgain || !wantsPage(context)) {
      throw kept.length === 0 ? error : new FlowFailure(error, kept)
    }
    // If the `redirect` callback throws, the first error counts.
    const target = await context.returnTarget().catch(() => undefined)
    if (!isOfSignedIn) throw new FlowFailure(error, kept, { isRemembered: isRemembered(fields), returnTarget: target })
    // A sign-out replaces the CSRF token, so a form from before it has a wrong one.
    const reading = error instanceof MissingCSRF ? await lookAtSession(context) : null
    const isSignedOut = reading !== null && reading.session === null
    throw new FlowFailure(error, reading?.cookies ?? [], { backUrl: target, isSignedOut })
  }
}

/** Whether a failure leads to a sign-in page of the application, which cannot read the cookie that has the return target. */
const leadsToOwnSignIn = ({ urls }: ActionContext, error: unknown): boolean =>
  urls.ownPage('signIn') !== undefined && leadsToSignIn(error)

/** The answer if even the page of the failure cannot be made. */
async function answerFailure(
  error: unknown,
  request: MountRequest,
  action: AuthAction | null,
): Promise<ResponseInternal> {
  try {
    return await respond(outcomeOfError(error, request, action), request)
  } catch (second) {
    const fault = new AuthError('The page of a failure could not be made.', { err: withoutDetails(second) })
    request.config.logger.error(fault, request.source)
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
  const request = readRequest(incoming, mount, config)
  try {
    return await redirection(
      { ...request, mayBeForged: isSafeMethod({ method }) },
      findRoute(request.path, mount.basePath),
      method,
    )
  } catch (error) {
    const failure = reportFailure(error, request)
    onFailure?.(cookiesFor(request, failure))
    throw failure.error
  }
}

async function redirection(request: MountRequest, found: RouteFound, method: string | undefined): Promise<Redirection> {
  const { action, provider } = matchRoute(request, found)
  noteSubject(request.source, found.action, provider?.settings.id)
  // Without a provider the visitor is only sent to the sign-in page, which has forms of its own.
  const isOpen = found.action === 'signin' && (provider === null || (request.mayBeForged && leadsToProvider(provider)))
  if (!isOpen) checkSender({ ...request, method })
  const outcome = await action(actionContext(request, await request.incoming.fields(), provider))
  if (outcome.kind === 'redirect') {
    const { to: url, fault } = outcome
    return { url, cookies: cookiesFor(request, outcome), ...(fault && { fault }) }
  }
  throw new AuthError(`The action ${found.action} cannot be done by code: it asks the visitor first.`)
}
