import { generateKeyPairSync, type JsonWebKey, type KeyObject, sign } from 'node:crypto'

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

/**
 * What a fake provider can do wrong.
 *
 * The answer that the browser brings back:
 * - `access-denied`: the person presses Cancel, or may not use the application
 * - `server-error`: the provider failed, and says so
 * - `wrong-state`: the answer belongs to another request
 * - `wrong-response-issuer`: the answer says that it is of another provider (RFC 9207)
 *
 * The token endpoint:
 * - `invalid-grant`: the code, or the refresh token, is refused
 * - `invalid-client`: the client secret is refused
 * - `internal-error`: status 500, with a page in HTML
 * - `no-id-token`: an answer without an ID token
 *
 * The ID token:
 * - `bad-signature`: another key signed it
 * - `wrong-issuer`, `wrong-audience`, `wrong-nonce`: it is of another provider, for another application, for another sign-in
 * - `expired-id-token`: it was good until ten minutes ago
 * - `clock-ahead`, `clock-behind`: the clock of the provider is an hour from that of the application
 *
 * The person:
 * - `no-email`: there is no address
 * - `unverified-email`: the provider has not verified the address
 * - `wrong-subject`: the userinfo endpoint answers with another person
 *
 * The connection, for calls of the application; what the browser opens still works:
 * - `slow`: no call is answered until `behave()`
 * - `down`: every connection breaks
 */
export type Misbehaviour =
  | 'access-denied'
  | 'server-error'
  | 'wrong-state'
  | 'wrong-response-issuer'
  | 'invalid-grant'
  | 'invalid-client'
  | 'internal-error'
  | 'no-id-token'
  | 'bad-signature'
  | 'wrong-issuer'
  | 'wrong-audience'
  | 'wrong-nonce'
  | 'expired-id-token'
  | 'clock-ahead'
  | 'clock-behind'
  | 'no-email'
  | 'unverified-email'
  | 'wrong-subject'
  | 'slow'
  | 'down'

/** An answer of the provider. An object is sent as JSON, and a text as HTML, if no header says otherwise. */
export interface ProviderAnswer {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: object | string
}

/** What a misbehaviour changes of what a provider does. */
export interface Changes {
  /** Parameters of the answer that the browser brings back. With an `error`, there is no code. */
  readonly response?: Readonly<Record<string, string>>
  /** What the token endpoint answers. */
  readonly token?: ProviderAnswer
  /** The claims of the person, in the ID token and at the userinfo endpoint. */
  readonly person?: (claims: Claims) => Claims
  /** The claims of the ID token; null for no ID token. */
  readonly idToken?: ((claims: Claims) => Claims) | null
  readonly signsWithAnotherKey?: boolean
  /** The claims at the userinfo endpoint. */
  readonly userinfo?: (claims: Claims) => Claims
  /** Seconds by which the clock of the provider is ahead. */
  readonly clockOffset?: number
  /** What happens to calls of the application. It ends with `behave()` only: the calls of one sign-in cannot be told apart. */
  readonly connection?: 'silent' | 'broken'
}

const HOUR = 60 * 60
const ELSEWHERE = 'https://another-provider.example'

const refused = (error: string, status = 400): ProviderAnswer => ({
  status,
  body: { error, error_description: 'The test asked for it.' },
})

/** What each misbehaviour changes. */
export const CHANGES: Readonly<Record<Misbehaviour, Changes>> = {
  'access-denied': { response: { error: 'access_denied' } },
  'server-error': { response: { error: 'server_error' } },
  'wrong-state': { response: { state: 'the-state-of-another-request' } },
  'wrong-response-issuer': { response: { iss: ELSEWHERE } },
  'invalid-grant': { token: refused('invalid_grant') },
  'invalid-client': { token: refused('invalid_client', 401) },
  'internal-error': { token: { status: 500, body: '<h1>Internal Server Error</h1>' } },
  'no-id-token': { idToken: null },
  'bad-signature': { signsWithAnotherKey: true },
  'wrong-issuer': { idToken: (claims) => ({ ...claims, iss: ELSEWHERE }) },
  'wrong-audience': { idToken: (claims) => ({ ...claims, aud: 'another-client' }) },
  'wrong-nonce': { idToken: (claims) => ({ ...claims, nonce: 'the-nonce-of-another-sign-in' }) },
  'expired-id-token': {
    // More than any tolerance for clocks, but not so old that its age would be a second reason.
    idToken: ({ iat, ...claims }) => ({ ...claims, iat: Number(iat) - HOUR / 2, exp: Number(iat) - HOUR / 6 }),
  },
  'clock-ahead': { clockOffset: HOUR },
  'clock-behind': { clockOffset: -HOUR },
  'no-email': { person: ({ email: _, email_verified: __, ...claims }) => claims },
  'unverified-email': { person: (claims) => ({ ...claims, email_verified: false }) },
  'wrong-subject': { userinfo: (claims) => ({ ...claims, sub: 'another-person' }) },
  slow: { connection: 'silent' },
  down: { connection: 'broken' },
}
