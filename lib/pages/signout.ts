import { signOutMessage } from './messages.js'
import { pageText } from './texts/text.js'
import type { SignOutView } from './view.js'

/** The input of the sign-out page. */
export interface SignOutPageInput {
  /** Where its form is sent: the URL of the page itself. */
  readonly action: string
  readonly csrfToken: string
  /** Where the visitor goes after the sign-out. */
  readonly callbackUrl: string
  /** Resolved return target, to which the link "Stay signed in" leads; by default `callbackUrl`. */
  readonly stayUrl?: string | undefined
  /** The host that the visitor signs out of, shown under the heading. */
  readonly host?: string | undefined
  /** Whether the page is on plain http. */
  readonly insecure: boolean
  /** The `error` parameter as it came. It is looked up, never shown. */
  readonly error?: string | undefined
  /** As in {@link SignOutView}. */
  readonly endSession?: SignOutView['endSession']
}

/** The sign-out page. It only asks: nobody is signed out before its form is sent. */
export function signOutPage({
  action,
  csrfToken,
  callbackUrl,
  stayUrl = callbackUrl,
  host,
  insecure,
  error,
  endSession = null,
}: SignOutPageInput): SignOutView {
  const stays = URL.canParse(stayUrl) && /^https?:$/.test(new URL(stayUrl).protocol)
  return {
    page: 'signout',
    status: 200,
    title: pageText('signOut.title'),
    message: signOutMessage(error),
    insecure,
    host: host ?? null,
    csrfToken,
    callbackUrl,
    action,
    stayUrl: stays ? stayUrl : null,
    endSession,
  }
}
