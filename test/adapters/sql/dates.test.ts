import { expect } from 'chai'
import mysql from 'mysql2'
import pg from 'pg'
import { migrateToLatest, type SqlAdapter, sqlAdapter } from '../../../lib/adapters/sql.js'
import { ENGINES, type Engine, mariadb, postgres, type TestDatabase } from './databases.js'

/** Moments at which clocks are turned, and others that conversions get wrong. */
const MOMENTS = [
  '2026-11-01T05:30:00.123Z', // in New York 01:30, and again an hour later
  '2026-11-01T06:30:00.123Z',
  '2027-03-14T07:30:00.999Z', // in New York 02:30 is left out
  '2026-12-31T23:59:59.999Z',
  '2037-06-15T12:00:00.001Z',
].map((text) => new Date(text))

/** Sessions of the database in different time zones. */
const CLIENTS: Readonly<Record<string, (url: string, zone: string) => { connection: never; end(): unknown }>> = {
  PostgreSQL(url, zone) {
    const pool = new pg.Pool({ connectionString: url, options: `-c timezone=${zone}` })
    return { connection: pool as never, end: () => pool.end() }
  },
  MariaDB(url, zone) {
    // "local" is mysql2's default: dates would be written in the zone of the process.
    const pool = mysql.createPool({ uri: url, timezone: 'local' })
    pool.on('connection', (connection) => connection.query(`set time_zone = '${OFFSETS[zone]}'`))
    return { connection: pool as never, end: () => pool.promise().end() }
  },
  SQLite: (url) => ({ connection: { sqlite: url } as never, end: () => {} }),
}
const OFFSETS: Readonly<Record<string, string>> = { 'America/New_York': '-04:00', 'Asia/Kolkata': '+05:30' }

const COLUMN_TYPES: Readonly<Record<string, readonly string[]>> = {
  SQLite: [],
  PostgreSQL: ['alter table sessions alter column expires type timestamp(3)'],
  MariaDB: ['alter table sessions modify expires timestamp(3) not null default current_timestamp(3)'],
}

for (const engine of ENGINES) {
  describe(`dates in ${engine.name}`, () => {
    let database: TestDatabase
    const zone = process.env.TZ
    before(engine.requireServer)
    beforeEach(async () => {
      database = await engine.create()
      await migrateToLatest(database.connection)
    })
    afterEach(async () => {
      if (zone === undefined) delete process.env.TZ
      else process.env.TZ = zone
      await database.drop()
    })

    it('are the same moment in every time zone of process and session', () => expectMomentsToStay(engine, database))

    it('are so in columns of the other types that hold them', async () => {
      for (const statement of COLUMN_TYPES[engine.name] ?? []) await database.run(statement)
      await expectMomentsToStay(engine, database)
    })

    it('keep the order of time where a query compares them', async () => {
      const adapter = sqlAdapter(database.connection)
      const { id: userId } = await adapter.createUser({ id: 'u', email: 'a@b.example', emailVerified: null })
      for (const [index, expires] of MOMENTS.entries()) {
        await adapter.createSession({ sessionToken: String(index), userId, expires })
      }
      const token = engine === mariadb ? '`sessionToken`' : '"sessionToken"'
      const rows = await database.run(`select ${token} as token from sessions order by expires`)
      expect(rows.map((row) => row['token']).join('')).to.equal('01324')
      await adapter.close()
    })
  })
}

async function expectMomentsToStay(engine: Engine, database: TestDatabase): Promise<void> {
  const inZone = async (zone: string, action: (adapter: SqlAdapter) => Promise<void>) => {
    process.env.TZ = zone
    const client = CLIENTS[engine.name]?.(database.url, zone)
    if (!client) throw new Error(`no client for ${engine.name}`)
    const adapter = sqlAdapter(client.connection)
    await action(adapter)
    await adapter.close()
    await client.end()
  }
  await inZone('America/New_York', async (adapter) => {
    for (const [index, moment] of MOMENTS.entries()) {
      const userId = `u${index}`
      const user = await adapter.createUser({ id: userId, email: `${index}@x.example`, emailVerified: moment })
      expect(user.emailVerified).to.deep.equal(moment)
      const session = await adapter.createSession({ sessionToken: `s${index}`, userId, expires: moment })
      expect(session.expires).to.deep.equal(moment)
    }
  })
  await inZone('Asia/Kolkata', async (adapter) => {
    for (const [index, moment] of MOMENTS.entries()) {
      const found = await adapter.getSessionAndUser(`s${index}`)
      expect(found?.user.emailVerified).to.deep.equal(moment)
      expect(found?.session.expires).to.deep.equal(moment)
      const updated = await adapter.updateSession({
        sessionToken: `s${index}`,
        expires: new Date(moment.getTime() + 1),
      })
      expect(updated?.expires.getTime()).to.equal(moment.getTime() + 1)
    }
  })
}

describe('dates in PostgreSQL', () => {
  before(postgres.requireServer)

  it('do not depend on the parsers that an application sets in pg', async () => {
    const database = await postgres.create()
    await migrateToLatest(database.connection)
    const getTypeParser = () => (text: string) => text
    const pool = new pg.Pool({ connectionString: database.url, types: { getTypeParser } as never })
    const adapter = sqlAdapter(pool)
    const emailVerified = new Date('2026-05-06T07:08:09.010Z')
    const user = await adapter.createUser({ id: 'u', email: 'a@b.example', emailVerified })
    expect(user.emailVerified).to.deep.equal(emailVerified)
    const account = { type: 'oauth', provider: 'p', providerAccountId: '1', expires_at: 5, userId: 'u' } as const
    expect(await adapter.linkAccount(account)).to.deep.equal(account)
    await pool.end()
    await database.drop()
  })
})
