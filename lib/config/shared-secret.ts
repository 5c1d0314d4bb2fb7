import { sha256Base64url } from '../kernel/digest.js'
import type { Provider, ResolvedProvider } from '../providers/provider.js'
import type { AuthConfig } from './options.js'

/** What is compared of two configurations. */
export interface ComparedConfiguration {
  /** The newest secret, that of its instance. */
  readonly secret: string
  /** Name of the session cookie, without the prefix that https gives it. */
  readonly sessionCookie: string
  readonly url: string | undefined
  readonly providers: readonly ResolvedProvider[]
  /** As they were given, so that they have the code of the application. */
  readonly options: Pick<AuthConfig, 'providers'>
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

const isForTest = (given: Provider) => typeof given !== 'function' && given.options?.id === TEST_PROVIDER

const ABSENT = 'undefined undefined'

/**
 * What copies of one configuration may have different: secrets that are made anew, as Apple's, and what says nothing about who is let
 * in. Latchkey itself sets `marksLastUsed` for a test.
 */
const isLeftOut = (name: string) => /secret$|^(?:logger|marksLastUsed)$/i.test(name)

/** The most secrets that are remembered. The oldest is forgotten first. */
const CAPACITY = 1000

/** Creates a memory of configurations. It has only digests of them. */
export function createSharedSecrets(): SharedSecrets {
  /** By secret and cookie: the digest of the first configuration; `reported` once there was a different one. */
  const identities = new Map<string, string | 'reported'>()
  const numbers = new WeakMap<object, number>()
  let count = 0
  const numberOf = (store: object) => {
    const known = numbers.get(store)
    if (known !== undefined) return known
    count += 1
    numbers.set(store, count)
    return count
  }
  /**
   * A text that is the same for copies of one configuration. A function that returns a new object for each request makes
   * such copies, and so does a test. Functions of copies differ, and their code does not. A store is the object that it is.
   */
  const textOf = (value: unknown, name = '', within: readonly unknown[] = []): string => {
    if (typeof value === 'function') return sha256Base64url(String(value))
    if (typeof value !== 'object' || value === null || within.includes(value)) return `${typeof value} ${String(value)}`
    if (name === 'adapter' || name === 'store') return `store ${numberOf(value)}`
    const prototype = Object.getPrototypeOf(value) as object | null
    if (value instanceof URL || value instanceof RegExp) return String(value)
    const isPlain = prototype === null || prototype === Object.prototype || Array.isArray(value)
    if (!isPlain) return sha256Base64url(String(prototype.constructor))
    const members = Reflect.ownKeys(value).filter((key) => key !== 'length' && !isLeftOut(String(key)))
    const texts = members.map((key) => [String(key), textOf(Reflect.get(value, key), String(key), [...within, value])])
    return JSON.stringify(texts.filter(([, text]) => text !== ABSENT).toSorted())
  }
  const identityOf = ({ url, providers, options }: ComparedConfiguration) =>
    sha256Base64url(
      textOf({
        url,
        providers: providers.filter(({ id }) => id !== TEST_PROVIDER),
        options: { ...options, providers: options.providers.filter((given) => !isForTest(given)) },
      }),
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
