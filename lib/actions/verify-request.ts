import { withParams } from '../context/action-urls.js'
import { page, redirect } from '../context/outcome.js'
import type { Action } from '../context/visit.js'
import { verifyRequestPage } from '../pages/verify-request.js'
import { offerToSendLink } from './send-link-form.js'

/** GET verify-request: says that a mail is on its way. */
export const showVerifyRequest: Action = async (visit) => {
  const { urls, query, origin } = visit
  const own = urls.ownPage('verifyRequest')
  if (own) {
    // The application's page gets the target that passed the redirect callback, never the target of the request.
    const checked = query.has('callbackUrl') ? { callbackUrl: await visit.returnTarget() } : {}
    return redirect(withParams(own, { ...Object.fromEntries(query), ...checked }, origin))
  }
  const offer = await offerToSendLink(visit)
  if (offer === null) return page(verifyRequestPage({ signInUrl: urls.action('signin') }))
  const { isAgain, lifetimeSeconds, form, otherAddressUrl, cookies } = offer
  return page(verifyRequestPage({ signInUrl: otherAddressUrl, sent: { form, isAgain, lifetimeSeconds } }), cookies)
}
