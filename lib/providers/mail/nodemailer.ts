import type { EmailUserConfig, MailingEmailConfig } from '../provider.js'
import { sendOverSmtp } from './smtp.js'

/** A mail server, as nodemailer's SMTP transport takes it; further options are passed on. */
export interface MailServer {
  host?: string
  port?: number
  /** TLS from the first byte on, as on port 465. Without it, STARTTLS is used where the server offers it. */
  secure?: boolean
  auth?: { user: string; pass: string }
  [option: string]: unknown
}

/** What an application gives {@link Nodemailer}. */
export interface NodemailerOptions extends EmailUserConfig {
  /** `smtp://user:password@host:port`, the same as an object, or a transport that the application made. */
  // biome-ignore lint/suspicious/noExplicitAny: a transport is nodemailer's own, an optional peer
  server?: string | MailServer | { sendMail(mail: any): Promise<any> }
}

/**
 * Links sent over SMTP, or any other transport of nodemailer. Needs the package `nodemailer`.
 *
 * The `id` is `nodemailer` unless given.
 */
export default function Nodemailer(options: NodemailerOptions = {}): MailingEmailConfig {
  return {
    id: 'nodemailer',
    name: 'Nodemailer',
    type: 'email',
    sendVerificationRequest: sendOverSmtp,
    // An application that sends links itself sends notices itself, too.
    ...(options.sendVerificationRequest ? {} : { sendNotification: sendOverSmtp }),
    knownOptions: [],
    requires: options.sendVerificationRequest ? [] : ['server'],
    options,
  }
}
