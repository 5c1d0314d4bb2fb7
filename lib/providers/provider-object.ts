import type { Log } from '../kernel/logger.js'
import type { ClientKey } from './client-keys.js'
import type { CredentialsConfig } from './credentials.js'
import type { EmailConfig, WebAuthnConfig } from './local-config.js'
import type { OAuth2Config, OIDCConfig } from './oauth-config.js'
import type { PublicProvider } from './user.js'

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
