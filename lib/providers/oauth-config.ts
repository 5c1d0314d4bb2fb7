import type {
  ClientCertificate,
  ClientOverrides,
  ClientPrivateKey,
  DPoPOptions,
  RequestObjects,
} from './client-config.js'
import type { TokenFacts } from './token-facts.js'
import type { Awaitable, CommonProviderOptions, Profile, TokenSet, User } from './user.js'

/** How a provider's button looks. */
export interface OAuthProviderButtonStyles {
  /** Path of an image on this origin, or a `data:` URL. Images of other hosts are not loaded. */
  logo?: string
  /** @deprecated the colour of the text, which Latchkey now chooses for its contrast */
  text?: string
  /** @deprecated use `brandColor` */
  bg?: string
  brandColor?: string
}

/** Checks that an authorization response belongs to this browser and to its transaction. */
export type OAuthCheck = 'none' | 'state' | 'pkce'
/** {@link OAuthCheck}, and the nonce of OpenID Connect. */
export type OIDCCheck = OAuthCheck | 'nonce'

/** A function of the application that replaces `fetch` for all calls to one provider. */
export type CustomFetch = typeof fetch

/** Key of a provider object for a {@link CustomFetch}, which a proxy or a test may need. */
export const customFetch: unique symbol = Symbol('custom-fetch')

/** The argument of a parameter that is a function. */
export interface ClientFacts {
  readonly clientId: string
  readonly clientSecret: string | undefined
}

/**
 * Extra parameters of the authorization request. An object, such as `claims`, is sent as JSON. A function is called with
 * {@link ClientFacts}, for providers that require the client id under a second name.
 */
export type AuthorizationParameters = Record<string, unknown>

/** The authorization endpoint, to which the browser is redirected. */
export interface AuthorizationEndpoint {
  url?: string
  params?: AuthorizationParameters
}

/** What a `token.request` hook is called with. */
export interface TokenRequestContext<P> {
  /** Parameters of the callback. */
  params: Readonly<Record<string, string>>
  checks: { readonly code_verifier?: string; readonly state?: string; readonly nonce?: string }
  provider: HookProvider<P>
  /** A `fetch` with the limits of Latchkey for time, size and scheme. Absent if another library calls the hook. */
  fetch?: CustomFetch
}

/** What a `userinfo.request` hook is called with. */
export interface UserinfoRequestContext<P> {
  tokens: TokenSet
  provider: HookProvider<P>
  /** A `fetch` with the limits of Latchkey for time, size and scheme. Absent if another library calls the hook. */
  fetch?: CustomFetch
}

/**
 * The provider that hooks get. Its options are merged in, and each endpoint is an object. The `url` of userinfo has its
 * parameters.
 */
export type HookProvider<P> = OAuthConfig<P> & { callbackUrl: string; signinUrl: string }

/** What else hooks get that read a profile. */
export interface ProfileContext {
  /** Parameters of the callback. */
  readonly params: Readonly<Record<string, string>>
  /** A `fetch` with the limits of Latchkey for time, size and scheme. */
  readonly fetch: CustomFetch
}

/** The token endpoint. */
export interface TokenEndpoint<P> {
  url?: string
  /** Further members of the request body. A function is called with the callback; undefined leaves the member out. */
  params?: Record<string, unknown>
  /** Further headers of the request. */
  headers?: Record<string, string>
  /** Replaces the whole request: returns the tokens for the parameters of a callback. */
  request?: (context: TokenRequestContext<P>) => Awaitable<{ tokens: TokenSet }>
  /** Returns an answer that conforms to RFC 6749 §5.1, made of one that does not. Undefined leaves the answer unchanged. */
  conform?: (response: Response) => Awaitable<Response | undefined>
  /** Signs the client assertion of `private_key_jwt`. Of a list, the first signs, and the others are published with it. */
  clientPrivateKey?: ClientPrivateKey | readonly ClientPrivateKey[]
}

/** The userinfo endpoint. */
export interface UserinfoEndpoint<P> {
  url?: string
  /** Parameters of its query. */
  params?: Record<string, unknown>
  /** Further headers of the request. */
  headers?: Record<string, string>
  /** Replaces the whole request: returns the profile for the tokens. */
  request?: (context: UserinfoRequestContext<P>) => Awaitable<P | Profile | null | undefined>
  /** Returns an answer that is JSON, with the right status. Undefined leaves the answer unchanged. */
  conform?: (response: Response) => Awaitable<Response | undefined>
}

/**
 * Makes a user of a profile. The `id` identifies the account for ever, so it must not be an e-mail address or a user name.
 */
export type ProfileCallback<P> = (profile: P, tokens: TokenSet, context?: ProfileContext) => Awaitable<User>

/**
 * The address of a profile that the provider has verified; null for none. The address of the user counts as confirmed if it
 * is the same.
 */
export type VerifiedEmailCallback<P> = (profile: P) => string | null | undefined

/** Chooses which tokens are stored with the account. */
export type AccountCallback = (tokens: TokenSet) => TokenSet | undefined | void

/** A sign-in with an OAuth 2.0 provider (RFC 6749), by the authorization code flow. */
export interface OAuth2Config<P> extends CommonProviderOptions {
  type: 'oauth'
  clientId?: string | undefined
  clientSecret?: string | undefined
  /** The provider's issuer identifier; compared with the `iss` of its answers (RFC 9207). */
  issuer?: string | undefined
  /** The issuer, if neither the options nor the environment have one. */
  fallbackIssuer?: string
  /** URL of the metadata document, if it is not at `{issuer}/.well-known/openid-configuration`. */
  wellKnown?: string | undefined
  authorization?: string | AuthorizationEndpoint
  token?: string | TokenEndpoint<P>
  userinfo?: string | UserinfoEndpoint<P>
  // biome-ignore lint/suspicious/noExplicitAny: the contract says "any"; a URL text is what works
  jwks_endpoint?: any
  checks?: OAuthCheck[]
  client?: ClientOverrides
  profile?: ProfileCallback<P>
  /** Adds data to the profile that the provider gives at another place, before `profile()` is called. */
  completeProfile?: (profile: P, tokens: TokenSet, context: ProfileContext) => Awaitable<P>
  /**
   * The verified address of a profile. By default `email`, if the claim `email_verified` is true. Write
   * `(profile) => profile.email` if the provider documents that all its addresses are verified, and `() => null` to trust
   * none.
   */
  verifiedEmail?: VerifiedEmailCallback<P>
  account?: AccountCallback
  /** Makes the client secret for one call, if the secret is a short-lived token. It is used instead of `clientSecret`. */
  makeClientSecret?: (client: { readonly clientId: string }) => Awaitable<string>
  /**
   * Further query parameters of a sign-in request that are sent to the provider. Parameters of the protocol and configured
   * parameters are never taken from the request.
   */
  forwardedParams?: readonly string[]
  /**
   * Other audiences that an ID token may have beside this client. All others are refused (OpenID Connect Core 3.1.3.7). With
   * `'*'`, all are trusted: for providers that name every application of a project. In each case, a token for several
   * audiences must have been issued to this client (`azp`).
   */
  trustedAudiences?: readonly string[]
  /**
   * Links a sign-in to an existing user with the same e-mail address, if the provider says that it has verified the address,
   * and `emailVerified` of the user is set. It is dangerous: a person who gets somebody's address verified at the provider
   * can sign in as that user.
   */
  allowDangerousEmailAccountLinking?: boolean
  /** Full URL of the mount that is registered with the provider, if it is not this one; see `config.redirectProxyUrl`. */
  redirectProxyUrl?: string | undefined
  /** Allows endpoints with plain http outside of this machine. Then tokens cross the network unencrypted. */
  allowInsecureHttp?: boolean
  /**
   * Sends the parameters of the authorization request over the back channel first (RFC 9126); by default only if the
   * provider requires it.
   */
  pushedAuthorizationRequests?: boolean
  /**
   * Signs authorization requests (RFC 9101). By default, they are signed only if the provider requires it and there is a key.
   */
  requestObjects?: boolean | RequestObjects
  /** Keys that decrypt what the provider encrypts for this client: ID tokens, userinfo answers, authorization responses. */
  decryptionKeys?: ClientPrivateKey | readonly ClientPrivateKey[]
  /**
   * Whom client assertions are for (`private_key_jwt`, `client_secret_jwt`): `issuer`, the default, or `token_endpoint`
   * where a server takes nothing else. Its risk: a dishonest server that names the token endpoint of
   * another one as its own could use an assertion there (draft-ietf-oauth-rfc7523bis). So a token endpoint of the metadata
   * must then be of the issuer's origin; any other one must be configured as `token`. Other endpoints get no assertion unless they
   * are of the origin of the token endpoint.
   */
  clientAssertionAudience?: 'issuer' | 'token_endpoint'
  /** Binds the tokens to a key of the application. A provider that gives other tokens is refused. */
  dpop?: DPoPOptions
  /** The client certificate of all calls to the provider. */
  tls?: ClientCertificate
  /**
   * Whether a sign-out here can also be one at the provider (OpenID Connect RP-Initiated Logout 1.0). `offer`: the visitor is
   * asked; `always`: at each sign-out. Absent: never.
   */
  endSession?: 'offer' | 'always'
  /**
   * How the browser goes to the logout endpoint. `get`, the default, works with every provider, and has the ID token of the
   * person in the URL. `post` keeps it out of the URL, but a provider whose session cookie is `SameSite=Lax` gets no cookie
   * with it, and signs nobody out unless the ID token is enough for it. Entries of such providers have `post`: Ory Hydra.
   */
  endSessionMethod?: 'get' | 'post'
  /** How the provider refreshes and revokes tokens, and signs people out. */
  tokenFacts?: TokenFacts
  style?: OAuthProviderButtonStyles
  [customFetch]?: CustomFetch
  /** Required options that are missing. The configuration is refused if there are any. */
  missingOptions?: readonly string[]
  /** The options with which the application called the function of the provider. They replace members of the provider. */
  options?: Omit<OAuthUserConfig<P>, 'checks'> & { checks?: readonly OIDCCheck[] }
}

/** A sign-in with an OpenID Connect provider (OpenID Connect Core 1.0), by the authorization code flow. */
export interface OIDCConfig<P> extends Omit<OAuth2Config<P>, 'type' | 'checks' | 'options'> {
  type: 'oidc'
  checks?: OIDCCheck[]
  /** Checks with which the provider does not work. They are never added to `checks`, and no warning is logged for them. */
  unsupportedChecks?: readonly ('pkce' | 'nonce')[]
  /**
   * Ways of signing in at the provider, one of which the ID token must name in `acr` (OpenID Connect Core 1.0 §2). They are
   * asked for with `acr_values`, unless the parameters of the authorization request ask in another way.
   */
  requireAcr?: readonly string[]
  /**
   * If false, the profile comes from the userinfo endpoint. The ID token is still required and verified. If true, it comes from the ID
   * token alone. Absent: from the ID token, and from userinfo if the ID token has neither a name nor an address, and the scope asks for
   * them (OpenID Connect Core 1.0 §5.4).
   */
  idToken?: boolean
  /**
   * Accepts logout tokens of the provider (OpenID Connect Back-Channel Logout 1.0), at `backchannel-logout/{id}` of the mount.
   * Sessions must be in a store.
   */
  backChannelLogout?: boolean
  /**
   * Lets the provider end sessions from a frame in the browser (OpenID Connect Front-Channel Logout 1.0), at
   * `frontchannel-logout/{id}` of the mount.
   */
  frontChannelLogout?: boolean
  options?: OIDCUserConfig<P>
}

/** A provider of either protocol. */
export type OAuthConfig<P> = OAuth2Config<P> | OIDCConfig<P>

/** What an application may give the function of an OAuth provider. */
export type OAuthUserConfig<P> = Partial<Omit<OAuth2Config<P>, 'options' | 'missingOptions' | 'type'>>

/** What an application may give the function of an OpenID Connect provider. */
export type OIDCUserConfig<P> = Partial<Omit<OIDCConfig<P>, 'options' | 'missingOptions' | 'type'>>
