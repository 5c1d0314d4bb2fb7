import type { ProviderWithFlow } from '../config/config.js'
import type { CookieChange } from '../http/cookies.js'

/** Where a request may come from whose form code of the application submits. */
export interface SubmitOptions {
  /**
   * Whether anybody may have caused it, such as the author of a link that the visitor has followed. Only a sign-in at a
   * provider can begin so, and it adds no account to the user who is signed in. Everything else is checked as without it.
   */
  readonly mayBeForged?: boolean
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
export const leadsToProvider = ({ settings: { type } }: ProviderWithFlow): boolean =>
  type === 'oauth' || type === 'oidc'
