import type { ActionContext } from '../context/action-context.js'
import { siteOf, withParams } from '../context/action-urls.js'
import { csrfTokenOf } from '../context/csrf-token.js'
import type { MailedAddress } from '../flows/email/mailed-address.js'
import type { CookieChange } from '../http/cookies.js'
import type { SendLinkForm } from '../pages/view.js'

/** What a page can offer to a browser that has asked for a mailed link before. */
export interface SendLinkOffer {
  readonly mailed: MailedAddress
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
export async function offerToSendLink(context: ActionContext): Promise<SendLinkOffer | null> {
  const { config, urls, origin } = context
  const mailed = await config.mailedAddresses.read(context)
  if (mailed === null || config.providers.get(mailed.provider)?.settings.type !== 'email') return null
  const { token: csrfToken, cookies } = csrfTokenOf(context)
  const form: SendLinkForm = {
    action: urls.action('signin', mailed.provider),
    address: mailed.address,
    isRemembered: config.asksToRemember && mailed.isRemembered,
    csrfToken,
    callbackUrl: await context.returnTarget(),
    insecure: siteOf(origin).insecure,
  }
  const page = await signInPageWithTarget(context)
  return { mailed, form, otherAddressUrl: withParams(page, { [CORRECT_PARAM]: CORRECT_ADDRESS }, origin), cookies }
}

/** The sign-in page, which keeps the return target of the request. */
export async function signInPageWithTarget(context: ActionContext): Promise<string> {
  const { urls, origin } = context
  const callbackUrl = await context.returnTarget()
  return withParams(urls.action('signin'), callbackUrl === origin ? {} : { callbackUrl }, origin)
}

/** The address that the sign-in page fills in, because the visitor wants to correct it; undefined for none. */
export async function addressToCorrect(context: ActionContext): Promise<string | undefined> {
  if (context.query.get(CORRECT_PARAM) !== CORRECT_ADDRESS) return undefined
  return (await context.config.mailedAddresses.read(context))?.address
}
