import type { AdapterRecord } from '../../adapters/adapter.js'
import { sha256Base64url } from '../../kernel/digest.js'
import { createValueEncryption } from '../../kernel/encrypted-values.js'
import { randomHex } from '../../kernel/random.js'
import type { Parts } from '../../sign-in/feature.js'

/** What a mailed link is among the records. */
const KIND = 'password-link'

/** An hour at most (PWD-08). */
export const LINK_LIFETIME_SECONDS = 60 * 60

/** Who may choose a password with a link, or with the form that follows a temporary password. */
export interface PasswordLink {
  /** The address that it was mailed to. */
  readonly email: string
  /** Id of the provider whose temporary password was right. Absent for a mailed link. */
  readonly provider?: string
  /** Id of the user who has the address; null for nobody: then the link makes a user. */
  readonly userId: string | null
  /** The state of their password, as `StoredPasswords.versionOf` gives it: the link counts for no other one. */
  readonly version: number
}

/** The mailed links with which people choose a password. */
export type PasswordLinks = ReturnType<typeof createPasswordLinks>

/** Keeps a record for each link. The store has the digest of its token, which has 256 bits. */
export function createPasswordLinks({ store, secrets, now }: Pick<Parts, 'store' | 'secrets' | 'now'>) {
  const encryption = createValueEncryption(secrets, 'password-link', now, { isInStore: true })
  const read = async (record: AdapterRecord | null | undefined): Promise<PasswordLink | null> => {
    // By the store's own time, which has no tolerance. Another store may give it as text.
    if (!record?.expires || new Date(record.expires).getTime() <= now()) return null
    return (await encryption.decrypt(record.value)) as PasswordLink | null
  }
  return {
    /** Makes a link that counts for an hour. Gives its token. */
    async make(link: PasswordLink): Promise<string> {
      const token = randomHex()
      await store.createRecord({
        kind: KIND,
        key: sha256Base64url(token),
        owner: link.userId,
        value: await encryption.encrypt(link, LINK_LIFETIME_SECONDS),
        expires: new Date(now() + LINK_LIFETIME_SECONDS * 1000),
        version: 1,
      })
      return token
    },
    /** What a link is for, without using it up; null if it does not count. */
    look: async (token: string): Promise<PasswordLink | null> =>
      read(await store.getRecord(KIND, sha256Base64url(token))),
    /** The same, and uses it up: of several requests only one gets it. */
    take: async (token: string): Promise<PasswordLink | null> =>
      read(await store.deleteRecord(KIND, sha256Base64url(token))),
  }
}
