import { scopeWords } from '../../account-tokens/access-token.js'
import type { TokenCalls } from '../../account-tokens/token-calls.js'
import { configuredParameter } from '../../providers/authorization-parameters.js'
import type { ResolvedOAuthProvider, ResolvedTokenFacts } from '../../providers/provider.js'
import { revocationOf } from '../../providers/resolve-token-facts.js'
import type { OAuthDependencies } from './dependencies.js'
import { refreshAtProvider } from './refresh-tokens.js'
import { revokeAtProvider } from './revoke-tokens.js'

/** The calls about tokens of one provider. */
export function tokenCalls(provider: ResolvedOAuthProvider, dependencies: OAuthDependencies): TokenCalls {
  const { tokenFacts } = provider
  return {
    configuredScope: scopeWords(configuredParameter(provider, 'scope')).join(' '),
    canRefresh: provider.token.request === undefined,
    mayRepeat: mayRepeat(tokenFacts),
    canRevoke: revocationOf(provider) !== null,
    async prepare() {
      await dependencies.metadataOf(provider)
    },
    refresh: (refreshToken, idToken, accountId) =>
      refreshAtProvider(provider, { refreshToken, idToken, accountId }, dependencies),
    revoke: (tokens) => revokeAtProvider(provider, tokens, dependencies),
  }
}

/**
 * Whether the same refresh token may be sent once more: it is known that its first use has not ended it, or not yet. What is
 * not documented counts as no.
 */
function mayRepeat({ rotates, graceSeconds }: ResolvedTokenFacts): boolean {
  if (typeof graceSeconds === 'number') return graceSeconds > 0
  return rotates === false || rotates === 'sometimes'
}
