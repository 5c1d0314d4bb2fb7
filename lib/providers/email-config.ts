import { type CustomFetch, customFetch } from './oauth-config.js'
import type { Awaitable, CommonProviderOptions } from './user.js'

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
  /** Hashes the tokens of this provider, in place of `config.secret`. A list while it is exchanged: the first hashes, links of all are taken. */
  secret?: string | string[]
  /** Key of a mail service; by default `AUTH_{ID}_KEY`. */
  apiKey?: string
  // biome-ignore lint/suspicious/noExplicitAny: the options of an SMTP transport belong to nodemailer, an optional peer
  server?: any
  /** Whether a link signs in at once or asks first; `auto` by default. */
  confirm?: EmailConfirmation
  /** Sends the link. Rejecting takes the link back, and the visitor learns that no mail was sent. */
  sendVerificationRequest?(params: SendVerificationRequestParams): Awaitable<void>
  /** Makes the token of a link; by default 32 random bytes in hex. Six characters or more, not to be guessed while it lives. */
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
