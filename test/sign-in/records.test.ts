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

  it('says that a store deletes nothing', async () => {
    const adapter = { ...memoryAdapter(), deleteRecord: async () => null }
    adapter.createRecord(record('1', 'ada'))
    const failure = await failureOf(deleteRecordsOf(storeOver(adapter), 'trusted-browser', 'ada'))
    expect(failure.message).to.include('still has records')
  })
})
