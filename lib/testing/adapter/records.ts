import assert from 'node:assert/strict'
import type { AdapterRecord } from '../../adapters/adapter.js'
import {
  type AdapterCalls,
  allAtOnce,
  assertKept,
  assertListed,
  assertNothing,
  assertNull,
  createChecks,
} from './check.js'
import { keyedRowChecks } from './keyed-rows.js'
import { base64Text, dateFromNow, HOUR_MS, type Samples } from './samples.js'

const add = createChecks()
const { checks, strict } = add
export const recordChecks = checks

const CREATE = ['createRecord', 'getRecord'] as const
const UPDATE = [...CREATE, 'updateRecord'] as const
const DELETE = [...CREATE, 'deleteRecord'] as const
const LIST = [...CREATE, 'listRecordsByOwner'] as const

/** Stores a record, and gives it. */
async function storedRecord(adapter: AdapterCalls, samples: Samples, members?: Partial<AdapterRecord>) {
  const record = samples.record(members)
  assert.equal(await adapter.createRecord(record), true)
  return record
}

keyedRowChecks<AdapterRecord>(add, {
  noun: 'record',
  key: { kind: 'a kind', key: 'a key' },
  keys: 'kinds and keys',
  creation: ['createRecord'],
  method: 'getRecord',
  level: 'strict',
  sample: (samples, owner, members) => samples.record({ owner, ...members }),
  store: (adapter, record) => adapter.createRecord(record),
  find: (adapter, { kind, key }) => adapter.getRecord(kind, key),
  changes: {
    updateRecord: async (adapter, record) =>
      assert.equal(await adapter.updateRecord({ ...record, version: record.version + 1 }), false),
    deleteRecord: async (adapter, { kind, key }) => assertNothing(await adapter.deleteRecord(kind, key)),
  },
  list: {
    method: 'listRecordsByOwner',
    by: ['owner', 'kind'],
    text: 'an owner’s id',
    rowsOf: (adapter, { kind, owner }) => adapter.listRecordsByOwner(kind, String(owner)),
    end: ['deleteRecord', 'deleted', (adapter, { kind, key }) => adapter.deleteRecord(kind, key)],
  },
})

strict('getRecord gives what createRecord stored', CREATE, async (adapter, samples) => {
  const record = await storedRecord(adapter, samples)
  await storedRecord(adapter, samples, { owner: record.owner })
  assertKept(await adapter.getRecord(record.kind, record.key), record)
  const lasting = await storedRecord(adapter, samples, { owner: null, expires: null, value: '' })
  const found = await adapter.getRecord(lasting.kind, lasting.key)
  assertKept(found, lasting)
  assert.deepEqual([found?.owner, found?.expires], [null, null])
})

strict('keeps the longest kind, key, owner and value', LIST, async (adapter, samples) => {
  const { key, owner } = samples.record()
  const long = { key: key.padEnd(128, 'k'), owner: String(owner).padEnd(255, 'o'), value: base64Text(60_000) }
  const record = await storedRecord(adapter, samples, { ...long, kind: 'example-'.padEnd(64, 'k') })
  assertKept(await adapter.getRecord(record.kind, record.key), record)
  assertNull(await adapter.getRecord(record.kind, `${record.key.slice(0, -1)}l`))
  assertListed(await adapter.listRecordsByOwner(record.kind, long.owner), [record], 'key')
})

strict('createRecord leaves a record alone that is there, and gives false', CREATE, async (adapter, samples) => {
  const record = await storedRecord(adapter, samples)
  assert.equal(await adapter.createRecord({ ...samples.record(), key: record.key }), false)
  assertKept(await adapter.getRecord(record.kind, record.key), record)
  await storedRecord(adapter, samples, { kind: 'another', key: record.key })
  assertKept(await adapter.getRecord(record.kind, record.key), record)
})

strict('of several calls of createRecord at once, one stores its record', CREATE, async (adapter, samples) => {
  const { key } = samples.record()
  const made = await allAtOnce(8, (index) => adapter.createRecord(samples.record({ key, value: `value ${index}` })))
  assert.equal(made.filter(Boolean).length, 1)
  assert.equal((await adapter.getRecord('example', key))?.value, `value ${made.indexOf(true)}`)
})

strict('updateRecord changes value, expiry and version, and keeps the owner', UPDATE, async (adapter, samples) => {
  const record = await storedRecord(adapter, samples)
  const changed = { ...record, value: 'another', expires: dateFromNow(48 * HOUR_MS), version: 2 }
  assert.equal(await adapter.updateRecord({ ...changed, owner: samples.record().owner }), true)
  assertKept(await adapter.getRecord(record.kind, record.key), changed)
  const lasting = { ...changed, expires: null, version: 3 }
  assert.equal(await adapter.updateRecord(lasting), true)
  assertKept(await adapter.getRecord(record.kind, record.key), lasting)
})

strict('updateRecord changes no other version, and makes no record', UPDATE, async (adapter, samples) => {
  const record = await storedRecord(adapter, samples, { version: 2 })
  for (const version of [1, 2, 4]) {
    assert.equal(await adapter.updateRecord({ ...record, value: 'late', version }), false)
  }
  assertKept(await adapter.getRecord(record.kind, record.key), record)
  const { kind, key } = samples.record()
  assert.equal(await adapter.updateRecord({ ...record, kind, key, version: 3 }), false)
  assertNull(await adapter.getRecord(kind, key))
})

strict('of several changes of one version at once, one is made', UPDATE, async (adapter, samples) => {
  const record = await storedRecord(adapter, samples)
  const made = await allAtOnce(8, (index) => adapter.updateRecord({ ...record, value: `value ${index}`, version: 2 }))
  assert.equal(made.filter(Boolean).length, 1)
  const found = await adapter.getRecord(record.kind, record.key)
  assertKept(found, { ...record, value: `value ${made.indexOf(true)}`, version: 2 })
})

strict('deleteRecord gives the record, and then nothing', DELETE, async (adapter, samples) => {
  const [record, other] = [await storedRecord(adapter, samples), await storedRecord(adapter, samples)]
  assertKept(await adapter.deleteRecord(record.kind, record.key), record)
  assertNull(await adapter.getRecord(record.kind, record.key))
  assertNothing(await adapter.deleteRecord(record.kind, record.key))
  assertKept(await adapter.getRecord(other.kind, other.key), other)
  assert.equal(await adapter.createRecord(record), true)
})

strict('of several calls of deleteRecord at once, one gets the record', DELETE, async (adapter, samples) => {
  const record = await storedRecord(adapter, samples)
  const given = (await allAtOnce(8, () => adapter.deleteRecord(record.kind, record.key))).filter(Boolean)
  assert.equal(given.length, 1)
  assertKept(given[0], record)
})

strict(
  'listRecordsByOwner gives records that never expire, and none without an owner',
  LIST,
  async (adapter, samples) => {
    const record = await storedRecord(adapter, samples, { expires: null })
    await storedRecord(adapter, samples, { owner: null })
    await storedRecord(adapter, samples, { owner: record.owner, kind: 'another' })
    assertListed(await adapter.listRecordsByOwner(record.kind, String(record.owner)), [record], 'key')
  },
)

strict(
  'deleteUser deletes the records of the user',
  ['createUser', 'deleteUser', ...LIST],
  async (adapter, samples) => {
    const { id: owner } = await adapter.createUser(samples.user())
    const own = [
      await storedRecord(adapter, samples, { owner }),
      await storedRecord(adapter, samples, { owner, kind: 'another', expires: null }),
    ]
    const other = await storedRecord(adapter, samples)
    await adapter.deleteUser(owner)
    for (const { kind, key } of own) assertNull(await adapter.getRecord(kind, key))
    assertKept(await adapter.getRecord(other.kind, other.key), other)
  },
)
