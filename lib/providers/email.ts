import Nodemailer, { type NodemailerOptions } from './mail/nodemailer.js'
import type { MailingEmailConfig } from './provider.js'

/** What an application gives {@link Email}: a way to send of its own, or a mail server. */
export type EmailOptions = NodemailerOptions

/**
 * Links sent the application's own way, by its `sendVerificationRequest`; or, with `server`, over nodemailer.
 *
 * The `id` is `email` and the `name` is `Email` unless given.
 */
export default function Email(options: EmailOptions = {}): MailingEmailConfig {
  return { ...Nodemailer(options), id: 'email', name: 'Email' }
}
