import type { Log } from '../kernel/logger.js'
import type { ClientOverrides } from './client-config.js'
import type { ClientKey } from './client-keys.js'
import type { CredentialInput, CredentialsConfig } from './credentials.js'
import type { EmailConfirmation, MailingEmailConfig } from './email-config.js'
import type {
  AccountCallback,
  CustomFetch,
  OAuth2Config,
  OAuthConfig,
  OAuthProviderButtonStyles,
  ProfileCallback,
  TokenEndpoint,
  UserinfoEndpoint,
  VerifiedEmailCallback,
} from './oauth-config.js'
import type { ResolvedTokenFacts } from './token-facts.js'
import type { SimpleWebAuthn, SimpleWebAuthnOptions, WebAuthnConfig } from './webauthn-config.js'

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

/** A resolved OAuth or OpenID Connect provider: merged with its options, the environment and the defaults, and frozen. */
export interface ResolvedOAuthProvider {
  readonly id: string
  readonly name: string
  readonly type: 'oauth' | 'oidc'
  readonly clientId: string
  readonly clientSecret: string | undefined
  readonly issuer: string | undefined
  /** URL of the metadata; null if all endpoints in use are configured. */
  readonly discoveryUrl: URL | null
  readonly authorization: ResolvedEndpoint
  // biome-ignore lint/suspicious/noExplicitAny: only the hooks of the provider know the type of its profile
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
  // biome-ignore lint/suspicious/noExplicitAny: as above
  readonly profile: ProfileCallback<any>
  /** Whether `profile` is known to make the subject the id of an account. One of the application may do so as well. */
  readonly idIsSubject: boolean
  // biome-ignore lint/suspicious/noExplicitAny: as above
  readonly completeProfile: OAuth2Config<any>['completeProfile']
  readonly makeClientSecret: OAuth2Config<unknown>['makeClientSecret']
  /** Further query parameters of a sign-in request that are sent to the provider. */
  readonly forwardedParams: ReadonlySet<string>
  readonly trustedAudiences: readonly string[]
  // biome-ignore lint/suspicious/noExplicitAny: as above
  readonly verifiedEmail: VerifiedEmailCallback<any>
  readonly account: AccountCallback
  /**
   * Where the claims of a person with an ID token come from. `either`: from the ID token; if it has neither a name nor an address,
   * from userinfo, too.
   */
  readonly claimsFrom: 'id-token' | 'userinfo' | 'either'
  readonly allowDangerousEmailAccountLinking: boolean
  readonly allowInsecureHttp: boolean
  readonly pushedAuthorizationRequests: boolean
  /** Whether authorization requests are signed even if the provider does not require it. */
  readonly signsRequests: boolean
  readonly keys: ProviderKeys
  readonly clientAssertionAudience: 'issuer' | 'token_endpoint'
  /** Whether calls go to the endpoints for mutual TLS, where the provider has such endpoints. */
  readonly usesMutualTls: boolean
  /** One of these must be the `acr` of the ID token; empty if any may. */
  readonly requiredAcr: readonly string[]
  readonly tokenFacts: ResolvedTokenFacts
  /** Null if a sign-out is never one at the provider. */
  readonly endSession: 'offer' | 'always' | null
  readonly endSessionMethod: 'get' | 'post'
  readonly backChannelLogout: boolean
  readonly frontChannelLogout: boolean
  readonly redirectProxyUrl: string | undefined
  readonly style: Readonly<OAuthProviderButtonStyles>
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

/** Values that the environment has for one provider: `AUTH_{ID}_ID`, `_SECRET`, `_ISSUER`, `_KEY`. */
export interface ProviderEnvironment {
  readonly clientId?: string
  readonly clientSecret?: string
  readonly issuer?: string
  readonly apiKey?: string
}

/** What the resolution of providers needs of the configuration. */
export interface ProviderSettings {
  readonly environment: (providerId: string) => ProviderEnvironment
  /** `config.redirectProxyUrl`, the default for each provider. */
  readonly redirectProxyUrl: string | undefined
  readonly logger: Log
}
