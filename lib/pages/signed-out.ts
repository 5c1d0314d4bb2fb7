import { pageText } from './texts/text.js'
import type { SignedOutView } from './view.js'

/** The page that says that nobody is signed in: after a sign-out, and in place of the question whether to sign out. */
export const signedOutPage = (input: Pick<SignedOutView, 'host' | 'signInUrl' | 'homeUrl'>): SignedOutView => ({
  page: 'signed-out',
  status: 200,
  title: pageText('signedOut.title'),
  ...input,
})
