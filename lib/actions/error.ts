import { withParams } from '../context/action-urls.js'
import { type Outcome, page, redirect } from '../context/outcome.js'
import { homeOf } from '../context/return-target.js'
import type { Action, Visit } from '../context/visit.js'
import { Verification } from '../errors.js'
import { errorPage } from '../pages/error.js'
import { lookAtSession } from './look-at-session.js'
import { offerToSendLink, signInPageWithTarget } from './send-link-form.js'

/** GET error: says what failed. */
export const showError: Action = async (context) => {
  const { urls, query, origin, config } = context
  const error = query.get('error') || undefined
  const code = query.get('code') || undefined
  const own = urls.ownPage('error')
  if (own) return redirect(withParams(own, { error, code }, origin))
  if (error === Verification.type) return showUnusableLink(context, error)
  const signInUrl = await signInPageWithTarget(context)
  return page(
    errorPage({ error, code, signInUrl, homeUrl: homeOf(config, origin), isDevelopment: config.isDevelopment }),
  )
}

/** For a mailed link that no longer works: whoever is signed in goes on, and whoever asked for it can have a new one. */
async function showUnusableLink(context: Visit, error: string): Promise<Outcome> {
  const ways = {
    error,
    signInUrl: await signInPageWithTarget(context),
    homeUrl: homeOf(context.config, context.origin),
  }
  const reading = await lookAtSession(context)
  if (reading && reading.session !== null) {
    return page(errorPage({ ...ways, continueUrl: await context.returnTarget() }))
  }
  const offer = await offerToSendLink(context)
  if (offer === null) return page(errorPage(ways))
  const { form: sendLink, otherAddressUrl, cookies } = offer
  return page(errorPage({ ...ways, sendLink, otherAddressUrl }), cookies)
}
