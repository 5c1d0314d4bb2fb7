import { type CustomFetch, customFetch } from './oauth-config.js'
import type { Awaitable, CommonProviderOptions } from './user.js'

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
  /** The token as the link has it; the store keeps only a hash. */
  token: string
  /** The link. Everybody who has it can sign in. */
  url: string
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
export type AccountNoticeKind = 'account-linked' | 'account-unlinked' | 'passkey-added' | 'passkey-removed'

/** What {@link EmailConfig.sendNotification} is called with. */
export interface SendNotificationParams {
  /** The address of the owner, who has confirmed it. */
  identifier: string
  /** The message in the theme of the application, ready to be sent. There is no secret and no link in it. */
  message: MailMessage
  /** The provider object with its options and the environment merged in. */
  provider: MailingEmailConfig
  /** As {@link SendVerificationRequestParams.theme}. */
  theme: SendVerificationRequestParams['theme']
  kind: AccountNoticeKind
  /** Public URL of the application. */
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
