import type { AdapterRecord } from '../../adapters/adapter.js'
import { keyedDigest } from '../../kernel/digest.js'
import { createValueEncryption } from '../../kernel/encrypted-values.js'
import { AdapterError } from '../../kernel/errors.js'
import type { Theme } from '../../pages/theme.js'
import { readIdentifier } from '../../providers/mail/identifier.js'
import type { ResolvedEmailProvider } from '../../providers/provider.js'
import type { Parts } from '../../sign-in/feature.js'
import { createMailer, type MailReader } from '../../sign-in/mailed-links.js'
import type { Admission } from '../../users/ask-sign-up.js'

/** What an invitation is among the records. */
const KIND = 'invitation'

/** What the encrypted value of a record has. */
interface StoredInvitation {
  /** Otherwise a record that was put in the place of another one would invite somebody else. */
  readonly email: string
  readonly fields: object
}

/**
 * The value of a record whose invitation is taken or taken back. It stays for an hour: whoever gives an invitation back must find
 * the version that they left. So a process that dies between the two ends the invitation, and another one must be mailed.
 */
const USED = 'used'
const USED_MS = 60 * 60 * 1000

/** How often an invitation is taken back on condition that nobody has changed it meanwhile. */
const TRIES = 3

/** Invitations of addresses. */
export type Invitations = ReturnType<typeof createInvitations>

/** Keeps one record an address, whose key nobody can make without the secret. The given provider sends the mails. */
export function createInvitations(sender: ResolvedEmailProvider, parts: Parts<{ readonly theme: Theme }>) {
  const { store, secrets, now } = parts
  const encryption = createValueEncryption(secrets, 'invitation', now, { isInStore: true })
  const inLinks = createValueEncryption(secrets, 'invitation-link', now)
  const mailer = createMailer(sender, parts)
  const keysOf = (email: string) => secrets.map((secret) => keyedDigest(secret, 'invitation')([email]))

  const read = (record: AdapterRecord | null, email: string): object | null => {
    // By the store's own time, which has no tolerance. Another store may give it as text.
    if (!record?.expires || new Date(record.expires).getTime() <= now()) return null
    const value = encryption.decrypt(record.value) as StoredInvitation | null
    return value?.email === email ? value.fields : null
  }

  /** Gives a record the next version, or null: of several requests that have read the same one, only one gets through. */
  const change = async (record: AdapterRecord, { value, expires }: Pick<AdapterRecord, 'value' | 'expires'>) => {
    const changed = { ...record, value, expires, version: record.version + 1 }
    return (await store.updateRecord(changed)) ? changed : null
  }

  const used = () => ({ value: USED, expires: new Date(now() + USED_MS) })

  /** Ends the invitations of an address that count; gives the first of them. */
  const take = async (email: string, keys = keysOf(email)) => {
    let found: { readonly fields: object; readonly record: AdapterRecord; readonly taken: AdapterRecord } | null = null
    let isTaken = false
    for (const key of keys) {
      const record = await store.getRecord(KIND, key)
      const fields = read(record, email)
      const taken = record && fields && (await change(record, used()))
      if (taken) found ??= { fields, record, taken }
      else if (fields || record?.value === USED) isTaken = true
    }
    return found ?? (isTaken ? 'taken' : null)
  }

  /** Ends what is there, also what is taken: then it cannot be given back. */
  const revokeAt = async (key: string, email: string, tries = TRIES): Promise<boolean> => {
    const record = await store.getRecord(KIND, key)
    if (record === null) return false
    const fields = read(record, email)
    if (await change(record, used())) return fields !== null
    if (tries === 1) throw new AdapterError('An invitation could not be taken back: it changes all the time.')
    return revokeAt(key, email, tries - 1)
  }

  return {
    /**
     * The one form of an address, under which the invitation is found again.
     *
     * @throws {EmailSignInError} when it is not one address
     */
    addressOf: (entered: unknown): string => readIdentifier(sender, entered),
    /**
     * Invites an address, in place of an earlier invitation. Gives what puts that one back, unless the new one was used meanwhile.
     *
     * @param fields members of the user, beside those that say who it is
     * @param maxAge seconds
     */
    async put(email: string, fields: object, maxAge: number): Promise<() => Promise<unknown>> {
      // First: if it cannot be made, or cannot be stored, the earlier invitation stays.
      const value = encryption.encrypt({ email, fields } satisfies StoredInvitation, maxAge)
      const [key = '', ...olderKeys] = keysOf(email)
      const present = await store.getRecord(KIND, key)
      const version = (present?.version ?? 0) + 1
      const expires = new Date(now() + maxAge * 1000)
      const record: AdapterRecord = { kind: KIND, key, owner: null, value, expires, version }
      if (!(await (present ? store.updateRecord(record) : store.createRecord(record))))
        throw new AdapterError('The address was invited at the same moment by another call.')
      const older = await take(email, olderKeys)
      const replaced = read(present, email) ? present : older === 'taken' ? null : older?.record
      return () => change(record, replaced ?? used())
    },
    /**
     * Uses the invitation of an address up: of several requests only one gets it. Null if there is none that counts; `taken` if
     * another request has it, or had it within the last hour.
     *
     * @param address in any spelling
     */
    async take(address: string): Promise<Admission | 'taken' | null> {
      const email = mailer.addressOf(address)
      const found = email === null ? null : await take(email)
      if (found === null || found === 'taken') return found
      return { fields: found.fields, giveBack: () => change(found.taken, found.record) }
    },
    /**
     * Ends the invitation of an address, also for a sign-up that has taken it and then fails. Gives whether there was one that
     * counts.
     *
     * @param address in any spelling
     */
    async revoke(address: string): Promise<boolean> {
      const email = mailer.addressOf(address)
      if (email === null) return false
      let isFound = false
      for (const key of keysOf(email)) if (await revokeAt(key, email)) isFound = true
      return isFound
    },
    /** An address for the link of its invitation: a URL may be in logs, so nobody else can read it there. */
    seal: (email: string, maxAge: number): string => inLinks.encrypt({ email }, maxAge),
    /** The address that a link has; undefined for what is none, and if its invitation does not count any more. */
    async open(sealed: string): Promise<string | undefined> {
      const { email = null } = (inLinks.decrypt(sealed) ?? {}) as { readonly email?: string }
      if (email === null) return undefined
      for (const key of keysOf(email)) if (read(await store.getRecord(KIND, key), email)) return email
      return undefined
    },
    /** @throws {EmailSignInError} when the mail could not be sent */
    send: (email: string, at: MailReader, { url, maxAge }: { readonly url: string; readonly maxAge: number }) =>
      mailer.sendLink(at, email, {
        kind: 'invitation',
        url,
        lifetimeSeconds: maxAge,
        texts: {
          subject: 'mail.invitation.subject',
          lead: 'mail.invitation.lead',
          button: 'mail.invitation.button',
          ignore: 'mail.invitation.ignore',
        },
      }),
  }
}
