import type { Action, ActionContext } from '../context/action-context.js'
import { siteOf, withParams } from '../context/action-urls.js'
import { csrfTokenOf } from '../context/csrf-token.js'
import { json, type Outcome, page, redirect } from '../context/outcome.js'
import { rememberReturnTarget } from '../context/return-target.js'
import { ERROR_RULES } from '../error-rules.js'
import { SignOutError } from '../errors.js'
import { clearAllTransactions } from '../flows/transaction-cookies.js'
import { type CookieChange, clearCookie } from '../http/cookies.js'
import { errorNotice } from '../pages/messages.js'
import { signOutPage } from '../pages/signout.js'

/** GET signout: asks whether to sign out. */
export const showSignOut: Action = async (context) => {
  const { urls, query, origin } = context
  const error = query.get('error') || undefined
  const form = csrfTokenOf(context)
  const own = urls.ownPage('signOut')
  if (own) return redirect(withParams(own, { error }, origin), form.cookies)
  const view = signOutPage({
    action: urls.action('signout'),
    csrfToken: form.token,
    callbackUrl: await context.returnTarget(),
    ...siteOf(origin),
    error,
  })
  return page(view, [...form.cookies, ...(await rememberReturnTarget(context))])
}

/** POST signout: ends the session of the request, if it has one, and redirects the visitor to the return target. */
export const postSignOut: Action = async (context) => {
  const { config, specs, sessions, cookies } = context
  const returnTarget = await context.returnTarget()
  const { cookies: cleared, ended, fault, isRetried = false } = await sessions.revoke(context)
  if (ended) await config.emit('signOut', ended)
  // In a shared browser, the remaining cookies must not show who was signed in.
  const csrf = config.csrf?.clear(cookies, specs.csrfToken) ?? []
  const target = cookies.has(specs.callbackUrl.name) ? [clearCookie(specs.callbackUrl)] : []
  const changes = [...csrf, ...target, ...clearAllTransactions(context), ...cleared]
  return fault ? signedOutHereOnly(context, fault, isRetried, changes) : redirect(returnTarget, changes)
}

const RETRIED =
  'Its deletion is tried again for ten minutes; until it succeeds, other processes accept a copy of the cookie.'
const NOT_RETRIED = 'That is not tried again: a copy of the cookie may be good until the session expires.'

/**
 * The answer if the session could not be revoked. It still deletes the cookies, and the visitor and the log learn that a copy
 * of the session may still work (LOGOUT-02).
 */
function signedOutHereOnly(
  { config, incoming, urls }: ActionContext,
  fault: Error,
  isRetried: boolean,
  cookies: readonly CookieChange[],
): Outcome {
  const error = new SignOutError(
    `The session of somebody who signed out could not be ended. It is gone from their browser. ${isRetried ? RETRIED : NOT_RETRIED}`,
    { err: fault },
  )
  config.logger.error(error)
  const { page, shownAs } = ERROR_RULES[error.type]
  const url = urls.errorTarget(page, { error: shownAs })
  // A script that waits for the return target would take a target as success.
  return incoming.header('x-auth-return-redirect')
    ? json({ error: shownAs, message: errorNotice(shownAs).text, url }, cookies, 503)
    : redirect(url, cookies)
}
