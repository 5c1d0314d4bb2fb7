import type { CookieChange } from '../kernel/cookies.js'
import type { ConfiguredProvider } from '../sign-in/config.js'

/** The request in whose place code of the application submits a form. */
export interface SubmitOptions {
  /**
   * Its method; undefined where the framework does not say it. Anybody may have caused a GET request, such as the author of
   * a link that the visitor has followed. Only a sign-in at a provider can begin with one, and it adds no account to the user
   * who is signed in.
   */
  readonly method: string | undefined
  /**
   * Called before the rejection, with the cookies that the answer to a failure must have: those of a session that was
   * renewed first, for instance. A `jwt` callback may have replaced what the cookie of the request holds.
   */
  readonly onFailure?: (cookies: readonly CookieChange[]) => void
}

/**
 * Whether the start of a sign-in only sends the visitor to a provider. With other providers, whoever causes it could sign the
 * visitor in with credentials of somebody else, or have mails sent.
 */
export const leadsToProvider = ({ settings: { type } }: ConfiguredProvider): boolean =>
  type === 'oauth' || type === 'oidc'
