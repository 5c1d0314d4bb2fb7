import type { AdapterRecord } from '../../adapters/adapter.js'
import { sha256Base64url } from '../../kernel/digest.js'
import { createValueEncryption } from '../../kernel/encrypted-values.js'
import { AdapterError } from '../../kernel/errors.js'
import type { Parts } from '../../sign-in/feature.js'
import { hashPassword, verifyPassword } from './hash.js'

/** What a password is among the records. */
const KIND = 'password'

interface FoundPassword {
  readonly hash: string
  readonly record: AdapterRecord
}

/** The passwords of users. */
export type StoredPasswords = ReturnType<typeof createStoredPasswords>

/**
 * Keeps one record a user. The hash is encrypted: whoever reads the store has nothing to guess at without a secret of the
 * configuration, and a record that was put in the place of another one counts for nobody.
 */
export function createStoredPasswords({ store, secrets, now }: Pick<Parts, 'store' | 'secrets' | 'now'>) {
  const encryptionWith = (some: readonly string[]) =>
    createValueEncryption(some, 'stored-password', now, { isInStore: true })
  const encryption = encryptionWith(secrets)
  const newest = encryptionWith(secrets.slice(0, 1))
  const keyOf = (userId: string) => sha256Base64url(userId)

  const find = async (userId: string): Promise<FoundPassword | null> => {
    const record = await store.getRecord(KIND, keyOf(userId))
    if (!record) return null
    const value = (await encryption.decrypt(record.value)) as { readonly userId: string; readonly hash: string } | null
    return value !== null && value.userId === userId ? { record, hash: value.hash } : null
  }

  const recordOf = async (userId: string, hash: string, version: number) => ({
    kind: KIND,
    key: keyOf(userId),
    owner: userId,
    value: await encryption.encrypt({ userId, hash }, Number.POSITIVE_INFINITY),
    expires: null,
    version,
  })

  /** Stores in the place of what is there, which may be unreadable, or may change meanwhile. */
  const put = async (userId: string, hash: string): Promise<void> => {
    for (let tries = 0; tries < TRIES; tries += 1) {
      const present = await store.getRecord(KIND, keyOf(userId))
      const record = await recordOf(userId, hash, (present?.version ?? 0) + 1)
      if (await (present ? store.updateRecord(record) : store.createRecord(record))) return
    }
    throw new AdapterError('A password could not be stored: it changes all the time.')
  }

  return {
    /**
     * Whether a password is that of a user. A right one whose hash or encryption is outdated is stored anew.
     *
     * @param userId null for nobody: then the check takes as long, and fails
     */
    async check(userId: string | null, password: string): Promise<boolean> {
      const found = userId === null ? null : await find(userId)
      const { isRight, isOutdated } = await verifyPassword(password, found?.hash ?? null)
      if (!isRight || userId === null || found === null) return false
      const { record } = found
      if (isOutdated || newest.mayBeOfOtherKey(record.value)) {
        const hash = isOutdated ? await hashPassword(password) : found.hash
        // If somebody has changed it meanwhile, theirs stays.
        await store.updateRecord(await recordOf(userId, hash, record.version + 1))
      }
      return true
    },
    /** Which state of the password of a user a link was made for: 0 if there is none, and another number after each change. */
    async versionOf(userId: string): Promise<number> {
      return (await store.getRecord(KIND, keyOf(userId)))?.version ?? 0
    },
    async set(userId: string, password: string): Promise<void> {
      await put(userId, await hashPassword(password))
    },
  }
}

/** How often a password is stored on condition that nobody has changed it meanwhile. */
const TRIES = 3
