import type { AdapterRecord } from '../../adapters/adapter.js'
import { sha256Base64url } from '../../kernel/digest.js'
import { createValueEncryption } from '../../kernel/encrypted-values.js'
import { AdapterError } from '../../kernel/errors.js'
import type { HashImporter } from '../../providers/provider.js'
import type { Parts } from '../../sign-in/feature.js'
import { canRead, checkHash, hashPassword } from './hash.js'

/** What a password is among the records. */
const KIND = 'password'

/** What is stored for a user. */
interface StoredPassword {
  readonly hash: string
  /** Whether it only lets its owner choose another one. */
  readonly mustChange: boolean
}

interface FoundPassword extends StoredPassword {
  readonly record: AdapterRecord
}

/** What a check has found. */
interface CheckedPassword {
  readonly isRight: boolean
  /** As it was stored; false for a wrong password. */
  readonly mustChange: boolean
  /** The state of the password that was checked, as {@link StoredPasswords.versionOf} gives it. */
  readonly version: number
}

const WRONG: CheckedPassword = { isRight: false, mustChange: false, version: 0 }

/** The passwords of users. */
export type StoredPasswords = ReturnType<typeof createStoredPasswords>

/**
 * Keeps one record a user. The hash is encrypted: whoever reads the store has nothing to guess at without a secret of the
 * configuration, and a record that was put in the place of another one counts for nobody.
 */
export function createStoredPasswords(
  importers: readonly HashImporter[],
  { store, secrets, now }: Pick<Parts, 'store' | 'secrets' | 'now'>,
) {
  const encryptionWith = (some: readonly string[]) =>
    createValueEncryption(some, 'stored-password', now, { isInStore: true })
  const encryption = encryptionWith(secrets)
  const newest = encryptionWith(secrets.slice(0, 1))
  const keyOf = (userId: string) => sha256Base64url(userId)

  const find = async (userId: string): Promise<FoundPassword | null> => {
    const record = await store.getRecord(KIND, keyOf(userId))
    if (!record) return null
    const value = (await encryption.decrypt(record.value)) as StoredValue | null
    if (value === null || value.userId !== userId || value.hash === '') return null
    return { record, hash: value.hash, mustChange: value.mustChange !== undefined }
  }

  const recordOf = async (userId: string, { hash, mustChange }: StoredPassword, version: number) => ({
    kind: KIND,
    key: keyOf(userId),
    owner: userId,
    value: await encryption.encrypt(
      { userId, hash, ...(mustChange && { mustChange }) } satisfies StoredValue,
      Number.POSITIVE_INFINITY,
    ),
    expires: null,
    version,
  })

  /** Stores in the place of what is there, which may be unreadable, or may change meanwhile. */
  const put = async (userId: string, password: StoredPassword): Promise<void> => {
    for (let tries = 0; tries < TRIES; tries += 1) {
      const present = await store.getRecord(KIND, keyOf(userId))
      const record = await recordOf(userId, password, (present?.version ?? 0) + 1)
      if (await (present ? store.updateRecord(record) : store.createRecord(record))) return
    }
    throw new AdapterError('A password could not be stored: it changes all the time.')
  }

  return {
    /** What is stored for a user; null for nothing, or what cannot be read. */
    find,
    /**
     * Whether a password is that of a user. A right one whose hash or encryption is outdated is stored anew.
     *
     * @param userId null for nobody: then the check takes as long, and fails
     */
    async check(userId: string | null, password: string): Promise<CheckedPassword> {
      // A store far away takes longer for a look-up than for none.
      const found = await find(userId ?? '')
      const { isRight, isOutdated } = await checkHash(password, found?.hash ?? null, importers)
      if (!isRight || userId === null || found === null) return WRONG
      const { record, mustChange } = found
      let { version } = record
      if (isOutdated || newest.mayBeOfOtherKey(record.value)) {
        const hash = isOutdated ? await hashPassword(password) : found.hash
        // If somebody has changed it meanwhile, theirs stays.
        if (await store.updateRecord(await recordOf(userId, { hash, mustChange }, version + 1))) version += 1
      }
      return { isRight, mustChange, version }
    },
    canRead: (hash: string): boolean => canRead(hash, importers),
    /** Which state of the password of a user a link was made for: 0 if there is none, and another number after each change. */
    async versionOf(userId: string): Promise<number> {
      return (await store.getRecord(KIND, keyOf(userId)))?.version ?? 0
    },
    /**
     * Stores a password in the place of the one that was checked, or that a link was made for.
     *
     * @param version of that one, as {@link versionOf} gives it
     * @returns false if it was changed meanwhile; then nothing is stored
     */
    async replace(userId: string, password: string, version: number): Promise<boolean> {
      const record = await recordOf(userId, { hash: await hashPassword(password), mustChange: false }, version + 1)
      return version === 0 ? store.createRecord(record) : store.updateRecord(record)
    },
    put,
    /** A record without a password stays: links and sign-ins of before must find another version, also after a next password. */
    remove: (userId: string): Promise<void> => put(userId, { hash: '', mustChange: false }),
  }
}

/** What the encrypted value of a record has. Earlier ones have no `mustChange`. */
type StoredValue = { readonly userId: string; readonly hash: string; readonly mustChange?: true }

/** How often a password is stored on condition that nobody has changed it meanwhile. */
const TRIES = 3
