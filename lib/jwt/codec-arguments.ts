import { configurationError } from '../config/configuration-error.js'
import { processEnv } from '../config/env.js'
import { checkSecrets, secretsOr } from '../config/secrets.js'
import { MissingSecretError } from '../errors.js'
import { describeValue } from '../shapes/describe-value.js'

/** One secret, or a list. The first one makes new tokens; a token may have been made with any of them. */
export type Secrets = string | readonly string[]

/**
 * The secrets that a function of `latchkey/jwt` was given. They must be as strong as those of a configuration. The
 * environment does not replace a missing secret: a token would then be made or read with a secret that the caller did not
 * choose.
 *
 * @param call the function, for the message of an error: `decode({ secret })`
 * @throws {AuthError} if there is no secret, or a weak one in production
 */
export function requireSecrets(secret: Secrets | undefined | null, call: string): readonly string[] {
  const secrets = secretsOr(secret ?? undefined, [])
  if (secrets.length === 0) {
    throw new MissingSecretError(`${call} has no secret. Give the secret of the application, such as AUTH_SECRET.`)
  }
  const findings = checkSecrets([{ option: call, secrets }], processEnv().isProduction)
  if (findings.length > 0) throw configurationError(findings)
  return secrets
}

/**
 * The salt that a function of `latchkey/jwt` was given.
 *
 * @throws {TypeError} if it is not a string
 */
export function requireSalt(salt: unknown, call: string): string {
  if (typeof salt === 'string') return salt
  throw new TypeError(`${call} has ${describeValue(salt)} as salt. Give the name of the session cookie.`)
}
