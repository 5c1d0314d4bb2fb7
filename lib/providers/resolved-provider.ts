import type { ErrorType } from '../errors.js'
import type { LoggerInstance } from '../logger.js'
import type { CredentialInput, CredentialsConfig } from './credentials-config.js'
import type { EmailConfirmation, MailingEmailConfig } from './email-config.js'
import type {
  AccountCallback,
  ClientOverrides,
  CustomFetch,
  OAuth2Config,
  OAuthConfig,
  OAuthProviderButtonStyles,
  ProfileCallback,
  TokenEndpoint,
  UserinfoEndpoint,
  VerifiedEmailCallback,
} from './oauth-config.js'
import type { SimpleWebAuthn, SimpleWebAuthnOptions, WebAuthnConfig } from './webauthn-config.js'

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
  /** Checks that are never added. */
  readonly unsupportedChecks: ReadonlySet<'pkce' | 'nonce'>
  readonly client: Readonly<ClientOverrides>
  /** `form_post` when the authorization parameters ask for it: the answer then comes as a cross-site POST. */
  readonly responseMode: 'query' | 'form_post'
  // biome-ignore lint/suspicious/noExplicitAny: as above
  readonly profile: ProfileCallback<any>
  // biome-ignore lint/suspicious/noExplicitAny: as above
  readonly completeProfile: OAuth2Config<any>['completeProfile']
  readonly makeClientSecret: OAuth2Config<unknown>['makeClientSecret']
  /** Query parameters of a sign-in request that are passed on beside the usual ones. */
  readonly forwardedParams: ReadonlySet<string>
  readonly trustedAudiences: readonly string[]
  // biome-ignore lint/suspicious/noExplicitAny: as above
  readonly verifiedEmail: VerifiedEmailCallback<any>
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
  /** Null for one that has no form on the sign-in page. */
  readonly fields: Readonly<Record<string, CredentialInput>> | null
  readonly authorize: CredentialsConfig['authorize']
}

/** An e-mail provider, ready for use. */
export interface ResolvedEmailProvider {
  readonly id: string
  readonly name: string
  readonly type: 'email'
  /** Seconds a link lives. */
  readonly maxAge: number
  /** The first hashes tokens, in place of the configuration's secrets; links of all are taken. Undefined for the configuration's. */
  readonly secrets: readonly string[] | undefined
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
