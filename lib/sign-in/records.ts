import type { Store } from '../adapters/gateway.js'

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

/** Deletes all records of a kind that belong to a user. */
export async function deleteRecordsOf(store: Store, kind: string, userId: string): Promise<void> {
  for (const { key } of await store.listRecordsByOwner(kind, userId)) await store.deleteRecord(kind, key)
}
