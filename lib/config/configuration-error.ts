import type { ErrorType } from '../kernel/error-rules.js'
import {
  type AuthError,
  InvalidConfiguration,
  InvalidEndpoints,
  InvalidProvider,
  MissingAdapter,
  MissingAdapterMethods,
  MissingAuthorize,
  MissingSecretError,
} from '../kernel/errors.js'
import type { Finding } from '../kernel/finding.js'

const KINDS: Partial<Record<ErrorType, new (message: string) => AuthError>> = {
  MissingSecret: MissingSecretError,
  MissingAdapter,
  MissingAdapterMethods,
  MissingAuthorize,
  InvalidEndpoints,
  InvalidProvider,
}

/** One error for all findings. Its class is that of the first finding. */
export function configurationError(findings: readonly Finding[]): AuthError {
  const [first] = findings
  const Kind = first?.Kind ?? KINDS[first?.type ?? 'InvalidConfiguration'] ?? InvalidConfiguration
  const [only] = findings
  if (findings.length === 1 && only) return new Kind(only.message)
  return new Kind(
    `The configuration cannot work, for ${findings.length} reasons:\n${findings.map(({ message }) => `- ${message}`).join('\n')}`,
  )
}
