import type { VerifyRequestView } from './view.js'

/** What the verify-request page is made of. */
export interface VerifyRequestPageInput {
  /** `{base}/signin` */
  readonly signInUrl: string
}

/** The page shown once a sign-in link has been mailed. It says nothing of the address: whoever has the URL sees it. */
export function verifyRequestPage({ signInUrl }: VerifyRequestPageInput): VerifyRequestView {
  return { page: 'verify-request', status: 200, title: 'Check your e-mail', signInUrl }
}
