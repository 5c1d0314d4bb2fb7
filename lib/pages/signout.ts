import { signOutMessage } from './messages.js'
import type { SignOutView } from './view.js'

/** What the sign-out page is made of. */
export interface SignOutPageInput {
  /** Where its form is sent: the URL of the page itself. */
  readonly action: string
  readonly csrfToken: string
  /** Resolved return target: where the visitor goes afterwards, or right away if they stay signed in. */
  readonly callbackUrl: string
  /** Host that is signed out of, shown under the heading. */
  readonly host?: string | undefined
  /** Whether the page is on plain http. */
  readonly insecure: boolean
  /** The `error` parameter as it came. It is looked up, never shown. */
  readonly error?: string | undefined
}

/** The sign-out page: it only asks. */
export function signOutPage({ action, csrfToken, callbackUrl, host, insecure, error }: SignOutPageInput): SignOutView {
  const stays = URL.canParse(callbackUrl) && /^https?:$/.test(new URL(callbackUrl).protocol)
  return {
    page: 'signout',
    status: 200,
    title: 'Sign out',
    message: signOutMessage(error),
    insecure,
    host: host ?? null,
    csrfToken,
    callbackUrl,
    action,
    stayUrl: stays ? callbackUrl : null,
  }
}
