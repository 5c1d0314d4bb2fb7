import { expect } from 'chai'
import mysql, { type Pool as MysqlPool } from 'mysql2/promise'
import pg, { type Pool } from 'pg'
import type { ExpiredCounts } from '../../../lib/adapters/adapter.js'
import { createConnector } from '../../../lib/adapters/sql/connect.js'
import { mysql as mysqlDialect } from '../../../lib/adapters/sql/dialects/mysql.js'
import { adapterOver } from '../../../lib/adapters/sql/sql-adapter.js'
import { migrateToLatest, type SqlAdapter, sqlAdapter } from '../../../lib/adapters/sql.js'
import type { AdapterError } from '../../../lib/kernel/errors.js'
import { ENGINES, type Engine, mariadb, postgres, type TestDatabase } from './databases.js'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const at = (ms: number) => new Date(Date.now() + ms)
const isoAt = (ms: number) => at(ms).toISOString()

const quoted = (engine: Engine, name: string) => (engine.name === 'MariaDB' ? `\`${name}\`` : `"${name}"`)

const tokensOf = async (engine: Engine, database: TestDatabase) => {
  const column = quoted(engine, 'sessionToken')
  const rows = await database.run(`select ${column} as token from sessions order by ${column}`)
  return rows.map(({ token }) => String(token))
}

const codeOf = (error: unknown) => ({ ...(error as AdapterError), message: (error as Error).message })

/** Sessions of one user, by their tokens, that end so many milliseconds from now. */
async function createSessions(adapter: SqlAdapter, ends: Readonly<Record<string, number>>): Promise<void> {
  await adapter.createUser({ id: 'ada', email: 'ada@example.com', emailVerified: null })
  for (const [sessionToken, ms] of Object.entries(ends)) {
    await adapter.createSession({ sessionToken, userId: 'ada', expires: at(ms) })
  }
}

/** What makes a deletion of one row fail. */
const REFUSE_POISON: Readonly<Record<Engine['name'], readonly string[]>> = {
  SQLite: [
    `create trigger refuse before delete on sessions when old."sessionToken" = 'poison'
     begin select raise(abort, 'refused'); end`,
  ],
  PostgreSQL: [
    `create function refuse() returns trigger language plpgsql as $$
     begin if old."sessionToken" = 'poison' then raise exception 'refused'; end if; return old; end $$`,
    'create trigger refuse before delete on sessions for each row execute function refuse()',
  ],
  MariaDB: [
    `create trigger refuse before delete on sessions for each row
     begin if old.sessionToken = 'poison' then signal sqlstate '45000' set message_text = 'refused'; end if; end`,
  ],
}

/** What makes each deletion of a row take 0.2 s. */
const SLOW_DOWN: Readonly<Record<'PostgreSQL' | 'MariaDB', readonly string[]>> = {
  PostgreSQL: [
    'create function slow() returns trigger language plpgsql as $$ begin perform pg_sleep(0.2); return old; end $$',
    'create trigger slow before delete on sessions for each row execute function slow()',
  ],
  MariaDB: ['create trigger slow before delete on sessions for each row do sleep(0.2)'],
}

interface ColumnType {
  readonly type: string
  /** Values as they stand in a statement. */
  readonly over: readonly string[]
  readonly kept: readonly string[]
  readonly unreadable: readonly string[]
}

const text = (value: string) => `'${value}'`
const blank = (iso: string) => iso.slice(0, 19).replace('T', ' ')
const seconds = (ms: number) => String(Math.floor(at(ms).getTime() / 1000))
const milliseconds = (ms: number) => String(at(ms).getTime())
const inZone = (ms: number, hours: number) =>
  `${at(ms + hours * HOUR_MS)
    .toISOString()
    .slice(0, 19)}+0${hours}:00`

/** The types that the columns of Auth.js's adapters have, and what people put in them. The values are relative to now. */
const columnTypes = (): Readonly<Record<Engine['name'], readonly ColumnType[]>> => ({
  SQLite: [
    {
      type: 'text',
      over: [
        ...[isoAt(-HOUR_MS), blank(isoAt(-HOUR_MS)), inZone(-HOUR_MS, 5), milliseconds(-HOUR_MS)].map(text),
        text('2020-02-29T12:00:00Z'),
      ],
      kept: [isoAt(HOUR_MS), isoAt(-MINUTE_MS), blank(isoAt(HOUR_MS)), inZone(HOUR_MS, 5), milliseconds(HOUR_MS)].map(
        text,
      ),
      unreadable: ['', 'now', 'soon', '12:00', '1459000.5', '-4000000000000', seconds(HOUR_MS)].map(text),
    },
    {
      type: 'datetime',
      over: [text(isoAt(-HOUR_MS)), text(blank(isoAt(-HOUR_MS))), milliseconds(-HOUR_MS)],
      kept: [text(isoAt(HOUR_MS)), text(blank(isoAt(HOUR_MS))), milliseconds(HOUR_MS), text(isoAt(300 * HOUR_MS))],
      unreadable: [text('now'), text(''), seconds(HOUR_MS), seconds(-HOUR_MS), '0'],
    },
    {
      type: 'integer',
      over: [milliseconds(-HOUR_MS), `${milliseconds(-HOUR_MS)}.5`],
      kept: [milliseconds(HOUR_MS), milliseconds(300 * HOUR_MS)],
      unreadable: [seconds(HOUR_MS), text(isoAt(-HOUR_MS)), '0'],
    },
  ],
  PostgreSQL: [
    {
      type: 'timestamptz',
      over: [text(isoAt(-HOUR_MS)), text(inZone(-HOUR_MS, 5))],
      kept: [text(isoAt(HOUR_MS)), text(inZone(HOUR_MS, 5)), text('infinity')],
      unreadable: [text('-infinity'), text('1970-01-01T00:00:00Z')],
    },
    {
      type: 'timestamp(3)',
      over: [text(isoAt(-HOUR_MS))],
      kept: [text(isoAt(HOUR_MS))],
      unreadable: [text('-infinity')],
    },
    {
      type: 'bigint',
      over: [milliseconds(-HOUR_MS)],
      kept: [milliseconds(HOUR_MS)],
      unreadable: [seconds(HOUR_MS), '0'],
    },
    { type: 'numeric', over: [milliseconds(-HOUR_MS)], kept: [milliseconds(HOUR_MS)], unreadable: [seconds(HOUR_MS)] },
    {
      type: 'text',
      over: [text(isoAt(-HOUR_MS)), text(milliseconds(-HOUR_MS)), text('2020-02-29T12:00:00Z')],
      kept: [text(isoAt(HOUR_MS)), text(milliseconds(HOUR_MS)), text(isoAt(-MINUTE_MS))],
      unreadable: ['', 'soon', seconds(HOUR_MS), blank(isoAt(-HOUR_MS)), inZone(-HOUR_MS, 5)].map(text),
    },
  ],
  MariaDB: [
    {
      type: 'datetime(3)',
      over: [text(isoAt(-HOUR_MS).replace('Z', ''))],
      kept: [text(isoAt(HOUR_MS).replace('Z', '')), text('9999-12-31 23:59:59')],
      unreadable: [text('0000-00-00 00:00:00'), text('1970-01-01 00:00:00')],
    },
    {
      type: 'timestamp(3)',
      over: [`from_unixtime(${seconds(-HOUR_MS)})`],
      kept: [`from_unixtime(${seconds(HOUR_MS)})`],
      unreadable: [text('0000-00-00 00:00:00')],
    },
    {
      type: 'bigint',
      over: [milliseconds(-HOUR_MS)],
      kept: [milliseconds(HOUR_MS)],
      unreadable: [seconds(HOUR_MS), '0'],
    },
    {
      type: 'varchar(40)',
      over: [text(isoAt(-HOUR_MS)), text(milliseconds(-HOUR_MS))],
      kept: [text(isoAt(HOUR_MS)), text(milliseconds(HOUR_MS)), text(isoAt(-MINUTE_MS))],
      unreadable: ['', 'soon', seconds(HOUR_MS), blank(isoAt(-HOUR_MS)), inZone(-HOUR_MS, 5)].map(text),
    },
  ],
})

function columnType({ name }: Engine, type: string): ColumnType {
  const found = columnTypes()[name].find((one) => one.type === type)
  if (!found) throw new Error(`There is no column of the type ${type} on ${name}.`)
  return found
}

for (const engine of ENGINES) {
  describe(`deleteExpired on ${engine.name}`, () => {
    let database: TestDatabase
    let adapter: SqlAdapter
    before(engine.requireServer)
    beforeEach(async () => {
      database = await engine.create()
      await migrateToLatest(database.connection)
      adapter = sqlAdapter(database.connection)
    })
    afterEach(async () => {
      await adapter.close()
      await database.drop()
    })

    it('leaves what has just ended: another process may have a clock that is behind', async () => {
      await createSessions(adapter, { over: -6 * MINUTE_MS, recent: -4 * MINUTE_MS, usable: MINUTE_MS })
      const report = await adapter.deleteExpired()
      expect(report).to.deep.equal({
        sessions: 1,
        verificationTokens: 0,
        leftovers: 0,
        unreadable: 0,
        complete: true,
        hints: [],
      })
      expect(await tokensOf(engine, database)).to.deep.equal(['recent', 'usable'])
    })

    it('goes by the clock that is behind, and says that they differ', async () => {
      await createSessions(adapter, { long: -3 * HOUR_MS, over: -HOUR_MS })
      const connector = createConnector(database.connection)
      const behind = async () => {
        const connection = await connector.connect()
        const { sql, dialect } = connection
        return { ...connection, dialect: { ...dialect, clock: sql`${sql.lit(Date.now() - 2 * HOUR_MS)}` } }
      }
      const { sessions, hints } = await adapterOver({ connect: behind, close: connector.close }, {}).deleteExpired()
      expect(sessions).to.equal(1)
      expect(hints).to.deep.equal([
        'The clocks of the database and of this process differ by 120 minutes; the clock that is behind counts.',
      ])
      expect(await tokensOf(engine, database)).to.deep.equal(['over'])
      await connector.close()
    })

    it('works without an index, and says what makes one', async () => {
      await createSessions(adapter, { a: -HOUR_MS, b: HOUR_MS, c: -2 * HOUR_MS, d: -3 * HOUR_MS })
      await database.run(`drop index sessions_expires_idx${engine.name === 'MariaDB' ? ' on sessions' : ''}`)
      const { sessions, hints } = await adapter.deleteExpired({ batch: 2 })
      expect(sessions).to.equal(3)
      expect(hints).to.deep.equal([
        'There is no index on sessions (expires), so each batch looks through the table: "npx latchkey migrate up" makes it.',
      ])
      expect(await tokensOf(engine, database)).to.deep.equal(['b'])
    })

    it('finds the index that it is to use', async () => {
      await createSessions(adapter, { a: -HOUR_MS, b: -2 * HOUR_MS, c: -3 * HOUR_MS })
      expect(await adapter.deleteExpired({ dryRun: true })).to.include({ sessions: 3 })
      expect((await adapter.deleteExpired({ batch: 1 })).hints).to.deep.equal([])
    })

    it('stops between two batches, and what was deleted stays deleted', async () => {
      await createSessions(adapter, { a: -4 * HOUR_MS, b: -3 * HOUR_MS, c: -2 * HOUR_MS, d: -HOUR_MS })
      const stop = new AbortController()
      const seen: ExpiredCounts[] = []
      const report = await adapter.deleteExpired({
        batch: 2,
        signal: stop.signal,
        onProgress(counts) {
          seen.push(counts)
          stop.abort()
        },
      })
      expect(seen).to.deep.equal([{ sessions: 2, verificationTokens: 0, leftovers: 0 }])
      expect(report).to.include({ sessions: 2, complete: false })
      expect(await tokensOf(engine, database)).to.deep.equal(['c', 'd'])
    })

    it('says how far it came when the store fails midway, and no value', async () => {
      await createSessions(adapter, { a: -4 * HOUR_MS, b: -3 * HOUR_MS, poison: -2 * HOUR_MS, d: -HOUR_MS })
      for (const statement of REFUSE_POISON[engine.name]) await database.run(statement)
      const failure = codeOf(await adapter.deleteExpired({ batch: 1 }).catch((error: unknown) => error))
      expect(failure).to.have.nested.property('cause.deleted.sessions', 2)
      expect(failure).to.include({ type: 'AdapterError' })
      expect(failure.message).to.match(
        /^deleteExpired: .*refused.* Until then it had deleted 2 sessions and 0 links\.$/,
      )
      expect(failure.message).not.to.include('poison')
      expect(await tokensOf(engine, database)).to.deep.equal(['d', 'poison'])
    })

    it('of several at once deletes each row once', async () => {
      const ends = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`s${index}`, -HOUR_MS - index]))
      await createSessions(adapter, { ...ends, usable: HOUR_MS })
      const others = [sqlAdapter(database.connection), sqlAdapter(database.connection)]
      const reports = await Promise.all([adapter, ...others].map((each) => each.deleteExpired({ batch: 4 })))
      expect(reports.reduce((sum, { sessions }) => sum + sessions, 0)).to.equal(60)
      expect(await tokensOf(engine, database)).to.deep.equal(['usable'])
      await Promise.all(others.map((each) => each.close()))
    })

    it('counts token sessions as sessions, deletes them in batches, and leaves revoked ones that have not expired', async () => {
      await createSessions(adapter, { over: -HOUR_MS, usable: HOUR_MS })
      for (const [id, ms] of Object.entries({ a: -3, b: -2, c: -1, d: 1 })) {
        const session = { id, userId: 'ada', expires: at(ms * HOUR_MS), revokedAt: at(0), tokenIssuedAt: null }
        await adapter.createTokenSession(session)
      }
      expect(await adapter.deleteExpired({ dryRun: true })).to.include({ sessions: 4, verificationTokens: 0 })
      const seen: number[] = []
      const report = await adapter.deleteExpired({ batch: 2, onProgress: ({ sessions }) => void seen.push(sessions) })
      expect(report).to.deep.include({ sessions: 4, complete: true, hints: [] })
      expect(seen).to.deep.equal([1, 3, 4])
      expect(await database.run('select id from token_sessions')).to.deep.equal([{ id: 'd' }])
    })

    it('leaves a token session that is extended while the deletion is under way', async () => {
      for (let index = 0; index < 20; index++) {
        const expires = at(-HOUR_MS - index * MINUTE_MS)
        await adapter.createTokenSession({
          id: `s${index}`,
          userId: 'ada',
          expires,
          revokedAt: null,
          tokenIssuedAt: null,
        })
      }
      const other = sqlAdapter(database.connection)
      await other.getTokenSession('s0')
      let extension: Promise<void> | undefined
      // The oldest rows go first, and this is the newest.
      const onProgress = () => {
        extension ??= other.updateTokenSession('s0', { expires: at(HOUR_MS) })
      }
      expect(await adapter.deleteExpired({ batch: 1, onProgress })).to.include({ sessions: 19 })
      await extension
      expect(await database.run('select id from token_sessions')).to.deep.equal([{ id: 's0' }])
      await other.close()
    })

    it('does without some of the tables, and not without all, nor without one that was named', async () => {
      await createSessions(adapter, { over: -HOUR_MS })
      await database.run('drop table verification_token')
      await database.run('drop table token_sessions')
      await database.run('drop table latchkey_records')
      expect(await adapter.deleteExpired())
        .to.include({ sessions: 1, complete: true })
        .and.deep.include({ hints: [] })
      await database.run('drop table sessions')
      const fails = async (call: Promise<unknown>, pattern: RegExp) => {
        const [outcome] = await Promise.allSettled([call])
        expect(outcome).to.have.nested.property('reason.message').that.matches(pattern)
      }
      const newly = sqlAdapter(database.connection)
      await fails(newly.deleteExpired(), /There is no table "sessions"/)
      await newly.close()
      const named = sqlAdapter(database.connection, { tables: { verificationTokens: 'links' } })
      await fails(named.deleteExpired(), /There is no table "links"/)
      await named.close()
      const revocable = sqlAdapter(database.connection, { tables: { tokenSessions: 'revocable' } })
      await fails(revocable.deleteExpired(), /There is no table "revocable"/)
      await revocable.close()
    })

    for (const { type } of columnTypes()[engine.name]) {
      it(`recognizes expired rows in a column of the type ${type}, and keeps rows that it cannot read`, async () => {
        const { over, kept, unreadable } = columnType(engine, type)
        await database.run('drop table sessions')
        const names = ['sessionToken', 'userId', 'expires'].map((name) => quoted(engine, name))
        const [token, userId, expires] = names
        await database.run(
          `create table sessions (${token} varchar(255) primary key, ${userId} varchar(255), ${expires} ${type} null)`,
        )
        const rows = [
          ...over.map((value, index) => [`over-${index}`, value]),
          ...kept.map((value, index) => [`kept-${index}`, value]),
          ...unreadable.map((value, index) => [`odd-${index}`, value]),
          ['odd-null', 'null'],
        ]
        // MariaDB refuses dates of zeros by default; old tables have them.
        const laxly = engine.name === 'MariaDB' ? "set statement sql_mode = '' for" : ''
        for (const [name, value] of rows) {
          await database.run(`${laxly} insert into sessions (${names}) values ('${name}', 'ada', ${value})`)
        }
        const expected = rows.map(([name]) => String(name)).filter((name) => !name.startsWith('over'))
        for (const isIndexed of [false, true]) {
          if (isIndexed) await database.run(`create index sessions_by_end on sessions (${expires})`)
          const dry = await adapter.deleteExpired({ dryRun: true })
          expect(dry.sessions).to.equal(isIndexed ? 0 : over.length)
          const report = await adapter.deleteExpired({ batch: 1 })
          expect(report.sessions).to.equal(dry.sessions)
          expect(report.unreadable).to.equal(unreadable.length + 1)
          expect(await tokensOf(engine, database)).to.deep.equal(expected.sort())
          if (!isIndexed) {
            await database.run(`insert into sessions (${names}) values ('over-again', 'ada', ${over[0]})`)
            expect((await sqlAdapter(database.connection).deleteExpired()).sessions).to.equal(1)
          }
        }
      })
    }
  })
}

for (const engine of [postgres, mariadb]) {
  describe(`deleteExpired on ${engine.name}, a batch of which takes longer than a look-up may`, () => {
    let database: TestDatabase
    before(engine.requireServer)
    beforeEach(async () => {
      database = await engine.create()
      await migrateToLatest(database.connection)
      const ends = Array.from({ length: 4 }, (_, index) => [`over${index}`, -HOUR_MS] as const)
      await createSessions(sqlAdapter(database.connection), Object.fromEntries(ends))
      for (const statement of SLOW_DOWN[engine.name as keyof typeof SLOW_DOWN]) await database.run(statement)
    })
    afterEach(() => database?.drop())

    it('is not cut by `queryTimeout`, nor by what that has the server do', async () => {
      const adapter = sqlAdapter({ url: database.url }, { queryTimeout: 0.3 })
      expect(await adapter.deleteExpired()).to.include({ sessions: 4 })
      expect(await adapter.getUserByEmail('ada@example.com')).to.have.property('id', 'ada')
      await adapter.close()
    })

    it('is not cut on a pool of the application’s own', async () => {
      const adapter = sqlAdapter(database.connection, { queryTimeout: 0.3 })
      expect(await adapter.deleteExpired()).to.include({ sessions: 4 })
    })

    it('is not cut by a limit that the connection has, which holds afterwards as before', async () => {
      const { pool, limit, end } = openLimited(engine, database.url)
      expect(await sqlAdapter(pool, { queryTimeout: Infinity }).deleteExpired()).to.include({ sessions: 4 })
      expect(await limit()).to.equal(0.4)
      await end()
    })
  })
}

/** A pool of one connection, which the server gives 0.4 s for each statement. */
function openLimited(engine: Engine, url: string) {
  if (engine.name === 'PostgreSQL') {
    const pool = new pg.Pool({ connectionString: url, max: 1, options: '-c statement_timeout=400' })
    const limit = async () =>
      Number.parseInt((await pool.query('show statement_timeout')).rows[0].statement_timeout, 10)
    return { pool, limit: async () => (await limit()) / 1000, end: () => pool.end() }
  }
  const pool = mysql.createPool({ uri: url, connectionLimit: 1 })
  pool.on('connection', (connection) => void connection.query('set session max_statement_time = 0.4'))
  const limit = async () => {
    const [rows] = await pool.query('select @@max_statement_time as seconds')
    return Number((rows as { seconds: unknown }[])[0]?.seconds)
  }
  return { pool, limit, end: () => pool.end() }
}

describe('deleteExpired on PostgreSQL', () => {
  let database: TestDatabase
  let adapter: SqlAdapter
  before(postgres.requireServer)
  beforeEach(async () => {
    database = await postgres.create()
    await migrateToLatest(database.connection)
    adapter = sqlAdapter(database.connection)
  })
  afterEach(() => database.drop())

  it('leaves rows that another transaction has locked, and does not wait for them', async () => {
    await createSessions(adapter, { a: -4 * HOUR_MS, locked: -3 * HOUR_MS, c: -2 * HOUR_MS })
    const client = await (database.connection as Pool).connect()
    await client.query('begin')
    await client.query(`select * from sessions where "sessionToken" = 'locked' for update`)
    expect(await adapter.deleteExpired({ batch: 2 })).to.include({ sessions: 2, complete: true })
    await client.query('commit')
    client.release()
    expect(await tokensOf(postgres, database)).to.deep.equal(['locked'])
    expect(await adapter.deleteExpired()).to.include({ sessions: 1 })
  })

  it('leaves a session that is extended while the deletion is under way', async () => {
    await createSessions(adapter, { a: -4 * HOUR_MS, extended: -3 * HOUR_MS })
    const client = await (database.connection as Pool).connect()
    await client.query('begin')
    await client.query(`update sessions set expires = now() + interval '1 day' where "sessionToken" = 'extended'`)
    const deletion = adapter.deleteExpired()
    await client.query('commit')
    client.release()
    await deletion
    expect(await tokensOf(postgres, database)).to.deep.equal(['extended'])
  })

  it('deletes rows of a table in several parts', async () => {
    await database.run('drop table sessions')
    await database.run(`create table sessions ("sessionToken" text not null, "userId" text not null, expires timestamptz not null)
      partition by hash ("sessionToken")`)
    for (const part of [0, 1]) {
      await database.run(
        `create table part${part} partition of sessions for values with (modulus 2, remainder ${part})`,
      )
    }
    const ends = Object.fromEntries(
      Array.from({ length: 20 }, (_, index) => [`s${index}`, (index % 2 ? -1 : 1) * HOUR_MS]),
    )
    await createSessions(adapter, ends)
    expect(await adapter.deleteExpired({ batch: 3 })).to.include({ sessions: 10 })
    expect(await tokensOf(postgres, database)).to.have.lengthOf(10)
  })

  it('leaves a column that nothing is known of, and says so', async () => {
    await database.run('drop table sessions')
    await database.run('create table sessions ("sessionToken" text primary key, "userId" text, expires interval)')
    await database.run(`insert into sessions values ('a', 'ada', '1 day'), ('b', 'ada', null)`)
    const report = await adapter.deleteExpired()
    expect(report).to.include({ sessions: 0, unreadable: 2 })
    expect(report.hints.join()).to.match(/"expires" of sessions is of the type interval/)
    expect(await tokensOf(postgres, database)).to.deep.equal(['a', 'b'])
  })
})

describe('deleteExpired on MariaDB', () => {
  let database: TestDatabase
  before(mariadb.requireServer)
  beforeEach(async () => {
    database = await mariadb.create()
    await migrateToLatest(database.connection)
  })
  afterEach(() => database.drop())

  for (const index of ['with an index', 'without one']) {
    it(`waits for nobody who extends a session, ${index}`, async () => {
      if (index === 'without one') await database.run('drop index sessions_expires_idx on sessions')
      const adapter = sqlAdapter(database.connection)
      await createSessions(adapter, { a: -4 * HOUR_MS, b: -3 * HOUR_MS, usable: HOUR_MS })
      const client = await (database.connection as MysqlPool).getConnection()
      await client.query('begin')
      await client.query(`update sessions set expires = '2100-01-01' where sessionToken = 'usable'`)
      expect(await adapter.deleteExpired({ batch: 1 })).to.include({ sessions: 2, complete: true })
      await client.query('commit')
      client.release()
      expect(await tokensOf(mariadb, database)).to.deep.equal(['usable'])
    })
  }

  for (const skipsLocked of [true, false]) {
    const server = skipsLocked ? 'that skips locked rows' : 'that cannot skip them'
    for (const batch of [1, 2, 1000]) {
      it(`leaves rows that somebody is at work on, on a server ${server}, ${batch} at a time`, async () => {
        const adapter = sqlAdapter(database.connection)
        await createSessions(adapter, { a: -5 * HOUR_MS, b: -4 * HOUR_MS, locked: -3 * HOUR_MS, d: -2 * HOUR_MS })
        const client = await (database.connection as MysqlPool).getConnection()
        await client.query('begin')
        await client.query(`update sessions set userId = userId where sessionToken in ('a', 'locked')`)
        await client.query(`select * from sessions where sessionToken in ('a', 'locked') for update`)
        const connector = createConnector(database.connection)
        const connect = async () => {
          const connection = await connector.connect()
          return { ...connection, dialect: mysqlDialect(connection.sql, { returning: true, skipsLocked }) }
        }
        const began = Date.now()
        const report = await adapterOver({ connect, close: connector.close }, {}).deleteExpired({ batch })
        expect(Date.now() - began).to.be.below(10_000)
        expect(report).to.include({ sessions: 2, complete: true })
        expect(await tokensOf(mariadb, database)).to.deep.equal(['a', 'locked'])
        await client.query('commit')
        client.release()
        expect(await adapter.deleteExpired()).to.include({ sessions: 2 })
      })
    }
  }
})
