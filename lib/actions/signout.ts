import { ERROR_RULES, SignOutError } from '../errors.js'
import { clearAllTransactions } from '../flows/transaction-cookies.js'
import { type CookieChange, clearCookie } from '../http/cookies.js'
import { errorNotice } from '../pages/messages.js'
import { type Action, type ActionContext, json, type Outcome, redirect } from './action.js'

/** POST signout: ends the session in hand, if any, and sends the visitor back where they came from. */
export const signOut: Action = async (context) => {
  const { config, scheme, cookies, callbackUrl } = context
  const { specs, sessions } = scheme
  const { cookies: cleared, ended, fault, isRetried = false } = await sessions.revoke(context)
  if (ended) await config.emit('signOut', ended)
  // What is left in a shared browser says nothing about who was here.
  const csrf = config.csrf?.clear(cookies, specs.csrfToken) ?? []
  const target = cookies.has(specs.callbackUrl.name) ? [clearCookie(specs.callbackUrl)] : []
  const changes = [...csrf, ...target, ...clearAllTransactions({ cookies, specs }), ...cleared]
  return fault ? signedOutHereOnly(context, fault, isRetried, changes) : redirect(callbackUrl, changes)
}

const RETRIED =
  'Its deletion is tried again for ten minutes; until it succeeds, other processes take a copy of the cookie.'
const NOT_RETRIED = 'That is not tried again: a copy of the cookie may be good until the session expires.'

/** The cookies go all the same; the visitor and the log learn that a copy of the session may live on (LOGOUT-02). */
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
  // A script that asked for the target would take a target for success.
  return incoming.header('x-auth-return-redirect')
    ? json({ error: shownAs, message: errorNotice(shownAs).text, url }, cookies, 503)
    : redirect(url, cookies)
}
