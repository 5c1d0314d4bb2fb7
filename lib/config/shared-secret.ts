import type { Adapter } from '../adapters/adapter.js'
import { sha256Base64url } from '../crypto/digest.js'
import type { ResolvedProvider } from '../providers/provider.js'

/** What a configuration has in common with others, and what tells it from them. */
export interface SecretHolder {
  /** The newest secret, that of its instance. */
  readonly secret: string
  /** Name of the session cookie, without the prefix that https gives it. */
  readonly sessionCookie: string
  readonly url: string | undefined
  readonly adapter: Adapter | undefined
  readonly providers: readonly ResolvedProvider[]
}

/** Finds configurations that share a secret though they are not the same. */
export interface SharedSecrets {
  /** True once for a secret and session cookie: when a second configuration has them that is no copy of the first. */
  isNewlyShared(holder: SecretHolder): boolean
}

/** Secrets that are remembered at most: the oldest is forgotten first. */
const CAPACITY = 1000

/** A memory of one process. It holds digests only, and no configuration. */
export function createSharedSecrets(): SharedSecrets {
  const identities = new Map<string, string | 'told'>()
  const numbers = new WeakMap<Adapter, number>()
  let count = 0
  const numberOf = (adapter: Adapter) => {
    const known = numbers.get(adapter)
    if (known !== undefined) return known
    count += 1
    numbers.set(adapter, count)
    return count
  }
  /** Copies of one configuration, as a function makes them that gives a new object each time, have the same. */
  const identityOf = ({ url, adapter, providers }: SecretHolder) =>
    sha256Base64url(
      JSON.stringify([
        url ?? null,
        adapter ? numberOf(adapter) : null,
        providers.map((provider) => [provider.id, 'clientId' in provider ? provider.clientId : null]),
      ]),
    )
  return {
    isNewlyShared(holder) {
      const key = sha256Base64url(`${holder.sessionCookie} ${holder.secret}`)
      const identity = identityOf(holder)
      const before = identities.get(key)
      if (before === 'told' || before === identity) return false
      identities.set(key, before === undefined ? identity : 'told')
      const [oldest] = identities.keys()
      if (identities.size > CAPACITY && oldest !== undefined) identities.delete(oldest)
      return before !== undefined
    },
  }
}

/** That of this process. */
export const processSharedSecrets = createSharedSecrets()
