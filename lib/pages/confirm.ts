import { pageText } from './texts/text.js'
import type { ConfirmView } from './view.js'

/** The input of the confirmation page. */
export interface ConfirmPageInput {
  /** Where its form is sent: the provider's callback. */
  readonly action: string
  /** The parameters of the link, which the form sends again. */
  readonly fields: Readonly<Record<string, string>>
  /** The address that the link signs in; null when it must not be shown. */
  readonly identifier: string | null
  /** Address or name of who is signed in already; null or absent for nobody. */
  readonly signedInAs?: string | null
  readonly csrfToken: string
  /** Resolved return target. */
  readonly callbackUrl: string
  /**
   * The host that the visitor signs in to. It comes from the configuration or a trusted origin, never from a header.
   */
  readonly host?: string | undefined
  /** Whether the page is on plain http. */
  readonly insecure: boolean
}

/**
 * The confirmation page, which is shown when a mailed link is opened in another browser than the one that requested it.
 * The page only asks: nobody is signed in before its form is sent.
 */
export function confirmPage(input: ConfirmPageInput): ConfirmView {
  const { action, fields, identifier, signedInAs = null, csrfToken, callbackUrl, host, insecure } = input
  return {
    page: 'confirm',
    status: 200,
    title: pageText('confirm.title'),
    host: host ?? null,
    identifier,
    signedInAs,
    action,
    fields: Object.entries(fields),
    csrfToken,
    callbackUrl,
    insecure,
  }
}
