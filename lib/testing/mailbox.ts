import Email from '../providers/email.js'
import type { EmailConfig, EmailUserConfig } from '../providers/provider.js'

/** One mail with a sign-in link. */
export interface TestMail {
  readonly to: string
  /** The link, as the person would open it. */
  readonly url: string
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
  /** The link of the newest mail to an address. If there is none yet, it waits for the next one. */
  linkFor(address: string): Promise<string>
  /** Forgets all mails. */
  clear(): void
}

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
        sendVerificationRequest: ({ identifier, url, message }) =>
          deliver({
            to: identifier,
            url,
            subject: message?.subject ?? '',
            text: message?.text ?? '',
            html: message?.html ?? '',
          }),
      }),
    linkFor(address) {
      // Latchkey sends mails to addresses in lower case.
      const to = address.trim().toLowerCase()
      const known = messages.findLast((mail) => mail.to === to)
      return known ? Promise.resolve(known.url) : new Promise((resolve) => waiting.push({ to, resolve }))
    },
    clear: () => void messages.splice(0),
  }
}
