import type { CredentialInput } from './credentials.js'
import type { CommonProviderOptions, User } from './user.js'

/** The site that passkeys belong to (WebAuthn Level 3 §4, relying party). The spelling of the name is that of Auth.js. */
export interface RelayingParty {
  /** A domain: that of the site, or a parent of it that all the sites share. */
  id: string
  /** Shown by authenticators. */
  name: string
  /** Origins whose pages may use the passkeys: `https://app.example`. */
  origin: string | string[]
}

/** The result of {@link WebAuthnConfig.getUserInfo}: a stored user, or the fields of a new user. */
export type WebAuthnUserInfo = { user: User; exists: true } | { user: Omit<User, 'id'>; exists: false }

/** The first argument of the hooks of {@link WebAuthnConfig}: parts of the configuration. */
export interface WebAuthnHookOptions {
  provider: WebAuthnConfig
  /** The configured adapter. */
  // biome-ignore lint/suspicious/noExplicitAny: this folder may not import the type of adapters
  adapter: any
  /** Public URL of the mount. */
  url: URL
  action: 'webauthn-options' | 'callback'
}

/** The second argument of the hooks of {@link WebAuthnConfig}: parts of the request. */
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

/** Options of a function of `@simplewebauthn/server`. Its version decides which there are. */
// biome-ignore lint/suspicious/noExplicitAny: the types are those of an optional peer dependency
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
   * Parts of the relying party, which replace those of {@link WebAuthnConfig.getRelayingParty}. Of several ids, the one that
   * fits the host of the request is used. All of several origins are accepted.
   */
  relayingParty?: { id?: string | string[]; name?: string | string[]; origin?: string | string[] }
  /** The relying party of a request; by default its host and its public origin. */
  // biome-ignore lint/suspicious/noExplicitAny: hooks that were written for Auth.js have its types
  getRelayingParty?(options: any, request: any): RelayingParty
  /**
   * The user that a signed-out visitor claims to be; null if the request does not say. By default the user with the address
   * in `email` of the query. It must have no side effects.
   */
  // biome-ignore lint/suspicious/noExplicitAny: as above
  getUserInfo?(options: any, request: any): Promise<WebAuthnUserInfo | null>
  /** The fields of the form on the sign-in page. */
  formFields?: Record<string, CredentialInput> | Record<string, object>
  /** Whether the browser offers passkeys when it fills in the form; true by default. At most one provider may do so. */
  enableConditionalUI?: boolean
  /** Accepted because Auth.js has it, but not used: the script comes with this package. */
  simpleWebAuthnBrowserVersion?: string | false
  authenticationOptions?: SimpleWebAuthnOptions
  registrationOptions?: SimpleWebAuthnOptions
  verifyAuthenticationOptions?: SimpleWebAuthnOptions
  verifyRegistrationOptions?: SimpleWebAuthnOptions
  /** By default those of the installed `@simplewebauthn/server`. */
  simpleWebAuthn?: SimpleWebAuthn
  options?: Partial<WebAuthnConfig>
}

/** Options of the function of a passkey provider. */
export type WebAuthnUserConfig = Partial<Omit<WebAuthnConfig, 'type' | 'options'>>

/**
 * The answer of the `webauthn-options` action: the ceremony, and the options to call the browser with, as JSON.
 *
 * @see WebAuthn Level 3 §5.1.8 (`PublicKeyCredentialCreationOptionsJSON`), §5.1.9 (`PublicKeyCredentialRequestOptionsJSON`)
 */
export type WebAuthnOptionsResponseBody =
  | { action: 'authenticate'; options: Record<string, unknown> }
  | { action: 'register'; options: Record<string, unknown> }
