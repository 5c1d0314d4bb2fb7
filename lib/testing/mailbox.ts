import { AuthError } from '../kernel/errors.js'
import Email from '../providers/email.js'
import type { EmailConfig, EmailUserConfig } from '../providers/provider.js'

/** One mail with a sign-in link, a code, or both. */
export interface TestMail {
  readonly to: string
  /** The link, as the person would open it. */
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
   * The link of the newest mail to an address. If there is none yet, it waits for the next one.
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

/** Makes a mailbox for a test. */
export function testMailbox(): TestMailbox {
  const messages: TestMail[] = []
  const waiting: { readonly to: string; readonly resolve: (url: string) => void }[] = []
  const deliver = (mail: TestMail) => {
    messages.push(mail)
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
            url,
            code,
            subject: message?.subject ?? '',
            text: message?.text ?? '',
            html: message?.html ?? '',
          }),
      }),
    linkFor(address, { timeout = LINK_TIMEOUT_MS } = {}) {
      // Latchkey sends mails to addresses in lower case.
      const to = address.trim().toLowerCase()
      const known = messages.findLast((mail) => mail.to === to)
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
