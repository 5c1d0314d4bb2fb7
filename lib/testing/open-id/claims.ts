import { generateKeyPairSync, type JsonWebKey, type KeyObject, sign } from 'node:crypto'

/** A key of a provider. */
export interface SigningKey {
  readonly privateKey: KeyObject
  /** The public half, as the provider publishes it (RFC 7517). */
  readonly jwk: JsonWebKey
}

/** The algorithm of the keys (RFC 7518 §3.4). It is chosen for tests: such a key is made in a millisecond. */
export const ALGORITHM = 'ES256'
const KEY_ID = 'test-key'

/** Makes a key. All keys have the same id, so a signature of another key is wrong, and not only unknown. */
export function makeKey(): SigningKey {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return { privateKey, jwk: { ...publicKey.export({ format: 'jwk' }), kid: KEY_ID, alg: ALGORITHM, use: 'sig' } }
}

/** A signed token with these claims (RFC 7515 §7.1). */
export function signToken(claims: Claims, { privateKey }: SigningKey): string {
  const signed = [{ alg: ALGORITHM, kid: KEY_ID, typ: 'JWT' }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.')
  const signature = sign('sha256', Buffer.from(signed), { key: privateKey, dsaEncoding: 'ieee-p1363' })
  return `${signed}.${signature.toString('base64url')}`
}

/** A person at the provider: their claims (OpenID Connect Core 1.0 §5.1). */
export interface PersonOfProvider {
  /** The id of the account. It never changes, and two people never have the same one. */
  readonly sub: string
  readonly name?: string
  readonly email?: string
  /** True by default if there is an `email`. */
  readonly email_verified?: boolean
  readonly picture?: string
  /** Any other claim. */
  readonly [claim: string]: unknown
}

/** Who signs in when the test does not say. */
export const ANYBODY: PersonOfProvider = {
  sub: 'test-person',
  name: 'Test Person',
  email: 'test.person@example.com',
}

/** Claims that the provider gives only for a scope (OpenID Connect Core 1.0 §5.4). Every other claim needs none. */
const SCOPES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ['name', 'family_name', 'given_name', 'middle_name', 'nickname', 'preferred_username', 'profile', 'picture']
      .concat('website', 'gender', 'birthdate', 'zoneinfo', 'locale', 'updated_at')
      .map((claim) => [claim, 'profile']),
  ),
  email: 'email',
  email_verified: 'email',
  address: 'address',
  phone_number: 'phone',
  phone_number_verified: 'phone',
}

/** Claims of a token or of userinfo. */
export type Claims = Readonly<Record<string, unknown>>

/** The claims of a person that an application gets for the scope of its request. */
export function claimsFor(person: PersonOfProvider, scope: string): Claims {
  const granted = scope.split(' ')
  const all = { ...(person.email !== undefined && { email_verified: true }), ...person }
  return Object.fromEntries(
    Object.entries(all).filter(([claim]) => {
      const needed = SCOPES[claim]
      return needed === undefined || granted.includes(needed)
    }),
  )
}
