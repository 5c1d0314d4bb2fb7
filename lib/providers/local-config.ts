import type { CredentialInput } from './credentials.js'
import { type CustomFetch, customFetch } from './oauth-config.js'
import type { Awaitable, CommonProviderOptions, User } from './user.js'

/** When a mailed link first shows a page with a button, before it signs the visitor in. */
export type EmailConfirmation =
  /** In every browser except the one that asked for the link. */
  | 'auto'
  /** In every browser. */
  | 'always'
  /** In no browser. Then a mail scanner that opens links uses them up. */
  | 'never'

/** The content of a mail: the same in HTML and in plain text. */
export interface MailMessage {
  subject: string
  html: string
  text: string
}

/** What {@link EmailConfig.sendVerificationRequest} is called with. */
export interface SendVerificationRequestParams {
  /** The address, normalised. */
  identifier: string
  /** The token as the link has it; the store keeps only a hash. Empty with `code: 'only'`. */
  token: string
  /** The link. Everybody who has it can sign in. With `code: 'only'`, the page that has the field for the code. */
  url: string
  /** The code, as people read it: `WDJB-MJHT`. Absent if the provider mails none. */
  code?: string
  /** When the link expires; with `code: 'only'`, the code. */
  expires: Date
  /** The provider object with its options and the environment merged in. */
  provider: MailingEmailConfig
  /** The theme of the application. No member is absent; one that is not configured is an empty string. */
  theme: { colorScheme?: 'auto' | 'dark' | 'light'; logo?: string; brandColor?: string; buttonText?: string }
  /** The request that asked for the link, with its URL, method and headers. Its body has the fields of the form as JSON. */
  request: Request
  /** A message in the theme of the application, ready to be sent. Absent if another library calls the function. */
  message?: MailMessage
}

/** What a notice tells the owner of an account. */
export type AccountNoticeKind =
  | 'account-linked'
  | 'account-unlinked'
  | 'passkey-added'
  | 'passkey-removed'
  | 'password-changed'
  | 'password-removed'
  | 'address-change-asked'
  | 'address-added'
  | 'address-changed'
  | 'address-removed'
  | 'primary-address-changed'
  | 'account-deleted'
  | 'second-factor-added'
  | 'second-factor-replaced'
  | 'second-factor-removed'
  | 'second-factor-reset-asked'
  | 'second-factor-kept'
  | 'second-factor-guessed'
  | 'recovery-code-used'
  | 'recovery-codes-renewed'

/**
 * What a mail of {@link EmailConfig.sendNotification} is for. `password-link` has a link with which a password is chosen, and
 * `address-link` one that confirms an address; `address-taken` says that an address has an account already; `invitation` has a link
 * to the sign-in page, which is no secret.
 */
export type NotificationKind = AccountNoticeKind | 'password-link' | 'address-link' | 'address-taken' | 'invitation'

/** What {@link EmailConfig.sendNotification} is called with. */
export interface SendNotificationParams {
  /** The address of the owner, who has confirmed it; of a link, and of `address-taken`, any address. */
  identifier: string
  /** The message in the theme of the application, ready to be sent. Only that of a link for a password or an address has a secret in it. */
  message: MailMessage
  /** The provider object with its options and the environment merged in. */
  provider: MailingEmailConfig
  /** As {@link SendVerificationRequestParams.theme}. */
  theme: SendVerificationRequestParams['theme']
  kind: NotificationKind
  /** Public URL of the application, or the link. */
  url: string
}

/** A sign-in by a link sent to an e-mail address. */
export interface EmailConfig extends CommonProviderOptions {
  type: 'email'
  /** The sender: `no-reply@example.com`, or with a name, `Example <no-reply@example.com>`. */
  from?: string
  /** Seconds until a link expires; 86400, one day, by default. */
  maxAge?: number
  /**
   * Replaces `config.secret` for the hashes of tokens of this provider. In a list, the first secret makes hashes, and links
   * made with any of them are accepted, so that secrets can be rotated.
   */
  secret?: string | string[]
  /** Key of a mail service; by default `AUTH_{ID}_KEY`. */
  apiKey?: string
  // biome-ignore lint/suspicious/noExplicitAny: the options of an SMTP transport belong to nodemailer, an optional peer
  server?: any
  /** Whether a link signs in at once or asks first; `auto` by default. */
  confirm?: EmailConfirmation
  /**
   * Whether the mail has a code of eight letters, beside the link (`true`) or in its place (`'only'`). It is typed in the browser
   * that asked for it, within ten minutes.
   */
  code?: boolean | 'only'
  /** Sends the link. If it throws or rejects, the link is deleted, and the visitor learns that no mail was sent. */
  sendVerificationRequest?(params: SendVerificationRequestParams): Awaitable<void>
  /**
   * Sends a notice: that a way to sign in was added to an account, or removed. The providers of this package have it. If it
   * throws or rejects, that is logged and changes nothing.
   */
  sendNotification?(params: SendNotificationParams): Awaitable<void>
  /**
   * Makes the token of a link; by default 32 random bytes in hex. A token needs at least six characters, and must be too hard
   * to guess before the link expires.
   */
  generateVerificationToken?(): Awaitable<string>
  /** Makes the normal form of an entered address, or throws to refuse it. Two spellings of one address have one form. */
  normalizeIdentifier?(identifier: string): string
  /** Names of required members. If one is missing, the configuration is refused. */
  requires?: readonly string[]
  [customFetch]?: CustomFetch
  /** The options with which the application called the function of the provider. They replace members of the provider. */
  options?: EmailUserConfig
}

/** An e-mail provider that can send. */
export interface MailingEmailConfig extends EmailConfig {
  sendVerificationRequest(params: SendVerificationRequestParams): Awaitable<void>
}

/** What an application may give the function of an e-mail provider. */
export type EmailUserConfig = Partial<Omit<EmailConfig, 'options' | 'type' | 'requires'>>

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
