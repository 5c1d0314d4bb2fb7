import type { Adapter } from '../adapters/adapter.js'
import { sha256Base64url } from '../crypto/digest.js'
import type { ResolvedProvider } from '../providers/provider.js'

/** What is compared of two configurations. */
export interface ComparedConfiguration {
  /** The newest secret, that of its instance. */
  readonly secret: string
  /** Name of the session cookie, without the prefix that https gives it. */
  readonly sessionCookie: string
  readonly url: string | undefined
  readonly adapter: Adapter | undefined
  readonly providers: readonly ResolvedProvider[]
  /** Names of the callbacks that the application has set. Functions of copies differ, and their names do not. */
  readonly callbacks: readonly string[]
}

/** Finds different configurations that share a secret. */
export interface SharedSecrets {
  /**
   * Whether a different configuration before this one had the same secret and the same session cookie. True only once
   * for a secret and cookie, so that there is one warning. Copies of one configuration do not count as different.
   */
  isNewlyShared(configuration: ComparedConfiguration): boolean
}

/** Id of the provider with which `signInAs` of `latchkey/testing` signs somebody in to a configuration under test. */
export const TEST_PROVIDER = 'latchkey-testing'

/** The most secrets that are remembered. The oldest is forgotten first. */
const CAPACITY = 1000

/** Creates a memory of configurations. It has only digests of them. */
export function createSharedSecrets(): SharedSecrets {
  /** By secret and cookie: the digest of the first configuration; `reported` once there was a different one. */
  const identities = new Map<string, string | 'reported'>()
  const numbers = new WeakMap<Adapter, number>()
  let count = 0
  const numberOf = (adapter: Adapter) => {
    const known = numbers.get(adapter)
    if (known !== undefined) return known
    count += 1
    numbers.set(adapter, count)
    return count
  }
  /**
   * The same for copies of one configuration. A function that returns a new object for each request makes such copies, and so
   * does a test.
   */
  const identityOf = ({ url, adapter, providers, callbacks }: ComparedConfiguration) =>
    sha256Base64url(
      JSON.stringify([
        url ?? null,
        adapter ? numberOf(adapter) : null,
        providers
          .filter(({ id }) => id !== TEST_PROVIDER)
          .map((provider) => [provider.id, 'clientId' in provider ? provider.clientId : null]),
        callbacks.toSorted(),
      ]),
    )
  return {
    isNewlyShared(configuration) {
      const key = sha256Base64url(`${configuration.sessionCookie} ${configuration.secret}`)
      const identity = identityOf(configuration)
      const before = identities.get(key)
      if (before === 'reported' || before === identity) return false
      identities.set(key, before === undefined ? identity : 'reported')
      const [oldest] = identities.keys()
      if (identities.size > CAPACITY && oldest !== undefined) identities.delete(oldest)
      return before !== undefined
    },
  }
}

/** The memory that all configurations of this process share. */
export const processSharedSecrets = createSharedSecrets()
