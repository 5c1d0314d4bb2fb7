import type { Adapter, AdapterRecord } from '../adapter.js'
import { MARGIN_MS } from '../expired.js'
import { mapInBatches } from './client.js'
import { encodeRow, encodeValue, expiryCommand, type RedisDependencies } from './rows.js'
import * as scripts from './scripts.js'
import { listNamed } from './sessions.js'

/** A record stays for a time after its end, in case the clock of the server is ahead of those of the processes. */
const endOf = (expires: Date | null) => (expires === null ? undefined : new Date(expires.getTime() + MARGIN_MS))

/** When a record that never expires leaves the set that names it. */
const NO_END = new Date('9999-12-31T23:59:59Z')

/**
 * Each record is a key that expires with it, and each owner has a set of such keys, in another slot. A record is named
 * before it is written, so that none is missed. Only the keys decide which records exist.
 */
export function createRecords({ keys, run, rows }: RedisDependencies) {
  const note = async (owner: string | null, name: string, expires: Date | null) => {
    if (owner === null) return
    const end = String((endOf(expires) ?? NO_END).getTime())
    await run(scripts.NOTE_END, [keys.recordsOf(owner)], [name, end, String(Date.now())])
  }
  const forget = (owner: string, names: readonly string[]) => run(scripts.FORGET, [keys.recordsOf(owner)], names)
  const find = (name: string) => rows.find<AdapterRecord>(name)
  const expiry = (expires: Date | null) => expiryCommand(endOf(expires))

  return {
    async createRecord(record) {
      const { kind, key, owner, expires } = record
      const name = keys.record(kind, key)
      await note(owner, name, expires)
      return rows.insert(name, record, expiry(expires))
    },

    getRecord: (kind, key) => find(keys.record(kind, key)),

    async updateRecord({ kind, key, value, expires, version }) {
      const name = keys.record(kind, key)
      await note((await find(name))?.owner ?? null, name, expires)
      const args = [...expiry(expires), encodeValue(version - 1), ...encodeRow({ value, expires, version })]
      return (await run(scripts.CHANGE_RECORD, [name], args)) === 1
    },

    async deleteRecord(kind, key) {
      const name = keys.record(kind, key)
      const record = await rows.take<AdapterRecord>(name)
      if (record?.owner != null) await forget(record.owner, [name])
      // Another call may have made it anew before its name was removed.
      const anew = record?.owner != null ? await find(name) : null
      if (anew) await note(anew.owner, name, anew.expires)
      return record
    },

    listRecordsByOwner: (kind, owner) =>
      listNamed({ run }, keys.recordsOf(owner), async (name) => {
        const record = name.startsWith(keys.record(kind, '')) ? await find(name) : null
        return record?.owner === owner ? record : null
      }),

    /** Deletes all records of a user. */
    async deleteRecordsByOwner(owner: string): Promise<void> {
      const names = (await run(scripts.MEMBERS, [keys.recordsOf(owner)])) as string[]
      await mapInBatches(names, (name) => run(scripts.TAKE_OWNED, [name], ['owner', encodeValue(owner)]))
      if (names.length > 0) await forget(owner, names)
    },
  } satisfies Adapter & { deleteRecordsByOwner(owner: string): Promise<void> }
}
