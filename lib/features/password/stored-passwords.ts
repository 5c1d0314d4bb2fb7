import type { AdapterRecord } from '../../adapters/adapter.js'
import { sha256Base64url } from '../../kernel/digest.js'
import { createValueEncryption } from '../../kernel/encrypted-values.js'
import { AdapterError } from '../../kernel/errors.js'
import type { HashImporter } from '../../providers/provider.js'
import type { Parts } from '../../sign-in/feature.js'
import { putRecordOf } from '../../sign-in/records.js'
import { canRead, checkHash, hashPassword } from './hash.js'

/** What a password is among the records. */
const KIND = 'password'

/** What is stored for a user. */
export interface StoredPassword {
  readonly hash: string
  /** Whether it only lets its owner choose another one. */
  readonly mustChange: boolean
}

export interface FoundPassword extends StoredPassword {
  /** As {@link StoredPasswords.versionOf} gives it. */
  readonly version: number
  /** What the store has of it. */
  readonly value: string
  /** Digest of its first hash: it stays while the password does. */
  readonly first: string
}

/** What a check has found. */
export interface CheckedPassword {
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

  const versionOf = async (userId: string): Promise<number> =>
    (await store.getRecord(KIND, keyOf(userId)))?.version ?? 0

  /** Null if it cannot be read. */
  const storedIn = (userId: string, record: AdapterRecord): StoredValue | null => {
    const value = encryption.decrypt(record.value) as StoredValue | null
    return value?.userId === userId ? value : null
  }

  const find = async (userId: string): Promise<FoundPassword | null> => {
    const record = await store.getRecord(KIND, keyOf(userId))
    const value = record && storedIn(userId, record)
    if (!value || value.hash === null) return null
    return {
      version: record.version,
      value: record.value,
      hash: value.hash,
      mustChange: value.mustChange !== undefined,
      first: value.first ?? sha256Base64url(value.hash),
    }
  }

  const has = async (userId: string): Promise<boolean> => {
    const record = await store.getRecord(KIND, keyOf(userId))
    if (record === null) return false
    const value = storedIn(userId, record)
    // What cannot be read may be one.
    return value === null || value.hash !== null
  }

  const putAfter = async (
    version: number,
    userId: string,
    password: StoredPassword | null,
    first?: string,
  ): Promise<boolean> => {
    const { hash, mustChange } = password ?? { hash: null, mustChange: false }
    const value = { userId, hash, ...(mustChange && { mustChange }), ...(first && { first }) } satisfies StoredValue
    const sealed = encryption.encrypt(value, Number.POSITIVE_INFINITY)
    return putRecordOf(store, userId, { kind: KIND, key: keyOf(userId), value: sealed, version: version + 1 })
  }

  /** Stores in the place of what is there, which may be unreadable, or may change meanwhile. False if there is no such user. */
  const put = async (userId: string, password: StoredPassword | null): Promise<boolean> => {
    for (let tries = 0; tries < TRIES; tries += 1) {
      if (await putAfter(await versionOf(userId), userId, password)) return true
      if (!(await store.getUser(userId))) return false
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
      const { value, first } = found
      let { version, mustChange } = found
      if (isOutdated || newest.mayBeOfOtherKey(value)) {
        const hash = isOutdated ? await hashPassword(password) : found.hash
        if (await putAfter(version, userId, { hash, mustChange }, first)) version += 1
        else {
          // Another check was faster with it. If somebody has changed it meanwhile, theirs stays.
          const current = await find(userId)
          if (current?.first === first) ({ version, mustChange } = current)
        }
      }
      return { isRight, mustChange, version }
    },
    /** Whether a password is the one of a user that they must change. */
    async isTemporary(userId: string, password: string): Promise<boolean> {
      const found = await find(userId)
      return Boolean(found?.mustChange) && (await checkHash(password, found?.hash ?? null, importers)).isRight
    },
    canRead: (hash: string): boolean => canRead(hash, importers),
    /** Which state of the password of a user a link was made for: 0 if there is none, and another number after each change. */
    versionOf,
    /**
     * Stores a password in the place of the one that was checked, or that a link was made for.
     *
     * @param version of that one, as {@link versionOf} gives it
     * @returns false if it was changed meanwhile, or the user is gone; then nothing is stored
     */
    async replace(userId: string, password: string, version: number): Promise<boolean> {
      return putAfter(version, userId, { hash: await hashPassword(password), mustChange: false })
    },
    put,
    /**
     * Stores a password, or null for none, if what is stored has the version. A record without a password stays: links and
     * sign-ins of before must find another version, also after a next password.
     *
     * @returns false if it was changed meanwhile, or the user is gone; then nothing is stored
     */
    putAfter,
    /** Whether there is a password, also one that cannot be read. */
    has,
    /** Stays while the password does, also if it is hashed or encrypted anew: {@link versionOf} does not. */
    stateOf: async (userId: string): Promise<string> => (await find(userId))?.first ?? '',
    /** Takes a password away, also one that cannot be read, or is chosen meanwhile. Gives whether there was one. */
    async revoke(userId: string): Promise<boolean> {
      if (!(await has(userId))) return false
      await put(userId, null)
      return true
    },
  }
}

/** What the encrypted value of a record has: no hash once the password is removed. Earlier ones have no `mustChange`. */
type StoredValue = {
  readonly userId: string
  readonly hash: string | null
  readonly mustChange?: true
  /** Digest of the first hash of this password, if it was hashed anew since. */
  readonly first?: string
}

/** How often a password is stored on condition that nobody has changed it meanwhile. */
const TRIES = 3
