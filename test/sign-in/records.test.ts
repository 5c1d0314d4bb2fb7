import { expect } from 'chai'
import { MOST_LISTED } from '../../lib/adapters/adapter.js'
import { memoryAdapter } from '../../lib/adapters/memory.js'
import { createSecretRecords, deleteRecordsOf } from '../../lib/sign-in/records.js'
import { SECRET } from '../support/app.js'
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

describe('a record that is given to a user', () => {
  it('keeps its tries, and what it has now, also while another request counts one', async () => {
    const memory = memoryAdapter()
    const now = () => 0
    let meanwhile = async () => {}
    const adapter = {
      ...memory,
      async getRecord(kind: string, key: string) {
        const found = memory.getRecord(kind, key)
        await meanwhile()
        return found
      },
    }
    const records = createSecretRecords<{ of: string }>('a kind', { store: storeOver(adapter), secrets: [SECRET], now })
    const secret = await records.make(null, { of: 'nobody' }, 60)
    expect(await records.countTry(secret, 3)).to.equal(1)
    meanwhile = async () => {
      meanwhile = async () => {}
      await records.give(secret, 'ada', (value) => ({ of: `${value.of} but ada` }))
    }
    expect(await records.countTry(secret, 3)).to.equal(3)
    expect([...(await records.listOf('ada')).values()]).to.deep.equal([{ of: 'nobody but ada' }])
    expect(await records.countTry(secret, 3)).to.be.above(3)
  })
})
