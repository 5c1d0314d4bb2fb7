import { pageText } from './texts/text.js'
import type { VerifyRequestView } from './view.js'

/** The input of the verify-request page. */
export interface VerifyRequestPageInput {
  /** `{base}/signin` */
  readonly signInUrl: string
}

/**
 * The page that is shown after a sign-in link was mailed. It does not show the address, because everybody who has the
 * URL can open the page.
 */
export function verifyRequestPage({ signInUrl }: VerifyRequestPageInput): VerifyRequestView {
  return { page: 'verify-request', status: 200, title: pageText('verifyRequest.title'), signInUrl }
}
