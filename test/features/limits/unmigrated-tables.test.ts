import { expect } from 'chai'
import { migrateToLatest, sqlAdapter } from '../../../lib/adapters/sql.js'
import { sqlite } from '../../adapters/sql/databases.js'
import { openLimited, somewhere } from './limited-app.js'

describe('a database without the table of records', () => {
  it('lets people ask for a link, and counts in this process', async () => {
    const database = await sqlite.create()
    await migrateToLatest(database.connection)
    await database.run('drop table latchkey_records')
    const adapter = sqlAdapter(database.connection)
    const app = openLimited({ adapter })
    expect(await app.tries(12, () => app.askMail(app.from(somewhere())))).to.equal(5)
    expect(app.mails).to.have.length(5)
    await adapter.close()
    await database.drop()
  })
})
