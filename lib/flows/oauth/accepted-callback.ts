import type { LogSource } from '../../logger.js'
import type { HookProvider, ResolvedOAuthProvider } from '../../providers/provider.js'
import type { AuthorizationTransaction } from './authorization-transaction.js'
import type { OAuthDependencies } from './dependencies.js'
import type { ProviderMetadata } from './metadata.js'

/** A callback whose answer was checked and whose transaction was used up: what the steps to an identity work with. */
export interface AcceptedCallback {
  readonly provider: ResolvedOAuthProvider
  readonly transaction: AuthorizationTransaction
  readonly metadata: ProviderMetadata
  /** The authorization code. */
  readonly code: string
  /** Parameters of the answer, as hooks see them. */
  readonly params: Readonly<Record<string, string>>
  /** The provider as its hooks see it. */
  // biome-ignore lint/suspicious/noExplicitAny: the profile's type is known to the provider's own hooks only
  readonly hookProvider: HookProvider<any>
  /** Calls the provider, within the limits of {@link OAuthDependencies.channelOf}. */
  readonly fetch: typeof fetch
  /** Texts that must not appear in any error. Grows with what the provider sends. */
  readonly secrets: Set<string>
  readonly dependencies: OAuthDependencies
  /** The request as it came, which lines of the log are about. */
  readonly source: LogSource | undefined
}
