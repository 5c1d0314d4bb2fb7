import type { Feature } from '../../sign-in/feature.js'
import { ACCOUNT_TOKENS } from './operations.js'
import { type AccountTokensConfiguration, checkAccountTokens } from './options.js'

export { createAccountTokens } from './account-tokens.js'
export { type AccountTokensOptions, accountTokensShape } from './options.js'

/** The tokens that come with accounts at providers. */
export const accountTokens: Feature<AccountTokensConfiguration> = {
  check: checkAccountTokens,
  isUsed: ({ services }) => services.get(ACCOUNT_TOKENS).tokens.revokesAtSignOut,
  happened: {
    async ended({ config, source }, { kind, userId, at }) {
      if (kind !== 'sign-out' || userId === null) return
      await config.services.get(ACCOUNT_TOKENS).tokens.revokeAllOf(userId, at, source)
    },
  },
}
