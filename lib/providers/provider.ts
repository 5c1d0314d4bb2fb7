import type { CredentialsConfig } from './credentials.js'
import type { EmailConfig } from './email-config.js'
import type { OAuth2Config, OIDCConfig } from './oauth-config.js'
import type { PublicProvider } from './user.js'
import type { WebAuthnConfig } from './webauthn-config.js'

export type * from './client-config.js'
export type * from './credentials.js'
export type * from './email-config.js'
export type * from './oauth-config.js'
export { customFetch } from './oauth-config.js'
export type * from './resolved-provider.js'
export type * from './token-facts.js'
export type * from './user.js'
export type * from './user.js'
export type * from './webauthn-config.js'

/** A provider object of any type. */
// biome-ignore lint/suspicious/noExplicitAny: one list has providers whose profiles have different types
export type ProviderObject = OIDCConfig<any> | OAuth2Config<any> | EmailConfig | CredentialsConfig<any> | WebAuthnConfig

/** A provider, or the function that makes it: `config.providers` may have `GitHub` or `GitHub({ scope })`. */
// biome-ignore lint/suspicious/noExplicitAny: the functions of providers have different options
export type Provider = ProviderObject | ((options: any) => ProviderObject)

/** A provider as the pages of an application list it. */
export interface AppProvider extends PublicProvider {}
