import type { Transporter } from 'nodemailer'
import { isPlainObject } from '../../kernel/describe-value.js'
import { commonJsExports } from '../../kernel/packages.js'
import type { EmailUserConfig, MailingEmailConfig } from '../provider-object.js'
import { recipient, senderOf } from './address.js'
import { messageOf, type Sending } from './mail-api.js'

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
    // An application that sends links itself sends other mails itself, too.
    ...(options.sendVerificationRequest ? {} : { sendNotification: sendOverSmtp }),
    knownOptions: [],
    requires: options.sendVerificationRequest ? [] : ['server'],
    options,
  }
}

/** A server that does not answer must not keep a visitor waiting for minutes, as it would by nodemailer's own limits. */
const LIMITS = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000 }

/** One transport per resolved provider, so that a pool of connections is one. */
const transports = new WeakMap<MailingEmailConfig, Promise<Transporter>>()

/**
 * Sends a mail over nodemailer, which is loaded at the first one: by SMTP, or by whatever transport the application made.
 *
 * @throws {Error} when the server refuses the recipient or cannot be reached
 */
export async function sendOverSmtp(params: Sending): Promise<void> {
  const { identifier, url, provider } = params
  const to = recipient(identifier)
  const { name, address } = senderOf(provider.from, url)
  const { subject, html, text } = messageOf(params)
  const transport = await transportOf(provider)
  const result = await transport.sendMail({
    // As objects, and with an envelope: no parser ever looks for addresses in a text that a visitor gave (GHSA-5jpx-9hw9-2fx4).
    from: { name, address },
    to: { name: '', address: to },
    envelope: { from: address, to: [to] },
    subject,
    html,
    text,
    // RFC 3834 §5: no out-of-office note in return.
    headers: { 'Auto-Submitted': 'auto-generated' },
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  if ([result?.rejected, result?.pending].flat().filter(Boolean).length > 0) {
    throw new Error(`Provider "${provider.id}": the mail server did not take the recipient.`)
  }
}

function transportOf(provider: MailingEmailConfig): Promise<Transporter> {
  const known = transports.get(provider)
  if (known) return known
  const transport = makeTransport(provider)
  transports.set(provider, transport)
  // A package that is installed later is found at the next link.
  transport.catch(() => transports.delete(provider))
  return transport
}

async function makeTransport({ id, server }: MailingEmailConfig): Promise<Transporter> {
  if (typeof server?.sendMail === 'function') return server as Transporter
  const { createTransport } = await importNodemailer(id)
  if (typeof server === 'string') return createTransport({ ...LIMITS, url: server } as object)
  return createTransport(isPlainObject(server) ? { ...LIMITS, ...server } : server)
}

async function importNodemailer(id: string) {
  // Bundlers take an import within `try` for one that may fail: nodemailer need not be installed.
  try {
    return commonJsExports(await import('nodemailer'), 'createTransport')
  } catch (cause) {
    throw new Error(`Provider "${id}" sends over nodemailer, which could not be loaded: npm install nodemailer`, {
      cause,
    })
  }
}
