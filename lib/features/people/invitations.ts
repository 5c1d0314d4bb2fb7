import type { AdapterRecord } from '../../adapters/adapter.js'
import type { Store } from '../../adapters/gateway.js'
import { keyedDigest } from '../../kernel/digest.js'
import { createValueEncryption } from '../../kernel/encrypted-values.js'
import { AdapterError } from '../../kernel/errors.js'
import { inWords } from '../../pages/texts/words.js'
import type { Theme } from '../../pages/theme.js'
import { readIdentifier } from '../../providers/mail/identifier.js'
import type { ResolvedEmailProvider } from '../../providers/provider.js'
import type { Parts } from '../../sign-in/feature.js'
import { createMailer } from '../../sign-in/mailed-links.js'
import type { Admission } from '../../users/ask-sign-up.js'

/** What an invitation is among the records. */
const KIND = 'invitation'

/** What the encrypted value of a record has. */
interface StoredInvitation {
  /** Otherwise a record that was put in the place of another one would invite somebody else. */
  readonly email: string
  readonly fields: object
}

/** Invitations of addresses. */
export interface Invitations {
  readonly store: Store
  /**
   * The one form of an address, under which the invitation is found again.
   *
   * @throws {EmailSignInError} when it is not one address
   */
  addressOf(entered: unknown): string
  /**
   * Invites an address, in place of an earlier invitation. Gives that one; null if there is none that counts.
   *
   * @param fields members of the user, beside those that say who it is
   * @param maxAge seconds
   */
  put(email: string, fields: object, maxAge: number): Promise<Admission | null>
  /**
   * Uses the invitation of an address up: of several requests only one gets it. Null if there is none that counts.
   *
   * @param address in any spelling
   */
  take(address: string): Promise<Admission | null>
  /** @throws {EmailSignInError} when the mail could not be sent */
  send(
    email: string,
    mail: {
      readonly origin: string
      readonly url: string
      readonly language: string | undefined
      readonly maxAge: number
    },
  ): Promise<void>
}

/** Keeps one record an address, whose key nobody can make without the secret. The given provider sends the mails. */
export function createInvitations(sender: ResolvedEmailProvider, parts: Parts<{ readonly theme: Theme }>): Invitations {
  const { store, secrets, now } = parts
  const encryption = createValueEncryption(secrets, 'invitation', now, { isInStore: true })
  const mailer = createMailer(sender, parts)
  const keysOf = (email: string) => secrets.map((secret) => keyedDigest(secret, 'invitation')([email]))

  const read = async (record: AdapterRecord | null, email: string): Promise<object | null> => {
    // By the store's own time, which has no tolerance. Another store may give it as text.
    if (!record?.expires || new Date(record.expires).getTime() <= now()) return null
    const value = (await encryption.decrypt(record.value)) as StoredInvitation | null
    return value?.email === email ? value.fields : null
  }

  const take = async (email: string): Promise<Admission | null> => {
    let found: Admission | null = null
    for (const key of keysOf(email)) {
      const record = (await store.deleteRecord(KIND, key)) ?? null
      const fields = await read(record, email)
      // If there is a newer one by now, that one stays.
      if (record && fields) found ??= { fields, giveBack: async () => store.createRecord(record) }
    }
    return found
  }

  return {
    store,
    addressOf: (entered) => readIdentifier(sender, entered),
    async put(email, fields, maxAge) {
      const replaced = await take(email)
      const isStored = await store.createRecord({
        kind: KIND,
        key: keysOf(email)[0] ?? '',
        owner: null,
        value: await encryption.encrypt({ email, fields } satisfies StoredInvitation, maxAge),
        expires: new Date(now() + maxAge * 1000),
        version: 1,
      })
      if (!isStored) throw new AdapterError('The address was invited at the same moment by another call.')
      return replaced
    },
    take: async (address) => {
      const email = mailer.addressOf(address)
      return email === null ? null : take(email)
    },
    send: (email, { origin, url, language, maxAge }) =>
      mailer.send({ origin, header: () => language }, email, {
        kind: 'invitation',
        url,
        template: 'signin',
        compose(words) {
          const lead = words.say('mail.invitation.lead', { lifetime: inWords(maxAge, words.language) })
          return {
            subject: words.say('mail.invitation.subject'),
            url,
            preview: lead,
            lead,
            button: words.say('mail.invitation.button'),
            ignore: words.say('mail.invitation.ignore'),
          }
        },
      }),
  }
}
