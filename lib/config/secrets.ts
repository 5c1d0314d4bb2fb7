import { type Finding, invalid } from '../kernel/finding.js'
import type { ResolvedProvider } from '../providers/provider.js'
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
export function checkSecrets(sources: readonly SecretSource[], isProduction: boolean): Finding[] {
  const findings: Finding[] = []
  for (const [place, { option, secrets }] of sources.entries()) {
    if (place === 0 && secrets.length === 0) {
      findings.push({ type: 'MissingSecret', message: `There is no secret. ${HOW_TO_MAKE_A_SECRET}` })
    } else if (secrets.some((secret) => typeof secret !== 'string' || secret === '')) {
      const message = `A secret in \`${option}\` is empty or is not a string. ${HOW_TO_MAKE_A_SECRET}`
      findings.push({ type: 'MissingSecret', message })
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
