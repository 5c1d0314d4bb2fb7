import type { CredentialInput } from './credentials-config.js'
import type { CommonProviderOptions, User } from './user.js'

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

/**
 * What the `webauthn-options` action answers: what to ask the browser with, as JSON.
 *
 * @see WebAuthn Level 3 §5.1.8 (`PublicKeyCredentialCreationOptionsJSON`), §5.1.9 (`PublicKeyCredentialRequestOptionsJSON`)
 */
export type WebAuthnOptionsResponseBody =
  | { action: 'authenticate'; options: Record<string, unknown> }
  | { action: 'register'; options: Record<string, unknown> }
