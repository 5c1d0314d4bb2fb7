export type { Awaitable } from '../kernel/awaitable.js'

/** The kinds of provider. */
export type ProviderType = 'oidc' | 'oauth' | 'email' | 'credentials' | 'webauthn'

/** The kinds whose sign-in an integration may answer without a redirect. */
export type RedirectableProviderType = 'email' | 'credentials'

/** The person who signs in, as a provider or an application describes them. */
export interface User {
  id?: string | undefined
  name?: string | null | undefined
  email?: string | null | undefined
  image?: string | null | undefined
}

/** What an identity provider says of a person: the claims of OpenID Connect, and any others. */
export interface Profile {
  [claim: string]: unknown
  sub?: string | null
  id?: string | null
  name?: string | null
  given_name?: string | null
  family_name?: string | null
  middle_name?: string | null
  nickname?: string | null
  preferred_username?: string | null
  profile?: string | null
  // biome-ignore lint/suspicious/noExplicitAny: the contract leaves the shape of a picture open
  picture?: any
  website?: string | null
  email?: string | null
  email_verified?: boolean | null
  gender?: string | null
  birthdate?: string | null
  zoneinfo?: string | null
  locale?: string | null
  phone_number?: string | null
  updated_at?: Date | string | number | null
  address?: {
    formatted?: string | null
    street_address?: string | null
    locality?: string | null
    region?: string | null
    postal_code?: string | null
    country?: string | null
  } | null
}

/** The claims of an ID token or of its userinfo answer, which always name the person (OpenID Connect Core 1.0 §2, §5.3.2). */
export interface OpenIDProfile extends Profile {
  sub: string
}

/** Anything that JSON can hold. */
export type JsonValue = string | number | boolean | null | JsonValue[] | { [member: string]: JsonValue | undefined }

/** RFC 9396 authorization details, as the token endpoint granted them. */
export interface AuthorizationDetails {
  readonly type: string
  readonly locations?: string[]
  readonly actions?: string[]
  readonly datatypes?: string[]
  readonly privileges?: string[]
  readonly identifier?: string
  readonly [member: string]: JsonValue | undefined
}

/** The answer of a token endpoint (RFC 6749 §5.1), with `expires_at` computed from `expires_in`. */
export interface TokenSet {
  readonly access_token?: string
  readonly id_token?: string
  readonly refresh_token?: string
  readonly scope?: string
  /** Always lower case. */
  readonly token_type?: Lowercase<string>
  /** Seconds the access token lives, from the answer on. */
  readonly expires_in?: number
  /** Seconds since the epoch when the access token expires. */
  expires_at?: number
  readonly authorization_details?: AuthorizationDetails[]
  readonly [member: string]: JsonValue | undefined
}

/** A person's account at a provider, with the tokens it gave. */
export interface Account extends TokenSet {
  /** Id of the provider. */
  provider: string
  /** OAuth: the id that `profile()` returned; e-mail: the address; credentials: the id that `authorize()` returned. */
  providerAccountId: string
  type: ProviderType
  userId?: string
}

/** Members that every provider has. */
export interface CommonProviderOptions {
  /** Unique among the providers; part of the URLs. */
  id: string
  /** Shown on the button of the sign-in page. */
  name: string
  type: ProviderType
  /**
   * Names of further options of the provider's function, which it leaves on the object. Members with other unknown names
   * are refused as misspelt.
   */
  knownOptions?: readonly string[]
  /** Data of the application for its hooks. Latchkey does not read it. */
  custom?: unknown
}

/** A provider as clients see it, in the answer of the `providers` action. */
export interface PublicProvider {
  id: string
  name: string
  type: ProviderType
  signinUrl: string
  callbackUrl: string
}
