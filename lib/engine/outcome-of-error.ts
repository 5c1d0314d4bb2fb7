import { isOutage, isRefusedValue } from '../adapters/failures.js'
import type { FailurePage } from '../kernel/answer.js'
import { RETRY_AFTER } from '../kernel/answer-headers.js'
import { comesWithBearer } from '../kernel/bearer-token.js'
import { isCrossSite } from '../kernel/csrf.js'
import {
  AccessDenied,
  type AuthError,
  CredentialsSignin,
  EmailSignInError,
  isVisitors,
  MissingCSRF,
  ownError,
  RecentSignInRequired,
  RequestRefused,
  ruleOf,
  SessionChanged,
  UntrustedHost,
} from '../kernel/errors.js'
import { textOf } from '../kernel/json-object.js'
import { parseReturnTarget, parseTarget } from '../kernel/return-target.js'
import { doingOf } from '../oauth/faults.js'
import { CODE_OF_DOING, UNUSABLE_ID } from '../oauth/refusals.js'
import { siteOf, withParams } from '../pages/action-urls.js'
import { errorPage, refusalPage, signedOutMeanwhilePage } from '../pages/error.js'
import { isRemembered as isRememberedIn, REMEMBER_FIELD, TICKED } from '../pages/form-field.js'
import { keptValues } from '../pages/provider-forms.js'
import type { ErrorView } from '../pages/view.js'
import { parseAddress } from '../providers/mail/address.js'
import { takenAddressNote } from '../sign-in/address-hint.js'
import { csrfTokenOf } from '../sign-in/csrf-token.js'
import type { Failure, FailureRule } from '../sign-in/feature.js'
import { homeOf } from '../sign-in/find-return-target.js'
import { happened } from '../sign-in/happened.js'
import { type EnteredValues, FORGOTTEN, type Note } from '../sign-in/note.js'
import { json, type Outcome, page, redirect } from '../sign-in/outcome.js'
import { lookAtSession, type Visit } from '../sign-in/visit.js'
import { NO_SIGN_UP } from '../users/ask-sign-up.js'
import { type AuthAction, isServedPath } from './action-names.js'
import { CONFIGURATION_MESSAGE } from './misconfigured.js'
import type { RouteFound } from './routes.js'

/** A request that failed, and the action that its path names, if any. */
interface Failed extends FailurePage, LedBack {
  readonly visit: Visit
  readonly action: AuthAction | null
  readonly rule: FailureRule
}

/**
 * Logs an error, and turns it into the answer of the mount. What an action throws ends here, and nowhere else. Guards
 * have answers of their own, in `frameworks/web/guard-answers.ts`. No answer made here signs anybody in.
 */
export async function outcomeOfError(thrown: unknown, visit: Visit, found: RouteFound): Promise<Outcome> {
  const { action, route } = found
  const rule = route?.fails ?? {}
  const error = reportFailure(thrown, visit, found)
  const { page } = visit.keep
  const outcome = await answerTo(error, { visit, action, rule, ...page, ...(await leadBack(visit, rule, error)) })
  return { ...outcome, cookies: [...(page.wayBack ?? []), ...outcome.cookies] }
}

/** Logs what an action threw, and tells of a sign-in that failed. */
export function reportFailure(thrown: unknown, visit: Visit, { route, providerId }: RouteFound): AuthError {
  const { config, source, keep } = visit
  const { logger } = config
  const error = ownError(thrown, 'Something threw.')
  if (isOfClosedConnection(error)) logger.debug('client-left', { reason: error.message }, source)
  else logger.error(error, source)
  const kind = failureKind(error, route)
  // Anybody can write the name of a provider that there is none of.
  const provider = providerId !== null && config.providers.has(providerId) ? providerId : undefined
  if (kind) happened.failed(visit, { kind, reason: error.type, userId: keep.page.userId ?? null, provider })
  return error
}

/**
 * What a failure is for who hears of it; null for what is no sign-in, or no request that anything could be done with: a form of another
 * site, or one that its own sender has overtaken, with a passkey or in another tab, says nothing of who they are.
 */
function failureKind(error: AuthError, route: RouteFound['route']): Failure['kind'] | null {
  if (error instanceof RequestRefused) return error.status === 429 ? 'limit-reached' : null
  if (error instanceof MissingCSRF) return null
  return route?.fails?.isSignIn ? 'sign-in-failed' : null
}

/** The client has closed the connection: nobody reads the answer, which says no time to try again, and nothing went wrong. */
const isOfClosedConnection = (error: AuthError) =>
  error instanceof RequestRefused && error.status === 503 && error.headers['retry-after'] === undefined

async function answerTo(error: AuthError, failed: Failed): Promise<Outcome> {
  const { visit, action, rule, backUrl } = failed
  if (error instanceof RequestRefused) return refusal(error, visit, { rule, backUrl })
  if (error instanceof UntrustedHost) return configurationFault(failed)
  if (action === 'session') {
    return error instanceof MissingCSRF ? json(null, [], 400) : { ...json(null, [], 503), headers: RETRY_AFTER }
  }
  if (rule.asJson && !visit.wantsPage) return faultAsJson(error, rule.asJson)
  if (error.type === 'UnknownAction') return refusal(new RequestRefused(404, error.message), visit)
  const { page: kind, shownAs } = ruleOf(error)
  if (comesWithBearer(visit)) return json({ error: shownAs }, [], 500)
  const params = { error: shownAs, code: codeOf(error, rule) }
  // If a page of the mount fails, there is no redirect to another page of the mount, which may fail too and redirect again.
  if (isPage(failed)) {
    const own = ownErrorPage(visit, params)
    return own === null ? page(errorPage({ ...params, ...waysFrom(visit) })) : redirect(own)
  }
  // Whoever is signed in has nothing to do on the sign-in page.
  if (error instanceof MissingCSRF && backUrl !== undefined && action !== 'link')
    return page(refusedForm(failed, backUrl))
  const linkTarget = kind === 'signIn' ? targetOfLink(error, failed, params) : null
  if (linkTarget !== null) return redirect(linkTarget)
  return toPage(error, failed, params)
}

/**
 * The redirect to the page that shows an error. The built-in sign-in page gets in a note what the visitor wanted; a page of the
 * application, which cannot read the note, gets some of it in its address.
 */
async function toPage(
  error: AuthError,
  failed: Failed,
  params: { readonly error: string; readonly code: string | undefined },
): Promise<Outcome> {
  const { visit, returnTarget, isRemembered } = failed
  const { config, urls, fields } = visit
  const target = error instanceof MissingCSRF && isSignOutForm(failed) ? 'signOut' : ruleOf(error).page
  if (target === 'error') return redirect(urls.errorTarget(target, params))
  const isSignIn = target === 'signIn'
  const asked = isSignIn && config.asksToRemember && (isRemembered || isRememberedIn(fields))
  const to = error instanceof SessionChanged ? returnTarget : await formTarget(visit)
  if (!isSignIn || urls.ownPage('signIn') !== undefined) {
    return redirect(
      urls.errorTarget(target, { ...params, ...(asked && { [REMEMBER_FIELD]: TICKED }), callbackUrl: to }),
    )
  }
  // A form of another site chooses nothing of what the visitor sees here.
  const isOfOtherSite = visit.method === 'POST' && isCrossSite(visit.header, visit.origin)
  const chosen = isOfOtherSite
    ? {}
    : {
        entered: visit.wantsPage ? enteredIn(visit) : undefined,
        isRemembered: asked || undefined,
        returnTarget: to,
        // What they have to do is still so after a wrong password.
        again: config.notes.take(visit, FORGOTTEN).note?.again,
      }
  const note: Note = {
    about: params.error,
    taken: await takenAddressNote(visit, error),
    ...chosen,
    returnTarget: chosen.returnTarget ?? returnTarget,
  }
  return redirect(urls.errorTarget(target, params), config.notes.leave(visit, note))
}

/** The page for a form of a signed-in visitor without a good CSRF token. */
function refusedForm({ visit: { urls }, isSignedOut }: Failed, backUrl: string): ErrorView {
  if (!isSignedOut) return refusalPage({ status: 403, backUrl, signInUrl: null })
  return signedOutMeanwhilePage({
    signInUrl: urls.signInPage(backUrl),
  })
}

/**
 * The visitor is still signed in, and can press the button of the sign-out page again. A script gets the error instead.
 */
const isSignOutForm = ({ action, visit }: Failed) =>
  action === 'signout' && visit.header('x-auth-return-redirect') === undefined

/**
 * Where the visitor goes whose link failed: to the page of the link, which says why; or, if they have to sign in, to the
 * sign-in page, which leads back there. Null for anything else.
 */
function targetOfLink(
  error: AuthError,
  { visit, action, linkPage }: Failed,
  params: { error: string; code: string | undefined },
): string | null {
  const { urls, origin, path } = visit
  const address = action === 'link' ? (linkPage ?? urls.action('link', path.split('/').at(-1))) : linkPage
  if (address === undefined) return null
  const mustSignIn = error instanceof RecentSignInRequired || error instanceof SessionChanged
  return mustSignIn ? urls.signInPage(address, params) : withParams(address, params, origin)
}

/** Where a visitor can go on from the page of a failure. */
const waysFrom = (visit: Visit) => ({
  // Nobody signs in there before the acting has ended.
  signInUrl: visit.sessions.acting?.isBrought(visit) ? null : visit.urls.action('signin'),
  stopUrl: visit.urls.action('act-as'),
  // Of a request that cannot be served at all, the public origin may not be known.
  homeUrl: visit.problem === null ? homeOf(visit.config, visit.origin) : null,
  isDevelopment: visit.config.isDevelopment,
})

/** The answer to a script that asked for a list, or to change what is in it: it cannot follow a redirect to a page. */
function faultAsJson(error: AuthError, status: 500 | 503): Outcome {
  if (status === 500) return json({ error: 'Configuration' }, [], status)
  const body = { error: ruleOf(error).shownAs }
  return isVisitors(error) ? json(body, [], 403) : { ...json(body, [], status), headers: RETRY_AFTER }
}

/** Value of the `code` parameter beside `error`; undefined for none. */
function codeOf(error: AuthError, { again }: FailureRule): string | undefined {
  // The sign-in page says what to do afterwards.
  if (error instanceof RecentSignInRequired && again !== undefined) return again
  if (error instanceof CredentialsSignin) return error.code
  const reason = error instanceof AccessDenied ? error.cause?.['code'] : undefined
  if (reason === UNUSABLE_ID || reason === NO_SIGN_UP) return reason
  const { shownAs, code } = ruleOf(error)
  const doing = doingOf(error)
  if (doing !== null) return CODE_OF_DOING[doing]
  const isFault = error instanceof EmailSignInError ? error.cause?.isFault : shownAs === 'Configuration'
  if (isFault && isRefusedValue(error)) return 'RefusedValue'
  return isFault && (error instanceof EmailSignInError || isOutage(error)) ? 'Unavailable' : code
}

const isPage = ({ rule, visit }: Failed) => visit.method === 'GET' && rule.asPage === true

/**
 * The application's error page. Null when it has none, when that page is a page of the mount, or when the return target of
 * the request is that page: then the visitor would be redirected for ever.
 */
function ownErrorPage(
  { config, urls, origin, mountUrl, query }: Visit,
  params: { error: string; code: string | undefined },
): string | null {
  const target = new URL(urls.errorTarget('error', params))
  const mount = new URL(mountUrl).pathname.replace(/\/$/, '')
  const isOfMount = target.origin === origin && target.pathname.startsWith(`${mount}/`)
  if (isOfMount && isServedPath(target.pathname.slice(mount.length))) return null
  const next = parseReturnTarget(query.get('callbackUrl'), origin, config.origins)
  return next?.origin === target.origin && next.pathname === target.pathname ? null : target.href
}

async function refusal(
  { status, message, headers, conflict }: RequestRefused,
  visit: Visit,
  { rule = {}, backUrl }: LedBack & { readonly rule?: FailureRule } = {},
): Promise<Outcome> {
  if (!visit.wantsPage) return { ...json({ message, ...(conflict && { reason: conflict }) }, [], status), headers }
  const retryAfter = Number(headers['retry-after']) || undefined
  const { sendLink = null, cookies } = (status === 429 && (await linkInPlaceOfGuess(visit))) || {}
  // If the store fails now, the refusal counts.
  const links = status === 429 ? await rule.waysOn?.(visit).catch(() => []) : undefined
  return {
    ...page(refusalPage({ status, conflict, backUrl, links, retryAfter, sendLink, ...waysFrom(visit) }), cookies),
    headers,
  }
}

/** For somebody whose password is not looked at: a mailed link is no guess, and is counted apart. Null if nobody can be mailed one. */
async function linkInPlaceOfGuess(visit: Visit) {
  const { config, fields, provider, urls, origin } = visit
  const sender = [...config.providers.values()].find((each) => each.type === 'email')
  const address = parseAddress(textOf(fields['email']))
  if (provider?.type !== 'credentials' || sender?.type !== 'email' || sender.code === 'only' || address === null)
    return null
  // A form of another site chooses nothing of what the visitor sees here.
  if (isCrossSite(visit.header, origin)) return null
  const { token: csrfToken, cookies } = csrfTokenOf(visit)
  const sendLink = {
    action: urls.action('signin', sender.id),
    address,
    isRemembered: config.asksToRemember && isRememberedIn(fields),
    csrfToken,
    callbackUrl: (await formTarget(visit)) ?? origin,
    insecure: siteOf(origin).insecure,
  }
  return { sendLink, cookies }
}

function configurationFault(failed: Failed): Outcome {
  return isPage(failed) || failed.visit.wantsPage
    ? page(errorPage({ error: 'Configuration', ...waysFrom(failed.visit) }))
    : json({ message: CONFIGURATION_MESSAGE }, [], 500)
}

/** What leads a signed-in visitor back to a form that failed. */
export interface LedBack {
  /** The page with the form. */
  readonly backUrl?: string | undefined
  /** Whether nobody is signed in any more. */
  readonly isSignedOut?: boolean
}

async function leadBack(visit: Visit, rule: FailureRule, error: AuthError): Promise<LedBack> {
  const backUrl = rule.leadsBack ? await formTarget(visit) : undefined
  if (backUrl === undefined) return {}
  // A sign-out replaces the CSRF token, so a form from before it has a wrong one.
  const reading = error instanceof MissingCSRF ? await lookAtSession(visit) : null
  if (rule.leadsBack === 'signed-in' && !reading?.session) return {}
  return { backUrl, isSignedOut: reading !== null && reading.session === null }
}

/** Where a posted form was to lead; undefined if it names no usable target, or a script sent it. */
async function formTarget(visit: Visit): Promise<string | undefined> {
  const { fields, origin } = visit
  if (parseTarget(fields['callbackUrl'], origin) === null || !visit.wantsPage) return undefined
  // If the `redirect` callback throws, the failure that is to be shown counts.
  return visit.returnTarget().catch(() => undefined)
}

/** What was entered into a form that failed, without passwords. Undefined if there is nothing to keep. */
function enteredIn({ provider, fields }: Visit): EnteredValues | undefined {
  if (provider === null) return undefined
  const values = keptValues(provider, fields)
  return Object.keys(values).length === 0 ? undefined : { provider: provider.id, values }
}
