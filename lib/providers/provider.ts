import type { webcrypto } from 'node:crypto'
import type { ErrorType } from '../errors.js'
import type { LoggerInstance } from '../logger.js'

/** A value, or the promise of one. */
export type Awaitable<T> = T | PromiseLike<T>

/** The kinds of provider. */
export type ProviderType = 'oidc' | 'oauth' | 'email' | 'credentials' | 'webauthn'

/** The kinds whose sign-in an integration may answer without a redirect. */
export type RedirectableProviderType = 'email' | 'credentials'

/** The person who signs in, as a provider or an application describes them. */
export interface User {
  id?: string
  name?: string | null
  email?: string | null
  image?: string | null
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
}

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
  account?: AccountCallback
  /** Makes the client secret for one call, for providers whose secret is a short-lived token. Wins over `clientSecret`. */
  makeClientSecret?: (client: { readonly clientId: string }) => Awaitable<string>
  /** Audiences an ID token may name beside this client; any other is refused (OpenID Connect Core 3.1.3.7). */
  trustedAudiences?: readonly string[]
  /**
   * Links a sign-in to an existing user with the same e-mail address. Only for providers that verify addresses: otherwise
   * whoever registers somebody's address there becomes that somebody here.
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
  /** What the application gave the provider's function; wins over the provider's own members. */
  options?: Omit<OAuthUserConfig<P>, 'checks'> & { checks?: readonly OIDCCheck[] }
}

/** A sign-in with an OpenID Connect provider (OpenID Connect Core 1.0), by the authorization code flow. */
export interface OIDCConfig<P> extends Omit<OAuth2Config<P>, 'type' | 'checks' | 'options'> {
  type: 'oidc'
  checks?: OIDCCheck[]
  /** When false, the userinfo endpoint supplies the profile; an ID token must come and is verified all the same. */
  idToken?: boolean
  options?: OIDCUserConfig<P>
}

/** A provider of either protocol. */
export type OAuthConfig<P> = OAuth2Config<P> | OIDCConfig<P>

/** What an application may give the function of an OAuth provider. */
export type OAuthUserConfig<P> = Partial<Omit<OAuth2Config<P>, 'options' | 'type'>>

/** What an application may give the function of an OpenID Connect provider. */
export type OIDCUserConfig<P> = Partial<Omit<OIDCConfig<P>, 'options' | 'type'>>

/** One field of a credentials form: the attributes of its `<input>`, and its caption. */
export interface CredentialInput {
  /** Caption; the field's key when absent. */
  label?: string
  /** Type of the input; `text` when absent. */
  type?: string
  placeholder?: string
  value?: string | number
  autocomplete?: string
  required?: boolean
  // biome-ignore lint/suspicious/noExplicitAny: any other attribute of an <input> is passed on to the page
  [attribute: string]: any
}

/** A sign-in with fields of the application's own, checked by its own code. */
export interface CredentialsConfig<C extends Record<string, CredentialInput> = Record<string, CredentialInput>>
  extends CommonProviderOptions {
  type: 'credentials'
  /** The fields of the form on the sign-in page; without any, the page shows none. */
  credentials?: C
  /**
   * Gives the user for what was entered, null to refuse, or throws {@link CredentialsSignin} to refuse with a code.
   *
   * @param credentials the submitted fields; JSON bodies keep their types
   * @param request the sign-in request: same URL, method and headers
   */
  authorize: (
    credentials: Partial<Record<keyof C, unknown>>,
    request: Request,
  ) => Awaitable<User | null | undefined | false>
  options?: Partial<CredentialsConfig<C>>
}

/** When a mailed link signs in at once. */
export type EmailConfirmation =
  /** In the browser that asked for it; in any other, a page with one button does. */
  | 'auto'
  /** Never: the page with the button always comes first. */
  | 'always'
  /** Wherever it is opened, so a mail scanner that opens links uses them up. */
  | 'never'

/** What a mail says: the same in HTML and in plain text. */
export interface MailMessage {
  subject: string
  html: string
  text: string
}

/** What {@link EmailConfig.sendVerificationRequest} is given. */
export interface SendVerificationRequestParams {
  /** The address, normalised. */
  identifier: string
  /** The token as the link has it; the store keeps only a hash. */
  token: string
  /** The link. Whoever opens it can sign in. */
  url: string
  expires: Date
  /** The provider object with its options and the environment merged in. */
  provider: MailingEmailConfig
  /** The application's theme. Each member is there, an empty text where it has none. */
  theme: { colorScheme?: 'auto' | 'dark' | 'light'; logo?: string; brandColor?: string; buttonText?: string }
  /** The request that asked for the link: same URL, method and headers, the form's fields as JSON. */
  request: Request
  /** A message in the application's theme, ready to be sent. Absent under other libraries. */
  message?: MailMessage
}

/** A sign-in by a link sent to an e-mail address. */
export interface EmailConfig extends CommonProviderOptions {
  type: 'email'
  /** The sender: `no-reply@example.com`, or with a name, `Example <no-reply@example.com>`. */
  from?: string
  /** Seconds a link lives; 86400, one day, by default. */
  maxAge?: number
  /** Hashes the tokens of this provider, in place of `config.secret`. */
  secret?: string
  /** Key of a mail service; by default `AUTH_{ID}_KEY`. */
  apiKey?: string
  // biome-ignore lint/suspicious/noExplicitAny: the options of an SMTP transport belong to nodemailer, an optional peer
  server?: any
  /** Whether a link signs in at once or asks first; `auto` by default. */
  confirm?: EmailConfirmation
  /** Sends the link. Rejecting takes the link back, and the visitor learns that no mail was sent. */
  sendVerificationRequest?(params: SendVerificationRequestParams): Awaitable<void>
  /** Makes the token of a link; by default 32 random bytes in hex. It must not be guessable while it lives. */
  generateVerificationToken?(): Awaitable<string>
  /** Turns what was entered into the one form of an address, or throws to refuse it. */
  normalizeIdentifier?(identifier: string): string
  /** Names of members without which nothing can be sent; one that is missing is reported at start. */
  requires?: readonly string[]
  [customFetch]?: CustomFetch
  /** What the application gave the provider's function; wins over the provider's own members. */
  options?: EmailUserConfig
}

/** An e-mail provider that can send. */
export interface MailingEmailConfig extends EmailConfig {
  sendVerificationRequest(params: SendVerificationRequestParams): Awaitable<void>
}

/** What an application may give the function of an e-mail provider. */
export type EmailUserConfig = Partial<Omit<EmailConfig, 'options' | 'type' | 'requires'>>

/** Whom passkeys are for: the site, as authenticators know it (WebAuthn Level 3 §4, relying party). */
export interface RelayingParty {
  /** A domain: that of the site, or a parent of it that all the sites share. */
  id: string
  /** Shown by authenticators. */
  name: string
  /** Origins whose pages may use the passkeys: `https://app.example`. */
  origin: string | string[]
}

/** What {@link WebAuthnConfig.getUserInfo} makes of a request: a stored user, or somebody who wants to become one. */
export type WebAuthnUserInfo = { user: User; exists: true } | { user: Omit<User, 'id'>; exists: false }

/** What {@link WebAuthnConfig}'s hooks are given of the configuration. */
export interface WebAuthnHookOptions {
  provider: WebAuthnConfig
  /** The configured adapter. */
  // biome-ignore lint/suspicious/noExplicitAny: the contract of adapters lies in a folder above this one
  adapter: any
  /** Public URL of the mount. */
  url: URL
  action: 'webauthn-options' | 'callback'
}

/** What {@link WebAuthnConfig}'s hooks are given of the request. */
export interface WebAuthnHookRequest {
  url: URL
  method: 'GET' | 'POST'
  headers: Record<string, string>
  cookies: Record<string, string>
  query: Record<string, string>
  body?: Record<string, unknown>
  action: 'webauthn-options' | 'callback'
  providerId: string
}

/** A version: `v9`, `v9.0` or `v9.0.1`. */
export type SemverString = `v${number}` | `v${number}.${number}` | `v${number}.${number}.${number}`

/** Options that `@simplewebauthn/server` takes for one of its functions; its version decides what they are. */
// biome-ignore lint/suspicious/noExplicitAny: they belong to @simplewebauthn/server, an optional peer
export type SimpleWebAuthnOptions = Record<string, any>

/** The functions of `@simplewebauthn/server`, from version 9 on. */
export interface SimpleWebAuthn {
  // biome-ignore lint/suspicious/noExplicitAny: as above
  generateAuthenticationOptions(options: any): Promise<any>
  // biome-ignore lint/suspicious/noExplicitAny: as above
  generateRegistrationOptions(options: any): Promise<any>
  // biome-ignore lint/suspicious/noExplicitAny: as above
  verifyAuthenticationResponse(options: any): Promise<any>
  // biome-ignore lint/suspicious/noExplicitAny: as above
  verifyRegistrationResponse(options: any): Promise<any>
}

/** A sign-in with a passkey, or with a security key. */
export interface WebAuthnConfig extends CommonProviderOptions {
  type: 'webauthn'
  /**
   * Parts of the relying party, in place of what {@link WebAuthnConfig.getRelayingParty} gives. Of several ids the one that fits the
   * request's host is used; several origins are all accepted.
   */
  relayingParty?: { id?: string | string[]; name?: string | string[]; origin?: string | string[] }
  /** The relying party of a request; by default the host and the origin that it came to. */
  // biome-ignore lint/suspicious/noExplicitAny: Auth.js's hooks name types of its own
  getRelayingParty?(options: any, request: any): RelayingParty
  /**
   * Who a signed-out visitor says to be; null when the request does not tell. By default whoever has the address in the
   * query's `email`. It must have no effects.
   */
  // biome-ignore lint/suspicious/noExplicitAny: as above
  getUserInfo?(options: any, request: any): Promise<WebAuthnUserInfo | null>
  /** The fields of the form on the sign-in page. */
  formFields?: Record<string, CredentialInput> | Record<string, object>
  /** Offers passkeys as the browser fills in the form; at most one provider may. On by default. */
  enableConditionalUI?: boolean
  /** Accepted for Auth.js's sake, and not used: the browser's part comes from the installed `@simplewebauthn/browser`. */
  simpleWebAuthnBrowserVersion?: string | false
  authenticationOptions?: SimpleWebAuthnOptions
  registrationOptions?: SimpleWebAuthnOptions
  verifyAuthenticationOptions?: SimpleWebAuthnOptions
  verifyRegistrationOptions?: SimpleWebAuthnOptions
  /** By default those of the installed `@simplewebauthn/server`. */
  simpleWebAuthn?: SimpleWebAuthn
  options?: Partial<WebAuthnConfig>
}

/** What an application may give the function of a passkey provider. */
export type WebAuthnUserConfig = Partial<Omit<WebAuthnConfig, 'type' | 'options'>>

// biome-ignore lint/suspicious/noExplicitAny: providers of different profiles stand in one list
export type ProviderObject = OIDCConfig<any> | OAuth2Config<any> | EmailConfig | CredentialsConfig<any> | WebAuthnConfig

/** A provider, or the function that makes it: `GitHub` and `GitHub({ scope })` both stand in `config.providers`. */
// biome-ignore lint/suspicious/noExplicitAny: each provider's function takes options of its own
export type Provider = ProviderObject | ((options: any) => ProviderObject)

/** A provider as clients see it, in the answer of the `providers` action. */
export interface PublicProvider {
  id: string
  name: string
  type: ProviderType
  signinUrl: string
  callbackUrl: string
}

/** A provider as the pages of an application list it. */
export interface AppProvider extends PublicProvider {}

/** An endpoint, resolved: parsed once, and the query of its URL kept. */
export interface ResolvedEndpoint {
  /** Absent when discovery gives it. */
  readonly url: URL | null
  readonly params: Readonly<Record<string, unknown>>
}

/** An OAuth or OpenID Connect provider, ready for use: merged with its options and the environment, defaults filled in, frozen. */
export interface ResolvedOAuthProvider {
  readonly id: string
  readonly name: string
  readonly type: 'oauth' | 'oidc'
  readonly clientId: string
  readonly clientSecret: string | undefined
  readonly issuer: string | undefined
  /** Where the metadata is; null when every endpoint in use is configured. */
  readonly discoveryUrl: URL | null
  readonly authorization: ResolvedEndpoint
  // biome-ignore lint/suspicious/noExplicitAny: the profile's type is known to the provider's own hooks only
  readonly token: ResolvedEndpoint & Pick<TokenEndpoint<any>, 'request' | 'conform' | 'clientPrivateKey' | 'headers'>
  // biome-ignore lint/suspicious/noExplicitAny: as above
  readonly userinfo: ResolvedEndpoint & Pick<UserinfoEndpoint<any>, 'request' | 'conform' | 'headers'>
  readonly jwksUrl: URL | null
  readonly checks: ReadonlySet<'state' | 'pkce' | 'nonce'>
  readonly client: Readonly<ClientOverrides>
  /** `form_post` when the authorization parameters ask for it: the answer then comes as a cross-site POST. */
  readonly responseMode: 'query' | 'form_post'
  // biome-ignore lint/suspicious/noExplicitAny: as above
  readonly profile: ProfileCallback<any>
  // biome-ignore lint/suspicious/noExplicitAny: as above
  readonly completeProfile: OAuth2Config<any>['completeProfile']
  readonly makeClientSecret: OAuth2Config<unknown>['makeClientSecret']
  readonly trustedAudiences: readonly string[]
  readonly account: AccountCallback
  readonly idToken: boolean
  readonly allowDangerousEmailAccountLinking: boolean
  readonly allowInsecureHttp: boolean
  readonly pushedAuthorizationRequests: boolean
  readonly redirectProxyUrl: string | undefined
  readonly style: Readonly<OAuthProviderButtonStyles>
  readonly fetch: CustomFetch | undefined
  /** The merged object, as hooks are given it, its endpoints in object form. */
  // biome-ignore lint/suspicious/noExplicitAny: as above
  readonly source: OAuthConfig<any>
}

/** A credentials provider, ready for use. */
export interface ResolvedCredentialsProvider {
  readonly id: string
  readonly name: string
  readonly type: 'credentials'
  readonly fields: Readonly<Record<string, CredentialInput>>
  readonly authorize: CredentialsConfig['authorize']
}

/** An e-mail provider, ready for use. */
export interface ResolvedEmailProvider {
  readonly id: string
  readonly name: string
  readonly type: 'email'
  /** Seconds a link lives. */
  readonly maxAge: number
  /** Hashes tokens in place of the configuration's secrets. */
  readonly secret: string | undefined
  readonly confirm: EmailConfirmation
  /** The merged object, as `sendVerificationRequest` is given it; its functions are called as members of it. */
  readonly source: MailingEmailConfig
}

/** A passkey provider, ready for use. */
export interface ResolvedWebAuthnProvider {
  readonly id: string
  readonly name: string
  readonly type: 'webauthn'
  readonly formFields: Readonly<Record<string, CredentialInput>>
  readonly enableConditionalUI: boolean
  /** Made by an entry of this package; others stand behind `experimental.enableWebAuthn`. */
  readonly isStable: boolean
  readonly relayingParty: NonNullable<WebAuthnConfig['relayingParty']>
  readonly authenticationOptions: Readonly<SimpleWebAuthnOptions>
  readonly registrationOptions: Readonly<SimpleWebAuthnOptions>
  readonly verifyAuthenticationOptions: Readonly<SimpleWebAuthnOptions>
  readonly verifyRegistrationOptions: Readonly<SimpleWebAuthnOptions>
  /** Undefined for those of the installed library. */
  readonly simpleWebAuthn: SimpleWebAuthn | undefined
  /** The merged object; its hooks are called as members of it. */
  readonly source: WebAuthnConfig
}

/** A provider, ready for use. */
export type ResolvedProvider =
  | ResolvedOAuthProvider
  | ResolvedCredentialsProvider
  | ResolvedEmailProvider
  | ResolvedWebAuthnProvider

/** Values that the environment has for one provider: `AUTH_{ID}_ID`, `_SECRET`, `_ISSUER`, `_KEY`. */
export interface ProviderEnvironment {
  readonly clientId?: string
  readonly clientSecret?: string
  readonly issuer?: string
  readonly apiKey?: string
}

/** A fault of the configuration: what is wrong, and how to mend it. */
export interface Finding {
  readonly type: ErrorType
  readonly message: string
}

/** What the resolution of providers needs from its surroundings. */
export interface ProviderSettings {
  readonly environment: (providerId: string) => ProviderEnvironment
  /** `config.redirectProxyUrl`, the default for each provider. */
  readonly redirectProxyUrl: string | undefined
  readonly logger: LoggerInstance
}
