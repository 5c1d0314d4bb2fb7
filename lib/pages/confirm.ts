import type { ConfirmView } from './view.js'

/** What the page that asks before a mailed link signs in is made of. */
export interface ConfirmPageInput {
  /** Where its form is sent: the provider's callback. */
  readonly action: string
  /** What the link says, sent along by the form. */
  readonly fields: Readonly<Record<string, string>>
  /** Whom the link signs in: an address, or null when it is not fit to be shown. */
  readonly identifier: string | null
  readonly csrfToken: string
  /** Resolved return target. */
  readonly callbackUrl: string
  /** Host that is signed in to. From the configuration or a trusted origin, never from a header. */
  readonly host?: string | undefined
  /** Whether the page is on plain http. */
  readonly insecure: boolean
}

/** The page shown when a mailed link is opened anywhere but in the browser that asked for it: it only asks. */
export function confirmPage(input: ConfirmPageInput): ConfirmView {
  const { action, fields, identifier, csrfToken, callbackUrl, host, insecure } = input
  return {
    page: 'confirm',
    status: 200,
    title: 'Is this you?',
    host: host ?? null,
    identifier,
    action,
    fields: Object.entries(fields),
    csrfToken,
    callbackUrl,
    insecure,
  }
}
