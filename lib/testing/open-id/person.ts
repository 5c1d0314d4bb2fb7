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
