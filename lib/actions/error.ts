import { withParams } from '../context/action-urls.js'
import { type Outcome, page, redirect } from '../context/outcome.js'
import { homeOf } from '../context/return-target.js'
import type { Action, Visit } from '../context/visit.js'
import { Verification } from '../errors.js'
import { errorPage } from '../pages/error.js'
import { lookAtSession } from './look-at-session.js'
import { offerToSendLink, signInPageWithTarget } from './send-link-form.js'

/** GET error: says what failed. */
export const showError: Action = async (visit) => {
  const { urls, query, origin, config } = visit
  const error = query.get('error') || undefined
  const code = query.get('code') || undefined
  const own = urls.ownPage('error')
  if (own) return redirect(withParams(own, { error, code }, origin))
  if (error === Verification.type) return showUnusableLink(visit, error)
  const signInUrl = await signInPageWithTarget(visit)
  return page(
    errorPage({ error, code, signInUrl, homeUrl: homeOf(config, origin), isDevelopment: config.isDevelopment }),
  )
}

/** For a mailed link that no longer works: whoever is signed in goes on, and whoever asked for it can have a new one. */
async function showUnusableLink(visit: Visit, error: string): Promise<Outcome> {
  const ways = {
    error,
    signInUrl: await signInPageWithTarget(visit),
    homeUrl: homeOf(visit.config, visit.origin),
  }
  const reading = await lookAtSession(visit)
  if (reading && reading.session !== null) {
    return page(errorPage({ ...ways, continueUrl: await visit.returnTarget() }))
  }
  const offer = await offerToSendLink(visit)
  if (offer === null) return page(errorPage(ways))
  const { form: sendLink, otherAddressUrl, cookies } = offer
  return page(errorPage({ ...ways, sendLink, otherAddressUrl }), cookies)
}
