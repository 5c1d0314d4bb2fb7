import type { webcrypto } from 'node:crypto'
import type { Awaitable, CommonProviderOptions, Profile, TokenSet, User } from './user.js'

/** How a provider's button looks. */
export interface OAuthProviderButtonStyles {
  /** Path or `data:` URL of an image on this origin. Marks from other hosts are not loaded. */
  logo?: string
  /** @deprecated colour of the text; it is chosen for contrast now */
  text?: string
  /** @deprecated use `brandColor` */
  bg?: string
  brandColor?: string
}

/** Checks that bind an answer of a provider to the browser and the attempt that asked. */
export type OAuthCheck = 'none' | 'state' | 'pkce'
/** {@link OAuthCheck}, and OpenID Connect's nonce. */
export type OIDCCheck = OAuthCheck | 'nonce'

/** How the application proves who it is at the token endpoint (RFC 7591 §2). */
export type ClientAuthMethod =
  | 'client_secret_basic'
  | 'client_secret_post'
  | 'client_secret_jwt'
  | 'private_key_jwt'
  | 'none'

/** Client metadata that an application may set (RFC 7591 §2). */
export interface ClientOverrides {
  token_endpoint_auth_method?: ClientAuthMethod | (string & {})
  /** Algorithm the ID token must have; by default any that the provider announces, else RS256. `HS256` verifies with the client secret. */
  id_token_signed_response_alg?: string
  userinfo_signed_response_alg?: string
  /** Algorithm of client assertions; by default that of the key, or HS256 for a secret. */
  token_endpoint_auth_signing_alg?: string
  [member: string]: unknown
}

/** A `fetch` of the application's own, for all calls to one provider. */
export type CustomFetch = typeof fetch

/** Key of a provider object under which it may carry a `fetch` of its own, for a proxy or a test. */
export const customFetch: unique symbol = Symbol('custom-fetch')

/** What a parameter given as a function is computed from. */
export interface ClientFacts {
  readonly clientId: string
  readonly clientSecret: string | undefined
}

/**
 * Extra parameters of the authorization request. An object, such as `claims`, is sent as JSON; a function is given
 * {@link ClientFacts}, for providers that want the client id under another name as well.
 */
export type AuthorizationParameters = Record<string, unknown>

/** The authorization endpoint: where the browser goes. */
export interface AuthorizationEndpoint {
  url?: string
  params?: AuthorizationParameters
}

/** What a token endpoint handler works with. */
export interface TokenRequestContext<P> {
  /** Parameters of the callback. */
  params: Readonly<Record<string, string>>
  checks: { readonly code_verifier?: string; readonly state?: string; readonly nonce?: string }
  provider: HookProvider<P>
  /** A `fetch` within Latchkey's limits of time, size and scheme. Absent under other libraries. */
  fetch?: CustomFetch
}

/** What a userinfo endpoint handler works with. */
export interface UserinfoRequestContext<P> {
  tokens: TokenSet
  provider: HookProvider<P>
  /** A `fetch` within Latchkey's limits of time, size and scheme. Absent under other libraries. */
  fetch?: CustomFetch
}

/** A provider as its hooks see it: merged, each endpoint an object, the `url` of userinfo complete with its parameters. */
export type HookProvider<P> = OAuthConfig<P> & { callbackUrl: string; signinUrl: string }

/** What else is known when a profile is read. */
export interface ProfileContext {
  /** Parameters of the callback. */
  readonly params: Readonly<Record<string, string>>
  /** A `fetch` within Latchkey's limits of time, size and scheme. */
  readonly fetch: CustomFetch
}

/** A private key for `private_key_jwt`: a `CryptoKey`, a JWK, or either with its key id. */
export type ClientPrivateKey =
  | webcrypto.CryptoKey
  | webcrypto.JsonWebKey
  | { key: webcrypto.CryptoKey | webcrypto.JsonWebKey; kid?: string }

/** The token endpoint. */
export interface TokenEndpoint<P> {
  url?: string
  /** Further members of the request body; a function is given the callback, and undefined leaves the member out. */
  params?: Record<string, unknown>
  /** Further headers of the request. */
  headers?: Record<string, string>
  /** Replaces the whole request: gives the tokens for a callback's parameters. */
  request?: (context: TokenRequestContext<P>) => Awaitable<{ tokens: TokenSet }>
  /** Turns an answer that breaks RFC 6749 §5.1 into one that keeps it. Undefined leaves the answer as it was. */
  conform?: (response: Response) => Awaitable<Response | undefined>
  /** Signs the client assertion of `private_key_jwt`. */
  clientPrivateKey?: ClientPrivateKey
}

/** The userinfo endpoint. */
export interface UserinfoEndpoint<P> {
  url?: string
  /** Parameters of its query. */
  params?: Record<string, unknown>
  /** Further headers of the request. */
  headers?: Record<string, string>
  /** Replaces the whole request: gives the profile for the tokens. */
  request?: (context: UserinfoRequestContext<P>) => Awaitable<P | Profile | null | undefined>
  /** Turns the answer into JSON with a status of its own. Undefined leaves it as it was. */
  conform?: (response: Response) => Awaitable<Response | undefined>
}

/** Turns a provider's profile into a user. The `id` identifies the account for ever: never an e-mail address or a user name. */
export type ProfileCallback<P> = (profile: P, tokens: TokenSet, context?: ProfileContext) => Awaitable<User>

/**
 * The address of a profile that the provider has verified; null for none. An address of the user counts as confirmed when it is this one.
 */
export type VerifiedEmailCallback<P> = (profile: P) => string | null | undefined

/** Chooses what of the tokens is stored with the account. */
export type AccountCallback = (tokens: TokenSet) => TokenSet | undefined | void

/** A sign-in with an OAuth 2.0 provider (RFC 6749), by the authorization code flow. */
export interface OAuth2Config<P> extends CommonProviderOptions {
  type: 'oauth'
  clientId?: string
  clientSecret?: string
  /** The provider's issuer identifier; compared with the `iss` of its answers (RFC 9207). */
  issuer?: string
  /** The issuer when neither the options nor the environment name one. */
  fallbackIssuer?: string
  /** URL of the metadata document, when it is not at `{issuer}/.well-known/openid-configuration`. */
  wellKnown?: string
  authorization?: string | AuthorizationEndpoint
  token?: string | TokenEndpoint<P>
  userinfo?: string | UserinfoEndpoint<P>
  // biome-ignore lint/suspicious/noExplicitAny: the contract says "any"; a URL text is what works
  jwks_endpoint?: any
  checks?: OAuthCheck[]
  client?: ClientOverrides
  profile?: ProfileCallback<P>
  /** Adds to the profile what the provider gives elsewhere, before `profile()` sees it. */
  completeProfile?: (profile: P, tokens: TokenSet, context: ProfileContext) => Awaitable<P>
  /**
   * The verified address of a profile, where the provider tells it in a way of its own: `(profile) => profile.email` for one whose documentation says
   * that it gives verified addresses only, `() => null` to believe none. By default `email`, where the claim `email_verified` is true.
   */
  verifiedEmail?: VerifiedEmailCallback<P>
  account?: AccountCallback
  /** Makes the client secret for one call, for providers whose secret is a short-lived token. Wins over `clientSecret`. */
  makeClientSecret?: (client: { readonly clientId: string }) => Awaitable<string>
  /** Query parameters of a sign-in request that the provider is told beside the usual ones; never those of the protocol, nor configured ones. */
  forwardedParams?: readonly string[]
  /** Audiences an ID token may name beside this client; any other is refused (OpenID Connect Core 3.1.3.7). */
  trustedAudiences?: readonly string[]
  /**
   * Links a sign-in to an existing user with the same e-mail address, if both sides have confirmed it: the provider says that it has verified it, and the
   * user's `emailVerified` is set. Whoever can register somebody's address there as verified becomes that somebody here.
   */
  allowDangerousEmailAccountLinking?: boolean
  /** Full URL of the mount that providers know, when it is not this one; see `config.redirectProxyUrl`. */
  redirectProxyUrl?: string
  /** Lets the endpoints be plain http outside loopback. Tokens then cross the network in the clear. */
  allowInsecureHttp?: boolean
  /** Sends the request's parameters ahead over the back channel (RFC 9126); by default only when the provider requires it. */
  pushedAuthorizationRequests?: boolean
  style?: OAuthProviderButtonStyles
  [customFetch]?: CustomFetch
  /** Options that the provider's function cannot do without and was not given; reported when the application starts. */
  missingOptions?: readonly string[]
  /** What the application gave the provider's function; wins over the provider's own members. */
  options?: Omit<OAuthUserConfig<P>, 'checks'> & { checks?: readonly OIDCCheck[] }
}

/** A sign-in with an OpenID Connect provider (OpenID Connect Core 1.0), by the authorization code flow. */
export interface OIDCConfig<P> extends Omit<OAuth2Config<P>, 'type' | 'checks' | 'options'> {
  type: 'oidc'
  checks?: OIDCCheck[]
  /** Checks that the provider breaks with, so that they are never added to `checks`, and nobody is warned that they are not there. */
  unsupportedChecks?: readonly ('pkce' | 'nonce')[]
  /** When false, the userinfo endpoint supplies the profile; an ID token must come and is verified all the same. */
  idToken?: boolean
  options?: OIDCUserConfig<P>
}

/** A provider of either protocol. */
export type OAuthConfig<P> = OAuth2Config<P> | OIDCConfig<P>

/** What an application may give the function of an OAuth provider. */
export type OAuthUserConfig<P> = Partial<Omit<OAuth2Config<P>, 'options' | 'missingOptions' | 'type'>>

/** What an application may give the function of an OpenID Connect provider. */
export type OIDCUserConfig<P> = Partial<Omit<OIDCConfig<P>, 'options' | 'missingOptions' | 'type'>>
