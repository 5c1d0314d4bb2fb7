import { verifyRequestPage } from '../features/email/mailed-link.js'
import { newestRequest } from '../features/email/requesting-browser.js'
import type { CookieChange } from '../kernel/cookies.js'
import { siteOf, withParams } from '../pages/action-urls.js'
import type { SendLinkForm } from '../pages/view.js'
import { csrfTokenOf } from './csrf-token.js'
import { page, redirect } from './outcome.js'
import type { Action, Visit } from './visit.js'

/** What a page can offer to a browser that has asked for a mailed link before. */
export interface SendLinkOffer {
  /** Whether this browser had asked for a link to the same address just before. */
  readonly isAgain: boolean
  /** Seconds that the link works. */
  readonly lifetimeSeconds: number
  readonly form: SendLinkForm
  /** The sign-in page with the address filled in, to correct it. */
  readonly otherAddressUrl: string
  /** The cookie of the CSRF token, if the browser needs it. */
  readonly cookies: readonly CookieChange[]
}

/** In the query of the sign-in page: the last address to which this browser asked for a link is filled in. */
export const CORRECT_PARAM = 'correct'
/** Its only value. */
export const CORRECT_ADDRESS = 'address'

/**
 * The form that sends another link to the last address to which this browser asked for one. It posts to the same URL as the
 * form of the sign-in page, so every limit there counts for it as well. Null if this browser did not ask for a link lately.
 */
export async function offerToSendLink(visit: Visit): Promise<SendLinkOffer | null> {
  const { config, urls, origin } = visit
  const asked = await newestRequest(visit, config.transactions)
  if (asked === null) return null
  const settings = config.providers.get(asked.provider)?.settings
  if (settings?.type !== 'email') return null
  const { token: csrfToken, cookies } = csrfTokenOf(visit)
  const form: SendLinkForm = {
    action: urls.action('signin', asked.provider),
    address: asked.address,
    isRemembered: config.asksToRemember && asked.isRemembered,
    csrfToken,
    callbackUrl: await visit.returnTarget(),
    insecure: siteOf(origin).insecure,
  }
  const page = await signInPageWithTarget(visit)
  return {
    isAgain: asked.isAgain,
    lifetimeSeconds: settings.maxAge,
    form,
    otherAddressUrl: withParams(page, { [CORRECT_PARAM]: CORRECT_ADDRESS }, origin),
    cookies,
  }
}

/** The sign-in page, which keeps the return target of the request. */
export async function signInPageWithTarget(visit: Visit): Promise<string> {
  const { urls, origin } = visit
  const callbackUrl = await visit.returnTarget()
  return withParams(urls.action('signin'), callbackUrl === origin ? {} : { callbackUrl }, origin)
}

/** The address that the sign-in page fills in, because the visitor wants to correct it; undefined for none. */
export async function addressToCorrect(visit: Visit): Promise<string | undefined> {
  if (visit.query.get(CORRECT_PARAM) !== CORRECT_ADDRESS) return undefined
  return (await newestRequest(visit, visit.config.transactions))?.address
}

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
