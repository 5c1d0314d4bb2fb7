import { createValueEncryption } from '../../kernel/encrypted-values.js'
import type { Theme } from '../../pages/theme.js'
import type { ResolvedEmailProvider } from '../../providers/provider.js'
import type { Parts } from '../../sign-in/feature.js'
import { createMailedLinks, createMailer } from '../../sign-in/mailed-links.js'
import type { AddressService } from './dependencies.js'

/** @param sender mails what people ask for */
export function createAddresses(
  sender: ResolvedEmailProvider,
  parts: Parts<{ readonly theme: Theme }>,
): AddressService {
  const { store, secrets, now } = parts
  const mailer = createMailer(sender, parts)
  const encryption = createValueEncryption(secrets, 'address-link', now, { isInStore: true })
  return {
    store,
    links: createMailedLinks('address-link', encryption, parts),
    sender: mailer.sender,
    addressOf: mailer.addressOf,
    sendLink: (visit, email, url) =>
      mailer.sendLink(visit, email, {
        kind: 'address-link',
        url,
        texts: {
          subject: 'mail.address.subject',
          lead: 'mail.address.lead',
          button: 'mail.address.button',
          ignore: 'mail.ignore',
        },
      }),
    sendTaken: (visit, email) =>
      mailer.send(visit, email, {
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
