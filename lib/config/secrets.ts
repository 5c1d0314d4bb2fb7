import { onceFor } from '../kernel/awaitable.js'
import { sha256Base64url } from '../kernel/digest.js'
import { type AuthError, MissingSecretError } from '../kernel/errors.js'
import { invalid } from '../kernel/shape.js'
import type { Provider, ResolvedProvider } from '../providers/provider.js'
import type { AuthConfig } from './options.js'

/** Anybody who has one cookie can find a shorter secret by trying. */
const MIN_SECRET_BYTES = 32

const HOW_TO_MAKE_A_SECRET =
  'Set AUTH_SECRET, or `secret` in the configuration. `npx latchkey secret` writes a good one to .env.'

/** The secrets of one option, or those of the environment if the option is missing. */
export interface SecretSource {
  /** The option, as messages name it; `AUTH_SECRET` for all secrets of the environment. */
  readonly option: string
  /** Newest first. */
  readonly secrets: readonly string[]
}

/** All options that have secrets, that of the whole configuration first. All are checked by the same rule. */
export const secretSources = (
  configured: readonly string[],
  { secret, jwt }: AuthConfig,
  providers: readonly ResolvedProvider[],
): readonly SecretSource[] => [
  // Without the option, the secrets are those of the environment; `options.secret` may be an empty list.
  { option: secretsOr(secret, []).length > 0 ? 'secret' : 'AUTH_SECRET', secrets: configured },
  { option: 'jwt.secret', secrets: secretsOr(jwt?.secret, []) },
  ...providers.flatMap((provider) =>
    provider.type === 'email' && provider.secrets !== undefined
      ? [{ option: `the e-mail provider "${provider.id}", secret`, secrets: provider.secrets }]
      : [],
  ),
]

/** The secrets of an option, or other secrets if it has none. An empty string counts as none: a variable may be unset. */
export const secretsOr = (
  value: string | readonly string[] | undefined,
  fallback: readonly string[],
): readonly string[] => {
  const list = typeof value === 'string' ? [value] : (value ?? [])
  return list.length === 0 || list[0] === '' ? fallback : list
}

/** What keeps the secrets of a configuration from working. */
export function checkSecrets(sources: readonly SecretSource[], isProduction: boolean): AuthError[] {
  const findings: AuthError[] = []
  for (const [place, { option, secrets }] of sources.entries()) {
    if (place === 0 && secrets.length === 0) {
      findings.push(new MissingSecretError(`There is no secret. ${HOW_TO_MAKE_A_SECRET}`))
    } else if (secrets.some((secret) => typeof secret !== 'string' || secret === '')) {
      const message = `A secret in \`${option}\` is empty or is not a string. ${HOW_TO_MAKE_A_SECRET}`
      findings.push(new MissingSecretError(message))
    } else if (secrets.some(isPlaceholder)) {
      const message = `A secret in \`${option}\` is not a secret: it is a command or a variable that no shell has replaced, or a placeholder. A file of variables is not a script. ${HOW_TO_MAKE_A_SECRET}`
      findings.push(invalid(message))
    } else if (isProduction && secrets.some(isWeak)) {
      const message = `A secret in \`${option}\` has fewer than ${MIN_SECRET_BYTES} bytes, or is one character repeated. ${HOW_TO_MAKE_A_SECRET}`
      findings.push(invalid(message))
    }
  }
  return findings
}

/** Secrets that have no effect, each as a sentence that says what the mistake may be. */
export function uselessSecrets(sources: readonly SecretSource[], unread: readonly string[]): string[] {
  return [
    ...sources
      .filter(({ secrets }) => new Set(secrets).size < secrets.length)
      .map(
        ({ option }) =>
          `\`${option}\` has one secret twice. If secrets are being rotated, this process lacks the other secret.`,
      ),
    ...unread.map(
      (name) => `\`${name}\` is not read. Latchkey reads AUTH_SECRET, AUTH_SECRET_1, AUTH_SECRET_2 and AUTH_SECRET_3.`,
    ),
  ]
}

/** The options that have a weak secret. */
export const weakSources = (sources: readonly SecretSource[]): readonly string[] =>
  sources.filter(({ secrets }) => secrets.some(isWeak)).map(({ option }) => option)

/**
 * Whether a text was meant to be replaced by a secret. It is in documents that everybody can read: `$(openssl rand -base64 33)`,
 * `${AUTH_SECRET}`, `your-secret-here`.
 */
const isPlaceholder = (secret: string): boolean => PLACEHOLDERS.some((pattern) => pattern.test(secret.trim()))

const PLACEHOLDERS = [
  /\$\(.*\)/su,
  /^`.*`$/su,
  /^\$(?:\{.*\}|[a-z_]\w*)$/isu,
  /^openssl\s+rand\b/iu,
  /^(?:…|\.{3,}|<.*>)$/su,
  /^(?:(?:your|my|a|the|some|super|auth|next-?auth)[-_ ]*)*secret(?:[-_ ]*(?:here|key|value|string|goes))*$/iu,
  /^(?:change|replace)[-_ ]*(?:me|this)\b/iu,
]

const isWeak = (secret: string) => Buffer.byteLength(secret) < MIN_SECRET_BYTES || /^(.)\1*$/su.test(secret)

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
export function createSharedSecrets() {
  /** By secret and cookie: the digest of the first configuration; `reported` once there was a different one. */
  const identities = new Map<string, string | 'reported'>()
  let count = 0
  const numberOf = onceFor((_store: object) => {
    count += 1
    return count
  })
  /**
   * A text that is the same for copies of one configuration. A function that returns a new object for each request makes
   * such copies, and so does a test. Functions of copies differ, and their code does not. A store is the object that it is.
   */
  const comparedText = (value: unknown, name = '', within: readonly unknown[] = []): string => {
    if (typeof value === 'function') return sha256Base64url(String(value))
    if (typeof value !== 'object' || value === null || within.includes(value)) return `${typeof value} ${String(value)}`
    if (name === 'adapter' || name === 'store') return `store ${numberOf(value)}`
    const prototype = Object.getPrototypeOf(value) as object | null
    if (value instanceof URL || value instanceof RegExp) return String(value)
    const isPlain = prototype === null || prototype === Object.prototype || Array.isArray(value)
    if (!isPlain) return sha256Base64url(String(prototype.constructor))
    const members = Reflect.ownKeys(value).filter((key) => key !== 'length' && !isLeftOut(String(key)))
    const texts = members.map((key) => [
      String(key),
      comparedText(Reflect.get(value, key), String(key), [...within, value]),
    ])
    return JSON.stringify(texts.filter(([, text]) => text !== ABSENT).toSorted())
  }
  const identityOf = ({ url, providers, options }: ComparedConfiguration) =>
    sha256Base64url(
      comparedText({
        url,
        providers: providers.filter(({ id }) => id !== TEST_PROVIDER),
        options: { ...options, providers: options.providers.filter((given) => !isForTest(given)) },
      }),
    )
  return {
    /**
     * Whether a different configuration before this one had the same secret and the same session cookie. True only once
     * for a secret and cookie, so that there is one warning. Copies of one configuration do not count as different.
     */
    isNewlyShared(configuration: ComparedConfiguration): boolean {
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

/** Finds different configurations that share a secret. */
export type SharedSecrets = ReturnType<typeof createSharedSecrets>

/** The memory that all configurations of this process share. */
export const processSharedSecrets = createSharedSecrets()
