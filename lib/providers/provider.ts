import type { Log } from '../kernel/logger.js'
import type { Finding } from '../kernel/shape.js'
import type { ClientOverrides } from './client-config.js'
import type { ClientKey } from './client-keys.js'
import type { CredentialInput, CredentialsConfig } from './credentials.js'
import type {
  EmailConfig,
  EmailConfirmation,
  MailingEmailConfig,
  SimpleWebAuthn,
  SimpleWebAuthnOptions,
  WebAuthnConfig,
} from './local-config.js'
import type {
  CustomFetch,
  OAuth2Config,
  OAuthConfig,
  OIDCConfig,
  TokenEndpoint,
  UserinfoEndpoint,
} from './oauth-config.js'
import type { ResolvedTokenFacts } from './token-facts.js'
import type { ProviderType, PublicProvider } from './user.js'

export type * from './client-config.js'
export type * from './credentials.js'
export type * from './local-config.js'
export type * from './oauth-config.js'
export { customFetch } from './oauth-config.js'
export type * from './token-facts.js'
export type * from './user.js'

/** A provider object of any type. */
// biome-ignore lint/suspicious/noExplicitAny: one list has providers whose profiles have different types
export type ProviderObject = OIDCConfig<any> | OAuth2Config<any> | EmailConfig | CredentialsConfig<any> | WebAuthnConfig

/** A provider, or the function that makes it: `config.providers` may have `GitHub` or `GitHub({ scope })`. */
// biome-ignore lint/suspicious/noExplicitAny: the functions of providers have different options
export type Provider = ProviderObject | ((options: any) => ProviderObject)

/** A provider as the pages of an application list it. */
export interface AppProvider extends PublicProvider {}

/** A resolved endpoint. Its URL is parsed, and still has its query. */
export interface ResolvedEndpoint {
  /** Null if discovery gives it. */
  readonly url: URL | null
  readonly params: Readonly<Record<string, unknown>>
}

/** The keys that the application has for a provider. */
export interface ProviderKeys {
  /** Those of client assertions. The first signs. */
  readonly assertion: readonly ClientKey[]
  /** Signs authorization requests, if they are signed. */
  readonly requestObject: ClientKey | null
  readonly decryption: readonly ClientKey[]
  readonly dpop: ClientKey | null
}

/** Options that keep their type. Only that they are always there is new. */
type Unchanged =
  | 'profile'
  | 'verifiedEmail'
  | 'account'
  | 'trustedAudiences'
  | 'allowDangerousEmailAccountLinking'
  | 'allowInsecureHttp'
  | 'pushedAuthorizationRequests'
  | 'clientAssertionAudience'
  | 'endSessionMethod'
  | 'backChannelLogout'
  | 'frontChannelLogout'
  | 'style'

/** A resolved OAuth or OpenID Connect provider: merged with its options, the environment and the defaults, and frozen. */
// biome-ignore lint/suspicious/noExplicitAny: only the hooks of the provider know the type of its profile
export interface ResolvedOAuthProvider extends Readonly<Required<Pick<OIDCConfig<any>, Unchanged>>> {
  readonly id: string
  readonly name: string
  readonly type: 'oauth' | 'oidc'
  readonly clientId: string
  readonly clientSecret: string | undefined
  readonly issuer: string | undefined
  /** URL of the metadata; null if all endpoints in use are configured. */
  readonly discoveryUrl: URL | null
  readonly authorization: ResolvedEndpoint
  // biome-ignore lint/suspicious/noExplicitAny: as above
  readonly token: ResolvedEndpoint & Pick<TokenEndpoint<any>, 'request' | 'conform' | 'headers'>
  // biome-ignore lint/suspicious/noExplicitAny: as above
  readonly userinfo: ResolvedEndpoint & Pick<UserinfoEndpoint<any>, 'request' | 'conform' | 'headers'>
  readonly jwksUrl: URL | null
  readonly checks: ReadonlySet<'state' | 'pkce' | 'nonce'>
  /** Checks that are never added. */
  readonly unsupportedChecks: ReadonlySet<'pkce' | 'nonce'>
  readonly client: Readonly<ClientOverrides>
  /** `form_post` if the authorization parameters say so: then the response is a POST from another site. */
  readonly responseMode: 'query' | 'form_post'
  /** Whether the provider answers with a JWT, in which the parameters of the response are (JARM). */
  readonly isJwtResponse: boolean
  /** Whether `profile` is known to make the subject the id of an account. One of the application may do so as well. */
  readonly idIsSubject: boolean
  // biome-ignore lint/suspicious/noExplicitAny: as above
  readonly completeProfile: OAuth2Config<any>['completeProfile']
  readonly makeClientSecret: OAuth2Config<unknown>['makeClientSecret']
  /** Further query parameters of a sign-in request that are sent to the provider. */
  readonly forwardedParams: ReadonlySet<string>
  /**
   * Where the claims of a person with an ID token come from. `either`: from the ID token; if it has neither a name nor an address,
   * from userinfo, too.
   */
  readonly claimsFrom: 'id-token' | 'userinfo' | 'either'
  /** Whether authorization requests are signed even if the provider does not require it. */
  readonly signsRequests: boolean
  readonly keys: ProviderKeys
  /** Whether calls go to the endpoints for mutual TLS, where the provider has such endpoints. */
  readonly usesMutualTls: boolean
  /** One of these must be the `acr` of the ID token; empty if any may. */
  readonly requiredAcr: readonly string[]
  readonly tokenFacts: ResolvedTokenFacts
  /** Null if a sign-out is never one at the provider. */
  readonly endSession: 'offer' | 'always' | null
  readonly redirectProxyUrl: string | undefined
  readonly fetch: CustomFetch | undefined
  /** The merged object that hooks get. Its endpoints are objects. */
  // biome-ignore lint/suspicious/noExplicitAny: as above
  readonly source: OAuthConfig<any>
}

/** A resolved credentials provider. */
export interface ResolvedCredentialsProvider {
  readonly id: string
  readonly name: string
  readonly type: 'credentials'
  /** Null if it has no form on the sign-in page. */
  readonly fields: Readonly<Record<string, CredentialInput>> | null
  readonly authorize: CredentialsConfig['authorize']
}

/** A resolved e-mail provider. */
export interface ResolvedEmailProvider {
  readonly id: string
  readonly name: string
  readonly type: 'email'
  /** Seconds until a link expires. */
  readonly maxAge: number
  /** The first hashes tokens; links of all are accepted. Undefined if the secrets of the configuration are used. */
  readonly secrets: readonly string[] | undefined
  readonly confirm: EmailConfirmation
  /** The merged object that `sendVerificationRequest` gets. Its functions are called as its methods. */
  readonly source: MailingEmailConfig
}

/** A resolved passkey provider. */
export interface ResolvedWebAuthnProvider {
  readonly id: string
  readonly name: string
  readonly type: 'webauthn'
  readonly formFields: Readonly<Record<string, CredentialInput>>
  readonly enableConditionalUI: boolean
  /** Whether this package made it. Other passkey providers need `experimental.enableWebAuthn`. */
  readonly isStable: boolean
  readonly relayingParty: NonNullable<WebAuthnConfig['relayingParty']>
  readonly authenticationOptions: Readonly<SimpleWebAuthnOptions>
  readonly registrationOptions: Readonly<SimpleWebAuthnOptions>
  readonly verifyAuthenticationOptions: Readonly<SimpleWebAuthnOptions>
  readonly verifyRegistrationOptions: Readonly<SimpleWebAuthnOptions>
  /** Undefined if the functions of the installed library are used. */
  readonly simpleWebAuthn: SimpleWebAuthn | undefined
  /** The merged object. Its hooks are called as its methods. */
  readonly source: WebAuthnConfig
}

/** A resolved provider. */
export type ResolvedProvider =
  | ResolvedOAuthProvider
  | ResolvedCredentialsProvider
  | ResolvedEmailProvider
  | ResolvedWebAuthnProvider

/** Whether a provider is one of OAuth or OpenID Connect. */
export const isOAuthProvider = (provider: ResolvedProvider | null | undefined): provider is ResolvedOAuthProvider =>
  provider?.type === 'oauth' || provider?.type === 'oidc'

/** Whether a list or map of providers has one of this type. */
export const hasProvider = (
  providers: { values(): Iterable<{ readonly type: ProviderType }> },
  type: ProviderType,
): boolean => Array.from(providers.values()).some((provider) => provider.type === type)

/** Values that the environment has for one provider: `AUTH_{ID}_ID`, `_SECRET`, `_ISSUER`, `_KEY`. */
export interface ProviderEnvironment {
  readonly clientId?: string
  readonly clientSecret?: string
  readonly issuer?: string
  readonly apiKey?: string
}

/** A resolved provider without findings, or null with at least one finding. */
export interface Resolution<Provider extends ResolvedProvider> {
  readonly provider: Provider | null
  readonly findings: readonly Finding[]
}

/** What the resolution of providers needs of the configuration. */
export interface ProviderSettings {
  readonly environment: (providerId: string) => ProviderEnvironment
  /** `config.redirectProxyUrl`, the default for each provider. */
  readonly redirectProxyUrl: string | undefined
  readonly logger: Log
}
