import { AuthError } from '../kernel/errors.js'
import Email from '../providers/email.js'
import type { EmailConfig, EmailUserConfig, NotificationKind } from '../providers/provider.js'

/** One mail. */
export interface TestMail {
  readonly to: string
  /** What it is for: `sign-in` for a sign-in link, a code, or both. */
  readonly kind: 'sign-in' | NotificationKind
  /** The link, as the person would open it; of a mail without one, the public URL of the application. */
  readonly url: string
  /** The code, as the person would read it; empty for none. */
  readonly code: string
  readonly subject: string
  readonly text: string
  readonly html: string
}

/** A mailbox that keeps mails in memory. */
export interface TestMailbox {
  /** An e-mail provider whose mails come here, in place of that of the application. */
  provider(options?: EmailUserConfig): EmailConfig
  /** All mails, oldest first. */
  readonly messages: readonly TestMail[]
  /**
   * The link of the newest mail to an address that has one: to sign in, to choose a password, to confirm an address, or of an
   * invitation. If there is none yet, it waits for the next one.
   *
   * @param options `timeout`: for how many milliseconds it waits at most, 4000 by default
   * @throws {AuthError} if no mail came in this time; the message has the addresses that got mail
   */
  linkFor(address: string, options?: { readonly timeout?: number }): Promise<string>
  /** Forgets all mails. */
  clear(): void
}

/** Less than the five seconds after which Jest and Vitest give up without a reason. */
const LINK_TIMEOUT_MS = 4000

/** Mails whose button is what a test goes on with. The others tell the owner of an account what happened. */
const WITH_LINK: readonly TestMail['kind'][] = ['sign-in', 'password-link', 'address-link', 'invitation']

const leadsOn = ({ kind }: TestMail): boolean => WITH_LINK.includes(kind)

/** Makes a mailbox for a test. */
export function testMailbox(): TestMailbox {
  const messages: TestMail[] = []
  const waiting: { readonly to: string; readonly resolve: (url: string) => void }[] = []
  const deliver = (mail: TestMail) => {
    messages.push(mail)
    if (!leadsOn(mail)) return
    for (const waiter of waiting.filter(({ to }) => to === mail.to)) {
      waiting.splice(waiting.indexOf(waiter), 1)
      waiter.resolve(mail.url)
    }
  }
  return {
    messages,
    provider: (options = {}) =>
      Email({
        ...options,
        sendVerificationRequest: ({ identifier, url, code = '', message }) =>
          deliver({
            to: identifier,
            kind: 'sign-in',
            url,
            code,
            subject: message?.subject ?? '',
            text: message?.text ?? '',
            html: message?.html ?? '',
          }),
        sendNotification: ({ identifier, kind, url, message: { subject, text, html } }) =>
          deliver({ to: identifier, kind, url, code: '', subject, text, html }),
      }),
    linkFor(address, { timeout = LINK_TIMEOUT_MS } = {}) {
      // Latchkey sends mails to addresses in lower case.
      const to = address.trim().toLowerCase()
      const known = messages.findLast((mail) => mail.to === to && leadsOn(mail))
      if (known) return Promise.resolve(known.url)
      return new Promise((resolve, reject) => {
        const waiter = {
          to,
          resolve: (url: string) => {
            clearTimeout(timer)
            resolve(url)
          },
        }
        const timer = setTimeout(() => {
          waiting.splice(waiting.indexOf(waiter), 1)
          reject(new AuthError(noMail(to, timeout, messages)))
        }, timeout)
        waiting.push(waiter)
      })
    },
    clear: () => void messages.splice(0),
  }
}

function noMail(to: string, timeout: number, messages: readonly TestMail[]): string {
  const addresses = [...new Set(messages.map((mail) => mail.to))]
  const others = addresses.length === 0 ? 'No address got mail.' : `Mail went to: ${addresses.join(', ')}.`
  return `No mail came for ${to} in ${timeout} ms. ${others}`
}
