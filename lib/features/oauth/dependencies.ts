import type { BackChannelLimits } from '../../kernel/back-channel.js'
import { isFirstTime, type Log } from '../../kernel/logger.js'
import type { OneTimeLedger } from '../../kernel/one-time.js'
import type { OAuthClient, ProviderMetadata } from '../../oauth/metadata.js'
import type { ResolvedOAuthProvider } from '../../providers/provider.js'
import type { Parts } from '../../sign-in/feature.js'
import type { TransactionKind } from '../../sign-in/transaction-kinds.js'
import type { createPostedAnswers, createRedirectProxy } from './redirect-proxy.js'

/** What the OAuth flows need of a configuration. */
export interface OAuthFlowSettings
  extends Pick<Parts, 'secrets' | 'transactions' | 'asksToRemember' | 'now' | 'logger'> {
  /** Whether a sign-out revokes tokens. */
  readonly revokesAtSignOut?: boolean
  /** Patterns of hosts that a redirect proxy hands answers on to; without them it hands on nothing. */
  readonly redirectProxyHosts?: readonly string[]
  /** Limits of every outgoing call. */
  readonly backChannel?: BackChannelLimits
}

/** What both halves of a sign-in work with; made once per engine. */
export interface OAuthDependencies extends OAuthFlowSettings, OAuthClient {
  readonly proxy: ReturnType<typeof createRedirectProxy>
  /** Answers that came with a POST of the provider's site. */
  readonly posted: ReturnType<typeof createPostedAnswers>
  readonly checksOf: CheckChooser
  /** Transactions that were used up. */
  readonly used: OneTimeLedger
  /** Codes that came without a transaction. Anybody can make them up, so they have a ledger of their own. */
  readonly usedCodes: OneTimeLedger
}

/** A sign-in at a provider. */
export const OAUTH_TRANSACTION: TransactionKind = {
  name: 'oauth',
  cookies: {
    state: { name: 'authjs.state', purpose: 'state' },
    pkceCodeVerifier: { name: 'authjs.pkce.code_verifier', purpose: 'pkce' },
    nonce: { name: 'authjs.nonce', purpose: 'nonce' },
  },
  secretOption: 'jwt.secret',
  timeUnitMs: 1000,
  makesRoom: true,
}

/** The values that bind an answer to the browser and the transaction that it answers. */
export type CheckName = 'state' | 'pkce' | 'nonce'

/** Gives the checks of one transaction. */
export type CheckChooser = (provider: ResolvedOAuthProvider, metadata: ProviderMetadata) => ReadonlySet<CheckName>

/**
 * The checks of a transaction: the provider's own, and further ones where these would not bind the code of an OpenID
 * provider to the transaction.
 *
 * PKCE alone protects nothing at a server that does not announce PKCE, so state and nonce are added there. State alone
 * ties the answer to the browser, but a code that was stolen from another sign-in would still be accepted: PKCE is
 * added if the server announces it, else a nonce if the server announces that. If it announces neither, it may fail
 * with either: then nothing is added, and there is a warning, once for each provider (RFC 9700 §2.1.1 and §4.5).
 */
export function createCheckChooser(logger: Log): CheckChooser {
  return (provider, { server, isDiscovered }) => {
    const { checks, type, unsupportedChecks, token } = provider
    if (type !== 'oidc' || checks.size === 0) return checks
    const announcesPkce = lists(server.code_challenge_methods_supported, 'S256')
    if (checks.has('pkce')) {
      return !isDiscovered || announcesPkce ? checks : new Set([...checks, 'state', 'nonce'] as const)
    }
    if (checks.has('nonce')) return checks
    // A hook that makes the token request may not send the verifier.
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
