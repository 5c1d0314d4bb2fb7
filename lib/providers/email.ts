import Nodemailer, { type NodemailerOptions } from './mail/nodemailer.js'
import type { MailingEmailConfig } from './provider-object.js'

/** Options of {@link Email}: a function that sends, or a mail server. */
export type EmailOptions = NodemailerOptions

/**
 * Mailed links, sent by `sendVerificationRequest` of the application, or with nodemailer if `server` is given.
 *
 * By default the `id` is `email` and the `name` is `Email`.
 */
export default function Email(options: EmailOptions = {}): MailingEmailConfig {
  return { ...Nodemailer(options), id: 'email', name: 'Email' }
}
