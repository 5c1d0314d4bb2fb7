import type { ResolvedOAuthProvider } from '../providers/provider.js'
import type { KeySets } from './key-sets.js'
import type { MetadataSource } from './metadata.js'

/** What calls to providers work with; made once per configuration. */
export interface OAuthClient {
  readonly metadataOf: MetadataSource
  readonly keySets: KeySets
  /** The `fetch` for calls to a provider, within its limits. */
  channelOf(provider: ResolvedOAuthProvider): typeof fetch
  /** Milliseconds since the epoch. */
  readonly now: () => number
}
