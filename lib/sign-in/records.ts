import { type AdapterRecord, MOST_LISTED } from '../adapters/adapter.js'
import type { Store } from '../adapters/gateway.js'
import { sha256Base64url } from '../kernel/digest.js'
import { createValueEncryption } from '../kernel/encrypted-values.js'
import { AdapterError } from '../kernel/errors.js'
import { randomHex } from '../kernel/random.js'
import type { Parts } from './feature.js'

/**
 * Keeps values as records of one kind, each under a secret of 256 bits that only a mail or a browser has. The store has the digest
 * of the secret, also inside of the encrypted value: a record in the place of another one counts for nobody.
 *
 * @param kind what they are among the records, and what their values are encrypted for: it never changes
 */
export function createSecretRecords<Value extends object>(
  kind: string,
  { store, secrets, now }: Pick<Parts, 'store' | 'secrets' | 'now'>,
) {
  const encryption = createValueEncryption(secrets, kind, now, { isInStore: true })
  const read = (record: AdapterRecord | null | undefined): Value | null => {
    // By the store's own time, which has no tolerance. Another store may give it as text.
    if (!record?.expires || new Date(record.expires).getTime() <= now()) return null
    const sealed = encryption.decrypt(record.value) as { readonly key: string; readonly value: Value } | null
    return sealed?.key === record.key ? sealed.value : null
  }
  const sealed = (
    { key, owner, version }: Pick<AdapterRecord, 'key' | 'owner' | 'version'>,
    value: Value,
    expires: Date,
  ): AdapterRecord => {
    const seconds = Math.ceil((expires.getTime() - now()) / 1000)
    return { kind, key, owner, version, value: encryption.encrypt({ key, value }, seconds), expires }
  }
  return {
    /**
     * Stores a value. Gives its secret.
     *
     * @param owner id of the user with whom it is deleted; null for nobody
     */
    async make(owner: string | null, value: Value, seconds: number): Promise<string> {
      const secret = randomHex()
      const expires = new Date(now() + seconds * 1000)
      await store.createRecord(sealed({ key: sha256Base64url(secret), owner, version: 1 }, value, expires))
      return secret
    },
    /**
     * Puts another value in the place of that of a secret, for as long as that had left. Null from `next` changes nothing.
     *
     * @returns what is stored now; null if nothing was changed, or another request was faster
     */
    async change(secret: string, next: (value: Value) => Value | null): Promise<Value | null> {
      const record = await store.getRecord(kind, sha256Base64url(secret))
      const value = read(record)
      const changed = value && next(value)
      if (!record?.expires || !changed) return null
      const row = { ...record, version: record.version + 1 }
      return (await store.updateRecord(sealed(row, changed, new Date(record.expires)))) ? changed : null
    },
    /**
     * Puts another value in the place of that of a secret, and gives it to a user. A store keeps the owner of a record, so it is
     * made anew: who looks for it between the two finds nothing. With the next version, so that its tries stay counted, and whoever
     * has read the one of before puts nothing back.
     */
    async give(secret: string, owner: string, next: (value: Value) => Value): Promise<void> {
      const record = await store.deleteRecord(kind, sha256Base64url(secret))
      const value = read(record)
      if (!record?.expires || !value) return
      const given = { ...record, owner, version: record.version + 1 }
      await store.createRecord(sealed(given, next(value), new Date(record.expires)))
    },
    /** The values of an owner that count, by the keys of their records, which lead to no secret. */
    async listOf(owner: string): Promise<ReadonlyMap<string, Value>> {
      const found = new Map<string, Value>()
      for (const record of await store.listRecordsByOwner(kind, owner)) {
        const value = read(record)
        if (value) found.set(record.key, value)
      }
      return found
    },
    /** The value of a secret; null if there is none that counts. */
    look: async (secret: string): Promise<Value | null> => read(await store.getRecord(kind, sha256Base64url(secret))),
    /** The same, and deletes it: of several requests only one gets it. */
    take: async (secret: string): Promise<Value | null> =>
      read(await store.deleteRecord(kind, sha256Base64url(secret))),
    /**
     * The same, and deletes all records of its owner. Null if another request has deleted one of them meanwhile: so of several requests
     * for one owner only one gets through, whichever secrets they have.
     */
    async takeAlone(owner: string, secret: string): Promise<Value | null> {
      const own = sha256Base64url(secret)
      let found: AdapterRecord | null = null
      const keys = (await store.listRecordsByOwner(kind, owner)).map(({ key }) => key)
      // Otherwise it would keep out who is faster. And in one order: two requests could each delete what the other one needs.
      if (!keys.includes(own)) return null
      for (const key of keys.sort()) {
        const record = await store.deleteRecord(kind, key)
        if (record === null) return null
        if (key === own) found = record
      }
      return read(found)
    },
    /** As {@link countTry}. */
    countTry: (secret: string, most: number) => countTry(store, kind, sha256Base64url(secret), most),
  }
}

/** Stores a record, if what is stored has the version before it: 0 for nothing. False if another request was faster. */
export async function putRecord(store: Store, record: AdapterRecord): Promise<boolean> {
  return (await (record.version === 1 ? store.createRecord(record) : store.updateRecord(record))) === true
}

/**
 * Stores a record of a user, if what is stored has the version before it: 0 for nothing.
 *
 * @returns false if another request was faster, or the user is gone; then nothing is stored
 */
export async function putRecordOf(
  store: Store,
  userId: string,
  record: Pick<AdapterRecord, 'kind' | 'key' | 'value' | 'version'> & Partial<Pick<AdapterRecord, 'expires'>>,
): Promise<boolean> {
  const row = { expires: null, ...record, owner: userId }
  try {
    if (!(await putRecord(store, row))) return false
    // Who deletes a user deletes what is stored until then.
    if (await store.getUser(userId)) return true
  } catch (error) {
    // The store may have done it, and its answer was lost.
    const { owner, value } = (await store.getRecord(row.kind, row.key)) ?? {}
    if (owner === userId && value === row.value) return true
    throw error
  }
  await store.deleteRecord(row.kind, row.key)
  return false
}

/**
 * Counts a try in the version of a record, before what was entered is looked at: of several requests at once, each is a try of its
 * own.
 *
 * @param most tries that the record has; it begins with version 1
 * @returns which try it is; more than `most` if none is left, or there is no such record
 */
export async function countTry(store: Store, kind: string, key: string, most: number): Promise<number> {
  // Whoever finds that another request has counted meanwhile looks again. Each time, a try is gone.
  for (let turn = 0; turn <= most; turn += 1) {
    const record = await store.getRecord(kind, key)
    if (!record || !(record.version <= most)) break
    if (await store.updateRecord({ ...record, version: record.version + 1 })) return record.version
  }
  return Number.POSITIVE_INFINITY
}

/** How many rounds of {@link deleteRecordsOf} there are: a store lists {@link MOST_LISTED} records in each. */
const MAX_ROUNDS = 100

/**
 * Deletes all records of a kind that belong to a user. Gives how many it has deleted: what another request deletes meanwhile counts there.
 *
 * @throws {AdapterError} when the store does not delete them, or somebody adds them as fast
 */
export async function deleteRecordsOf(store: Store, kind: string, userId: string): Promise<number> {
  let deleted = 0
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const records = await store.listRecordsByOwner(kind, userId)
    let gone = 0
    for (const { key } of records) if ((await store.deleteRecord(kind, key)) !== null) gone += 1
    deleted += gone
    // Otherwise there may be more, or the store has not deleted what it says is not there.
    if (gone === records.length && gone < MOST_LISTED) return deleted
  }
  throw new AdapterError('The store still has records that it should have deleted.')
}
