import { ACCOUNT_TOKEN_METHODS } from '../account-tokens/token-rows.js'
import { missingMethods } from '../adapters/gateway.js'
import type { Log } from '../logger.js'
import type { ResolvedProvider } from '../providers/provider.js'
import { needsIdTokenHint, revocationOf } from '../providers/resolve-token-facts.js'
import type { AuthConfig } from './options.js'
import { TEST_PROVIDER } from './shared-secret.js'

/** Logs warnings about what sign-outs cannot do at a provider, as far as that is known before its metadata are read. */
export function warnAboutSignOut(
  { accountTokens, adapter }: AuthConfig,
  providers: readonly ResolvedProvider[],
  logger: Log,
): void {
  const keepsTokens = missingMethods(adapter ?? {}, ACCOUNT_TOKEN_METHODS).length === 0
  for (const provider of providers) {
    if ((provider.type !== 'oauth' && provider.type !== 'oidc') || provider.id === TEST_PROVIDER) continue
    if (accountTokens?.revokeAtSignOut && revocationOf(provider) === null) {
      const option = 'accountTokens.revokeAtSignOut'
      logger.warn('contradicted-option', { provider: provider.id, option, reason: NO_REVOCATION })
    }
    if (!keepsTokens && provider.endSession !== null && needsIdTokenHint(provider))
      logger.warn('no-id-token-hint', { provider: provider.id, reason: 'no store keeps it', fix: NO_STORE })
  }
}

const NO_REVOCATION =
  'It has no revocation endpoint that is known, so a sign-out deletes its tokens here and revokes none of them there. If it has one, set tokenFacts: { revocation: { url, dialect } }.'

const NO_STORE =
  'Set `adapter`. Without the ID token the provider asks people at a sign-out, does not lead them back, or refuses it.'
