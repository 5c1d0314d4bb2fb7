import { Verification } from '../kernel/errors.js'
import { withParams } from '../pages/action-urls.js'
import { errorPage } from '../pages/error.js'
import { homeOf } from './find-return-target.js'
import { lookAtSession } from './look-at-session.js'
import { type Outcome, page, redirect } from './outcome.js'
import { offerToSendLink, signInPageWithTarget } from './send-link-form.js'
import type { Action, Visit } from './visit.js'

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
