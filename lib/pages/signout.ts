import { webUrlOf } from '../kernel/urls.js'
import { signOutMessage } from './messages.js'
import { pageText } from './texts/text.js'
import type { ProviderLogoutView, SignedOutView, SignOutView } from './view.js'

/** The input of the sign-out page. */
interface SignOutPageInput extends Pick<SignOutView, 'action' | 'csrfToken' | 'callbackUrl' | 'insecure'> {
  /** Resolved return target, to which the link "Stay signed in" leads; by default `callbackUrl`. */
  readonly stayUrl?: string | undefined
  /** The host that the visitor signs out of, shown under the heading. */
  readonly host?: string | undefined
  /** The `error` parameter as it came. It is looked up, never shown. */
  readonly error?: string | undefined
  readonly isActing?: boolean
  /** As in {@link SignOutView}. */
  readonly endSession?: SignOutView['endSession']
}

/** The sign-out page. It only asks: nobody is signed out before its form is sent. */
export function signOutPage(input: SignOutPageInput): SignOutView {
  const { stayUrl = input.callbackUrl, host = null, error, isActing = false, endSession = null, ...form } = input
  return {
    page: 'signout',
    status: 200,
    title: pageText('signOut.title'),
    message: signOutMessage(error),
    ...form,
    isActing,
    host,
    stayUrl: webUrlOf(stayUrl),
    endSession,
  }
}

/** The page that says that nobody is signed in: after a sign-out, and in place of the question whether to sign out. */
export const signedOutPage = (input: Pick<SignedOutView, 'host' | 'signInUrl' | 'homeUrl'>): SignedOutView => ({
  page: 'signed-out',
  status: 200,
  title: pageText('signedOut.title'),
  ...input,
})

/** The input of the page on the way to a provider. */
interface ProviderLogoutPageInput extends Pick<ProviderLogoutView, 'name' | 'action' | 'stayUrl' | 'insecure'> {
  readonly fields: Readonly<Record<string, string>>
}

/**
 * The page that posts the logout to a provider: by itself where scripts run, and with its button elsewhere. With a redirect,
 * the ID token would be in a URL, and so in histories and logs.
 */
export const providerLogoutPage = (input: ProviderLogoutPageInput): ProviderLogoutView => ({
  page: 'provider-logout',
  status: 200,
  title: pageText('providerLogout.title', { provider: input.name }),
  ...input,
  fields: Object.entries(input.fields),
})
