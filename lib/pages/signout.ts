import { isAbsoluteUrl } from '../shapes/urls.js'
import { signOutMessage } from './messages.js'
import { pageText } from './texts/text.js'
import type { SignOutView } from './view.js'

/** The input of the sign-out page. */
export interface SignOutPageInput extends Pick<SignOutView, 'action' | 'csrfToken' | 'callbackUrl' | 'insecure'> {
  /** Resolved return target, to which the link "Stay signed in" leads; by default `callbackUrl`. */
  readonly stayUrl?: string | undefined
  /** The host that the visitor signs out of, shown under the heading. */
  readonly host?: string | undefined
  /** The `error` parameter as it came. It is looked up, never shown. */
  readonly error?: string | undefined
  /** As in {@link SignOutView}. */
  readonly endSession?: SignOutView['endSession']
}

/** The sign-out page. It only asks: nobody is signed out before its form is sent. */
export function signOutPage(input: SignOutPageInput): SignOutView {
  const { stayUrl = input.callbackUrl, host = null, error, endSession = null, ...form } = input
  const stays = isAbsoluteUrl(stayUrl) && /^https?:$/.test(new URL(stayUrl).protocol)
  return {
    page: 'signout',
    status: 200,
    title: pageText('signOut.title'),
    message: signOutMessage(error),
    ...form,
    host,
    stayUrl: stays ? stayUrl : null,
    endSession,
  }
}
