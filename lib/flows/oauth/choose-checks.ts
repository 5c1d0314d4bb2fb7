import { isFirstTime, type LoggerInstance } from '../../logger.js'
import type { ResolvedOAuthProvider } from '../../providers/provider.js'
import type { CheckName } from './authorization-transaction.js'
import type { ProviderMetadata } from './metadata.js'

/** Gives the checks of one transaction. */
export type CheckChooser = (provider: ResolvedOAuthProvider, metadata: ProviderMetadata) => ReadonlySet<CheckName>

/**
 * The checks of a transaction: the provider's own, and further ones where these would not bind the code of an OpenID
 * provider to the transaction.
 *
 * PKCE alone protects nothing at a server that does not announce PKCE, so state and nonce are added there. State alone
 * ties the answer to the browser, and a code that was stolen elsewhere would still be accepted: PKCE or a nonce is
 * added, whichever the server announces. Where it announces neither, nothing is added, since such servers may fail with
 * either, and there is a warning, once for each provider (RFC 9700 §2.1.1 and §4.5).
 */
export function createCheckChooser(logger: LoggerInstance): CheckChooser {
  return (provider, { server, isDiscovered }) => {
    const { checks, type, unsupportedChecks, token } = provider
    if (type !== 'oidc' || checks.size === 0) return checks
    const announcesPkce = lists(server.code_challenge_methods_supported, 'S256')
    if (checks.has('pkce')) {
      return !isDiscovered || announcesPkce ? checks : new Set([...checks, 'state', 'nonce'] as const)
    }
    if (checks.has('nonce')) return checks
    // A hook that makes the token request may not know that there is a verifier to be sent.
    if (announcesPkce && !token.request && !unsupportedChecks.has('pkce')) return new Set([...checks, 'pkce'] as const)
    if (lists(server.claims_supported, 'nonce') && !unsupportedChecks.has('nonce'))
      return new Set([...checks, 'nonce'] as const)
    const isKnown = unsupportedChecks.has('pkce') && unsupportedChecks.has('nonce')
    if (!isKnown && isFirstTime(provider, 'unbound-code')) logger.warn('unbound-code', { provider: provider.id })
    return checks
  }
}

/** Whether a member of metadata, which may be anything, is a list with a value. */
const lists = (member: unknown, value: string): boolean => Array.isArray(member) && member.includes(value)
