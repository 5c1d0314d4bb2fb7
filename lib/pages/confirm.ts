import { pageText } from './texts/text.js'
import type { ConfirmView } from './view.js'

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
