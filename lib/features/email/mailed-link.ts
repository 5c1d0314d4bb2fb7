import { pageText } from '../../pages/texts/text.js'
import type { ConfirmView, VerifyRequestView } from '../../pages/view.js'

/** The input of the verify-request page. */
interface VerifyRequestPageInput {
  /** `{base}/signin`, with the return target; with the address filled in if it is known */
  readonly signInUrl: string
  /** As in {@link VerifyRequestView}. */
  readonly sent?: VerifyRequestView['sent']
}

/**
 * The page that is shown after a sign-in link was mailed. Everybody who has the URL can open the page, so it shows the
 * address only to the browser that asked for the link.
 */
export const verifyRequestPage = ({ signInUrl, sent = null }: VerifyRequestPageInput): VerifyRequestView => ({
  page: 'verify-request',
  status: 200,
  title: pageText('verifyRequest.title'),
  signInUrl,
  sent,
})

/** The input of the confirmation page. */
export interface ConfirmPageInput
  extends Pick<ConfirmView, 'action' | 'identifier' | 'csrfToken' | 'callbackUrl' | 'insecure'> {
  /** The parameters of the link, which the form sends again. */
  readonly fields: Readonly<Record<string, string>>
  /** Address or name of who is signed in already; null or absent for nobody. */
  readonly signedInAs?: string | null
  /**
   * The host that the visitor signs in to. It comes from the configuration or a trusted origin, never from a header.
   */
  readonly host?: string | undefined
}

/**
 * The confirmation page, which is shown when a mailed link is opened in another browser than the one that requested it.
 * The page only asks: nobody is signed in before its form is sent.
 */
export function confirmPage(input: ConfirmPageInput): ConfirmView {
  const { fields, signedInAs = null, host = null, ...form } = input
  return {
    page: 'confirm',
    status: 200,
    title: pageText('confirm.title'),
    ...form,
    host,
    signedInAs,
    fields: Object.entries(fields),
  }
}
