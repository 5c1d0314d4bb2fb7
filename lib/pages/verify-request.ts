import { pageText } from './texts/text.js'
import type { VerifyRequestView } from './view.js'

/** The input of the verify-request page. */
export interface VerifyRequestPageInput {
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
