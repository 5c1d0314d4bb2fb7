import { expect } from 'chai'
import Libsql from 'libsql'
import { migrateToLatest, sqlAdapter } from '../../../lib/adapters/sql.js'
import { failureOf } from '../../support/failure.js'
import { sqlite, type TestDatabase } from './databases.js'

const EXPIRES = new Date('2100-01-01T00:00:00Z')

describe('a SQLite file that another connection has locked for too long', () => {
  let database: TestDatabase
  before(async () => {
    database = await sqlite.create()
    await migrateToLatest(database.connection)
  })
  after(() => database.drop())

  it('fails the write, and keeps what is written afterwards', async () => {
    const own = new Libsql(database.url, { timeout: 20 })
    const holder = new Libsql(database.url, { timeout: 20 })
    const adapter = sqlAdapter(own as never)
    const user = await adapter.createUser({ id: 'ada', name: 'Ada', email: '', emailVerified: null })
    const write = (sessionToken: string) => adapter.createSession({ sessionToken, userId: user.id, expires: EXPIRES })
    holder.exec('begin immediate')
    expect(await failureOf(write('refused'))).to.have.property('name', 'AdapterError')
    holder.exec('commit')
    await write('stored')
    const rows = await database.run('select "sessionToken" from sessions')
    expect(rows.map((row) => row['sessionToken'])).to.deep.equal(['stored'])
    own.close()
    holder.close()
  })
})
