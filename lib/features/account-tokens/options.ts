import type { Adapter } from '../../adapters/adapter.js'
import { missingMethods } from '../../adapters/gateway.js'
import { ACCOUNT_TOKEN_METHODS } from '../../adapters/methods.js'
import { type AuthError, MissingAdapter, MissingAdapterMethods } from '../../kernel/errors.js'
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

/** The part of the options that is about the tokens of accounts. */
export interface AccountTokensConfiguration {
  readonly accountTokens?: AccountTokensOptions | undefined
  readonly adapter?: Adapter | undefined
}

/** What keeps the tokens of accounts from being kept. */
export function checkAccountTokens({ accountTokens, adapter }: AccountTokensConfiguration): AuthError[] {
  if (accountTokens === undefined) return []
  if (!adapter) return [new MissingAdapter(NO_ADAPTER)]
  // A configuration that promises to revoke tokens must be able to.
  const missing = accountTokens.revokeAtSignOut ? missingMethods(adapter, ACCOUNT_TOKEN_METHODS) : []
  if (missing.length === 0) return []
  const message = `The adapter lacks ${missing.join(', ')}, which \`accountTokens.revokeAtSignOut\` needs. Use an adapter of Latchkey.`
  return [new MissingAdapterMethods(message)]
}

const NO_ADAPTER =
  '`accountTokens` is set, and there is no adapter: the tokens of providers are kept with the accounts of stored users. Set `adapter`, and `session: { strategy: "jwt" }` if sessions shall be tokens. Or leave `accountTokens` out.'
