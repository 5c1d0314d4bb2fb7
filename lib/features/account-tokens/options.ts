import { object } from '../../kernel/object-shape.js'
import { flag, seconds } from '../../kernel/shape.js'

/** How the tokens that providers give at sign-ins are kept. */
export interface AccountTokensOptions {
  /** Whether tokens are encrypted in the store, with the secret: true by default, if the adapter is one of Latchkey. */
  encrypt?: boolean
  /** Seconds before its expiry from which on `getAccessToken` refreshes an access token: 60 by default. */
  refreshBefore?: number
  /**
   * Whether a sign-out deletes the tokens of all accounts of the user, and revokes them at the providers; false by default.
   * Other browsers of the user, and jobs of the application, then have no tokens either.
   */
  revokeAtSignOut?: boolean
}

export const accountTokensShape = object<AccountTokensOptions>({
  encrypt: flag,
  refreshBefore: seconds(0, { most: 24 * 60 * 60 }),
  revokeAtSignOut: flag,
})
