import { expect } from 'chai'
import { MOST_LISTED } from '../../lib/adapters/adapter.js'
import { memoryAdapter } from '../../lib/adapters/memory.js'
import { deleteRecordsOf } from '../../lib/sign-in/records.js'
import { failureOf } from '../support/failure.js'
import { storeOver } from '../support/open-store.js'

describe('deleteRecordsOf', () => {
  const record = (key: string, owner: string) => ({
    kind: 'trusted-browser',
    key,
    owner,
    value: '',
    version: 1,
    expires: null,
  })

  it('deletes also what a store does not list at once, and nothing of anybody else', async () => {
    const adapter = memoryAdapter()
    for (let made = 0; made < 2 * MOST_LISTED + 1; made += 1) adapter.createRecord(record(String(made), 'ada'))
    adapter.createRecord(record('of bob', 'bob'))
    expect(await deleteRecordsOf(storeOver(adapter), 'trusted-browser', 'ada')).to.equal(2 * MOST_LISTED + 1)
    expect(adapter.listRecordsByOwner('trusted-browser', 'ada')).to.deep.equal([])
    expect(adapter.listRecordsByOwner('trusted-browser', 'bob')).to.have.length(1)
  })

  it('counts each record for one of two requests, and lists once what a store lists at once', async () => {
    const memory = memoryAdapter()
    for (const key of ['1', '2', '3']) memory.createRecord(record(key, 'ada'))
    let listed = 0
    const adapter = {
      ...memory,
      async listRecordsByOwner(kind: string, owner: string) {
        listed += 1
        return memory.listRecordsByOwner(kind, owner)
      },
    }
    const deleting = () => deleteRecordsOf(storeOver(adapter), 'trusted-browser', 'ada')
    const [one, other] = await Promise.all([deleting(), deleting()])
    expect(one + other).to.equal(3)
    memory.createRecord(record('4', 'ada'))
    listed = 0
    expect([await deleting(), listed]).to.deep.equal([1, 1])
  })

  it('says that a store deletes nothing', async () => {
    const adapter = { ...memoryAdapter(), deleteRecord: async () => null }
    adapter.createRecord(record('1', 'ada'))
    const failure = await failureOf(deleteRecordsOf(storeOver(adapter), 'trusted-browser', 'ada'))
    expect(failure.message).to.include('still has records')
  })
})
