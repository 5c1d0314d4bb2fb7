import type { Action } from '../context/action-context.js'
import { siteOf, withParams } from '../context/action-urls.js'
import { csrfTokenOf } from '../context/csrf-token.js'
import { page, redirect, redirectAfter } from '../context/outcome.js'
import { rememberReturnTarget } from '../context/return-target.js'
import { signOutPage } from '../pages/signout.js'
import { endSession } from './end-session.js'

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

/**
 * POST signout: ends the session of the request, if it has one, and redirects the visitor to the return target; to a page
 * that says so if a copy of the session may still work.
 */
export const postSignOut: Action = async (context) => {
  const returnTarget = await context.returnTarget()
  const { cookies, fault } = await endSession(context, context.config)
  return fault ? redirectAfter(fault, context, cookies) : redirect(returnTarget, cookies)
}
