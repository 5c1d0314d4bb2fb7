import { configurationError } from '../config/check-options.js'
import { processEnv } from '../config/env.js'
import { checkSecrets, secretsOr } from '../config/secrets.js'
import type { JWT } from '../kernel/claims.js'
import { describeValue, isRecord } from '../kernel/describe-value.js'
import { JWTSessionError, MissingSecretError, withoutDetails } from '../kernel/errors.js'
import { processClock } from '../sessions/lifetime.js'
import { revokedTokensOf } from '../sessions/revoked-tokens.js'
import { type DecodedSessionToken, withSessionClaim } from '../sessions/session-claim.js'
import { createSessionJwtCodec, encryptClaims } from '../sessions/session-jwt.js'
import { type CustomCodecFunctions, createCustomCodec } from '../sessions/token-writer.js'

/** Auth.js has the same default. */
const THIRTY_DAYS = 30 * 24 * 60 * 60

/** What {@link encode} is called with. */
export interface EncodeParams<Payload = JWT> {
  /** The claims; none by default. Their `iat`, `exp` and `jti` are replaced. */
  token?: Payload | undefined
  /** The secret of the application. Of a list, the first encrypts. */
  secret: Secrets
  /** Name of the session cookie. A token is accepted only in the cookie with this name. */
  salt: string
  /** Seconds until the token expires; 30 days by default. */
  maxAge?: number | undefined
}

/**
 * Makes a session token, in the format of Auth.js. The token gets no session claim of Latchkey. If `token` has one, as
 * {@link decode} gives it, the new token belongs to the same session.
 *
 * @throws {AuthError} if there is no secret, or a weak one in production
 * @throws {TypeError} if another argument cannot be used
 */
export async function encode<Payload = JWT>(params: EncodeParams<Payload>): Promise<string> {
  const { token = {}, secret, salt, maxAge = THIRTY_DAYS } = params
  const secrets = requireSecrets(secret, 'encode({ secret })')
  requireSalt(salt, 'encode({ salt })')
  if (!isRecord(token)) throw new TypeError(`encode({ token }) has ${describeValue(token)}. Give an object of claims.`)
  if (!Number.isFinite(maxAge)) {
    throw new TypeError(`encode({ maxAge }) has ${describeValue(maxAge)}. Give a number of seconds.`)
  }
  const issuedAt = Math.floor(Date.now() / 1000)
  return encryptClaims(secrets, salt, token as JWT, { issuedAt, expiresAt: issuedAt + maxAge })
}

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

/** What {@link decode} is called with. */
export interface DecodeParams {
  /** The token. Without one, the result is null. */
  token?: string | null | undefined
  /** The secret of the application. Of a list, any secret may have made the token. */
  secret: Secrets
  /** Name of the cookie that has the token. */
  salt: string
}

/**
 * The claims of a session token of Latchkey or Auth.js. Null if the token was made with another secret or for another
 * cookie, is damaged, has expired, or if its session was signed out in this process.
 *
 * It does not know whether somebody has confirmed the address of the user since the sign-in: `getSession` refuses a token
 * that began before that.
 *
 * The claim `latchkey` stays in the result, so that `encode` of changed claims continues the same session. Do not send it
 * to browsers. {@link getToken} removes it.
 *
 * @throws {AuthError} if there is no secret, or a weak one in production
 */
export async function decode<Payload = JWT>(params: DecodeParams): Promise<Payload | null> {
  const { token, secret, salt } = params
  const secrets = requireSecrets(secret, 'decode({ secret })')
  requireSalt(salt, 'decode({ salt })')
  if (typeof token !== 'string' || token === '') return null
  const found = await readToken({ token, secrets, secret: [...secrets], salt, decode: undefined })
  if (found === null) return null
  return (found.hasSessionClaim ? withSessionClaim(found) : found.claims) as Payload
}

/** A token, and what is needed to read it. */
interface TokenToRead {
  readonly token: string
  readonly secrets: readonly string[]
  /** The secrets as the application gave them, for its own `decode`. */
  readonly secret: string | string[]
  readonly salt: string
  readonly decode: CustomCodecFunctions['decode']
}

/**
 * Reads a session token. Gives null for every token that is not valid, and for a token whose session was signed out in
 * this process.
 *
 * @throws {JWTSessionError} if `decode` of the application fails: then it is unknown whether the token is valid
 */
export async function readToken(given: TokenToRead): Promise<DecodedSessionToken | null> {
  const { token, secrets, secret, salt, decode } = given
  // The list of sign-outs belongs to this function of the clock.
  const now = processClock
  const builtIn = createSessionJwtCodec(secrets, salt, now, 0)
  const settings = { secret, salt, maxAge: THIRTY_DAYS, now, onFirst: () => {} }
  const codec = createCustomCodec(decode ? { decode } : {}, builtIn, settings)
  let found: DecodedSessionToken | null
  try {
    found = await codec.decode(token)
  } catch (error) {
    throw new JWTSessionError('Could not read a session token.', { err: withoutDetails(error) })
  }
  // Tokens for programs may be restricted to a scope, which the caller would not learn. `getSession` has them.
  if (found?.sessionClaim.kind === 'token') return null
  // This only reads the list, so nothing is forgotten.
  const revoked = revokedTokensOf(secrets, now, () => {})
  return found === null || revoked.has(found) ? null : found
}
