import type { Theme } from '../../pages/theme.js'
import type { ResolvedEmailProvider } from '../../providers/provider.js'
import type { Parts } from '../../sign-in/feature.js'
import { readerOf } from '../../sign-in/language.js'
import { createMailedLinks, createMailer } from '../../sign-in/mailed-links.js'
import type { Visit } from '../../sign-in/visit.js'
import { createOtherAddresses } from './other-addresses.js'

/**
 * A change that somebody has asked for, or an address that they add. It stops counting when the user, an address or the session
 * in it changes.
 */
export interface AddressLink {
  readonly userId: string
  /** The address of the user, which somebody has confirmed; empty for none. */
  readonly from: string
  /** The address that takes its place, or is added to it. */
  readonly to: string
  /** Public id of the session in which it was asked for; null where nobody knows it. */
  readonly sessionId: string | null
  /** When its user had last proved who they are there, milliseconds since the epoch; null if nobody knows. */
  readonly provedAt: number | null
}

/** What changes addresses. */
export type AddressService = ReturnType<typeof createAddresses>

/** @param sender mails what people ask for */
export function createAddresses(
  sender: ResolvedEmailProvider,
  parts: Parts<{ readonly theme: Theme; readonly maxAddresses: number }>,
) {
  const { store, options } = parts
  const mailer = createMailer(sender, parts)
  return {
    store,
    others: createOtherAddresses(store, options.maxAddresses),
    /** How many a user can have. With one, a new address takes the place of the one before. */
    most: options.maxAddresses,
    links: createMailedLinks<AddressLink>('address-link', parts),
    sender: mailer.sender,
    addressOf: mailer.addressOf,
    /** Mails a link that confirms an address. Throws as `Mailer.send` does. */
    sendLink: (visit: Visit, email: string, url: string) =>
      mailer.sendLink(readerOf(visit), email, {
        kind: 'address-link',
        url,
        texts: {
          subject: 'mail.address.subject',
          lead: 'mail.address.lead',
          button: 'mail.address.button',
          ignore: 'mail.ignore',
        },
      }),
    /** Tells an address that it has an account already. Throws as `Mailer.send` does. */
    sendTaken: (visit: Visit, email: string) =>
      mailer.send(readerOf(visit), email, {
        kind: 'address-taken',
        url: visit.origin,
        template: 'notice',
        compose({ say }) {
          const title = say('mail.address.taken')
          const subject = say('mail.notice.subject', { title })
          return { subject, title, what: say('mail.address.takenText'), advice: say('mail.ignore') }
        },
      }),
  }
}
