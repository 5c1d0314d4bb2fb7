import { json, type Outcome, page, redirect } from '../actions/action.js'
import { isOutage } from '../adapters/outage.js'
import {
  AuthError,
  CredentialsSignin,
  ERROR_RULES,
  type ErrorRule,
  MissingCSRF,
  RequestRefused,
  UntrustedHost,
  withoutDetails,
} from '../errors.js'
import { parseCallbackUrl } from '../http/callback-url.js'
import type { CookieChange } from '../http/cookies.js'
import { RETRY_AFTER } from '../http/retry-after.js'
import type { LoggerInstance } from '../logger.js'
import { errorPage, refusalPage } from '../pages/error.js'
import { CONFIGURATION_MESSAGE } from './misconfigured.js'
import type { Arrival } from './read-arrival.js'
import { isServedPath } from './routes.js'

/**
 * THE catch-all: turns whatever was thrown into an answer, and logs it. Every failure ends closed: no answer made here
 * carries a session.
 *
 * @param cleared one-time cookies of the attempt that failed, to be deleted with it
 */
export function fail(
  error: unknown,
  arrival: Arrival,
  cleared: readonly CookieChange[],
  logger: LoggerInstance,
): Outcome {
  const known = error instanceof AuthError ? error : new AuthError('Something threw.', { err: withoutDetails(error) })
  if (isForNobody(known)) logger.debug('client-left', { reason: known.message })
  else logger.error(known)
  if (known instanceof RequestRefused) return refusal(known, arrival)
  if (known instanceof UntrustedHost) return misconfigured(arrival)
  if (arrival.action === 'session') {
    return known instanceof MissingCSRF ? json(null, [], 400) : { ...json(null, [], 503), headers: RETRY_AFTER }
  }
  if (known.type === 'UnknownAction') return refusal(new RequestRefused(404, known.message), arrival)
  const { page: kind, shownAs }: ErrorRule = ERROR_RULES[known.type]
  const told = { error: shownAs, code: codeOf(known) }
  // A page that cannot be shown sends nobody to another of ours: that could go round for ever.
  if (isPage(arrival)) {
    const own = ownErrorPage(arrival, told)
    return own === null
      ? page(errorPage({ ...told, signInUrl: arrival.urls.action('signin') }), cleared)
      : redirect(own, cleared)
  }
  const target = known instanceof MissingCSRF && isSignOutForm(arrival) ? 'signOut' : kind
  return redirect(arrival.urls.errorTarget(target, told), cleared)
}

/** Whoever wanted to sign out is still signed in, and the page that has the button is a press away. A script knows what was refused. */
const isSignOutForm = ({ action, incoming }: Arrival) =>
  action === 'signout' && incoming.header('x-auth-return-redirect') === undefined

/** Value of the `code` parameter beside `error`; undefined for none. */
function codeOf(error: AuthError): string | undefined {
  if (error instanceof CredentialsSignin) return error.code
  const { shownAs, code }: ErrorRule = ERROR_RULES[error.type]
  return shownAs === 'Configuration' && isOutage(error) ? 'Unavailable' : code
}

/** Whoever asked has closed the connection: nobody reads the answer, and nobody did anything wrong. */
const isForNobody = (error: AuthError) => error instanceof RequestRefused && error.status === 503

const isPage = ({ action, method }: Arrival) =>
  method === 'GET' && (action === 'signin' || action === 'signout' || action === 'error' || action === 'verify-request')

/** The application's error page; null when it has none, when that is a page of the mount, or when the visitor is about to come back to it. */
function ownErrorPage({ urls, query }: Arrival, told: { error: string; code: string | undefined }): string | null {
  const target = new URL(urls.errorTarget('error', told))
  const mount = new URL(urls.mount).pathname.replace(/\/$/, '')
  const isOfMount = target.origin === urls.origin && target.pathname.startsWith(`${mount}/`)
  if (isOfMount && isServedPath(target.pathname.slice(mount.length))) return null
  const next = parseCallbackUrl(query['callbackUrl'], urls.origin)
  return next?.origin === target.origin && next.pathname === target.pathname ? null : target.href
}

function refusal({ status, message, headers }: RequestRefused, arrival: Arrival): Outcome {
  if (wantsPage(arrival)) {
    return { ...page(refusalPage({ status, signInUrl: arrival.urls.action('signin') })), headers }
  }
  return { ...json({ message }, [], status), headers }
}

function misconfigured(arrival: Arrival): Outcome {
  return isPage(arrival)
    ? page(errorPage({ error: 'Configuration', signInUrl: arrival.urls.action('signin') }))
    : json({ message: CONFIGURATION_MESSAGE }, [], 500)
}

const wantsPage = ({ incoming }: Arrival) => incoming.header('accept')?.includes('text/html') ?? false
