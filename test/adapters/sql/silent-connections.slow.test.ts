import { createConnection, createServer } from 'node:net'
import { expect } from 'chai'
import { Kysely, PostgresDialect, sql } from 'kysely'
import mysql from 'mysql2'
import mysqlPromise from 'mysql2/promise'
import pg from 'pg'
import { createConnector } from '../../../lib/adapters/sql/connect.js'
import { migrateToLatest, type SqlDatabase, sqlAdapter } from '../../../lib/adapters/sql.js'
import { within } from '../../../lib/kernel/awaitable.js'
import { AdapterError } from '../../../lib/kernel/errors.js'
import { startTcpProxy, type TcpProxy } from '../../support/tcp-proxy.js'
import { type Engine, mariadb, postgres, type TestDatabase } from './databases.js'

const user = { id: 'ada', name: null, email: 'ada@x.example', emailVerified: null, image: null }
const LIMIT_S = 0.9
const POOL_SIZE = 3

interface Opened {
  readonly database: SqlDatabase
  /** How many connections the pool believes to have, and how many of them are in use. */
  readonly counts?: () => { readonly all: number; readonly busy: number }
  end?(): unknown
}

const pgCounts = (pool: pg.Pool) => () => ({ all: pool.totalCount, busy: pool.totalCount - pool.idleCount })
const mysqlCounts = (pool: mysql.Pool) => () => {
  const { _allConnections: all, _freeConnections: free } = pool as unknown as Record<string, { length: number }>
  return { all: all?.length ?? -1, busy: (all?.length ?? 0) - (free?.length ?? 0) }
}

const KINDS: readonly (readonly [what: string, engine: Engine, open: (url: string) => Opened])[] = [
  ['a PostgreSQL URL', postgres, (url) => ({ database: { url, pool: { max: POOL_SIZE } } })],
  [
    'a pool of pg',
    postgres,
    (url) => {
      const pool = new pg.Pool({ connectionString: url, max: POOL_SIZE, connectionTimeoutMillis: 800 })
      return { database: pool, counts: pgCounts(pool), end: () => pool.end() }
    },
  ],
  [
    'a pool of pg with a limit of its own',
    postgres,
    (url) => {
      const pool = new pg.Pool({
        connectionString: url,
        max: POOL_SIZE,
        connectionTimeoutMillis: 800,
        query_timeout: 400,
      })
      return { database: pool, counts: pgCounts(pool), end: () => pool.end() }
    },
  ],
  ['a MariaDB URL', mariadb, (url) => ({ database: { url, pool: { connectionLimit: POOL_SIZE } } })],
  [
    'a pool of mysql2',
    mariadb,
    (url) => {
      const pool = mysql.createPool(`${url}?connectionLimit=${POOL_SIZE}&connectTimeout=800`)
      return { database: pool, counts: mysqlCounts(pool), end: () => pool.promise().end() }
    },
  ],
  [
    'a pool of mysql2/promise',
    mariadb,
    (url) => {
      const pool = mysqlPromise.createPool(`${url}?connectionLimit=${POOL_SIZE}&connectTimeout=800`)
      return { database: pool, counts: mysqlCounts(pool.pool as never), end: () => pool.end() }
    },
  ],
]

const timely = <T>(work: Promise<T>) => within(work, LIMIT_S * 1000 * 2 + 500, () => new Error('It hangs.'))
const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

/** A database behind a proxy that can swallow everything. */
async function behindProxy(engine: Engine) {
  const database = await engine.create()
  await migrateToLatest(database.connection)
  const url = new URL(database.url)
  const proxy = await startTcpProxy(Number(url.port))
  url.port = String(proxy.port)
  return { database, proxy, url: url.href }
}

for (const [what, engine, open] of KINDS) {
  describe(`${what}, whose connections die without a word`, () => {
    let database: TestDatabase
    let proxy: TcpProxy
    let url: string
    let opened: Opened
    const unhandled: unknown[] = []
    const note = (reason: unknown) => unhandled.push(reason)

    before(engine.requireServer)
    beforeEach(async () => {
      process.on('unhandledRejection', note)
      const made = await behindProxy(engine)
      database = made.database
      proxy = made.proxy
      url = made.url
      opened = open(url)
    })
    afterEach(async () => {
      await proxy.close()
      // What it still has of the silence was reset.
      await Promise.resolve(opened.end?.()).catch(() => {})
      await database.drop()
      process.off('unhandledRejection', note)
      expect(unhandled.splice(0)).to.deep.equal([])
    })

    it('fails every call in time, and works by itself afterwards, with all its connections', async () => {
      const adapter = sqlAdapter(opened.database, { queryTimeout: LIMIT_S })
      await adapter.createUser(user)
      await Promise.all(Array.from({ length: POOL_SIZE }, () => adapter.getUser('ada')))
      proxy.swallow()
      const calls = Array.from({ length: 60 }, () => adapter.getUser('ada').catch((error) => error))
      for (const error of await timely(Promise.all(calls))) expect(error).to.be.instanceOf(AdapterError)
      proxy.forward()
      await pause(LIMIT_S * 1000 + 100)
      expect(opened.counts?.().busy ?? 0).to.equal(0)
      const found = await timely(Promise.all(Array.from({ length: 12 }, () => adapter.getUser('ada'))))
      expect(found.every((row) => row?.id === 'ada')).to.equal(true)
      expect(opened.counts?.().all ?? 0).to.be.at.most(POOL_SIZE)
      await adapter.close()
    })

    it('asks the tables anew when they die during its first look at them', async () => {
      const adapter = sqlAdapter(opened.database, { queryTimeout: LIMIT_S })
      proxy.swallow()
      const calls = Array.from({ length: 60 }, () => adapter.getUser('ada').catch((error) => error))
      for (const error of await timely(Promise.all(calls))) expect(error).to.be.instanceOf(AdapterError)
      proxy.forward()
      await pause(LIMIT_S * 1000 + 100)
      expect(await timely(adapter.getUser('ada'))).to.equal(null)
      await adapter.close()
    })

    it('never goes on in a transaction that was given up', async () => {
      const connector = createConnector(opened.database, LIMIT_S * 1000)
      const { db } = await connector.connect()
      const users = sql`insert into users (id, email) values ('mallory', 'm@x')`
      const work = db.transaction().execute(async (transaction) => {
        await users.execute(transaction)
        proxy.swallow()
        await sql`select 1`.execute(transaction)
      })
      const error = await timely(work.catch((error) => error))
      expect(error.message).to.match(/no answer within 0.9 seconds|Query read timeout/)
      proxy.forward()
      await Promise.all(
        Array.from({ length: POOL_SIZE }, async () => {
          const { rows } = await sql`select id from users`.execute(db)
          expect(rows).to.deep.equal([])
        }),
      )
      await connector.close()
    })

    it('loses no connection to statements that are slow alone', async () => {
      const connector = createConnector(opened.database, LIMIT_S * 1000)
      const { db } = await connector.connect()
      const sleep = engine === mariadb ? sql`select sleep(5) as slept` : sql`select pg_sleep(5)`
      const errors = await timely(
        Promise.all(Array.from({ length: POOL_SIZE }, () => sleep.execute(db).catch((error: Error) => error))),
      )
      for (const error of errors) expect(error instanceof Error || engine === mariadb).to.equal(true)
      expect((await timely(sql<{ one: number }>`select 1 as one`.execute(db))).rows).to.deep.equal([{ one: 1 }])
      await connector.close()
    })
  })
}

describe('a pool of the adapter’s own', () => {
  let database: TestDatabase
  before(postgres.requireServer)
  beforeEach(async () => {
    database = await postgres.create()
    await migrateToLatest(database.connection)
  })
  afterEach(() => database.drop())

  const settingOf = async (connector: ReturnType<typeof createConnector>, name: string) => {
    const { db } = await connector.connect()
    const { rows } = await sql<{ value: string }>`select current_setting(${name}) as value`.execute(db)
    await connector.close()
    return rows[0]?.value
  }

  it('has the server give up statements a little before the adapter does, and transactions of clients that are gone', async () => {
    expect(await settingOf(createConnector({ url: database.url }, 5000), 'statement_timeout')).to.equal('4375ms')
    const idle = 'idle_in_transaction_session_timeout'
    expect(await settingOf(createConnector({ url: database.url }, 5000), idle)).to.equal('5s')
  })

  it('has MariaDB give up statements, too', async function () {
    await mariadb.requireServer.call(this)
    const maria = await mariadb.create()
    const connector = createConnector({ url: maria.url }, 400)
    const { db } = await connector.connect()
    const { rows } = await sql<{ seconds: string }>`select @@session.max_statement_time as seconds`.execute(db)
    expect(Number(rows[0]?.seconds)).to.equal(0.35)
    await connector.close()
    await maria.drop()
  })

  it('cuts off no migration', async () => {
    const given = { url: database.url, pool: { statement_timeout: 50, query_timeout: 50 } }
    expect(await settingOf(createConnector(given), 'statement_timeout')).to.equal('0')
    const { db } = await createConnector(given).connect()
    await sql`select pg_sleep(0.2)`.execute(db)
    await db.destroy()
  })

  it('takes the options of its driver', async () => {
    const application = { url: database.url, pool: { application_name: 'shop', max: 1, statement_timeout: 700 } }
    expect(await settingOf(createConnector(application, 5000), 'application_name')).to.equal('shop')
    expect(await settingOf(createConnector(application, 5000), 'statement_timeout')).to.equal('700ms')
  })

  it('works behind a pooler that refuses such limits', async () => {
    const pooler = createServer((near) => {
      near.on('error', () => {})
      near.once('data', (startup) => {
        if (startup.includes('statement_timeout'))
          return void near.end(refusal('unsupported startup parameter: statement_timeout'))
        const far = createConnection(Number(new URL(database.url).port), '127.0.0.1', () => far.write(startup))
        far.on('error', () => {})
        near.pipe(far).pipe(near)
      })
    })
    await new Promise<void>((resolve) => pooler.listen(0, '127.0.0.1', resolve))
    const url = new URL(database.url)
    url.port = String((pooler.address() as { port: number }).port)
    const adapter = sqlAdapter({ url: url.href })
    expect(await adapter.getUser('ada')).to.equal(null)
    await adapter.close()
    pooler.close()
  })

  it('refuses options that its driver would pass over', () => {
    const messageOf = (options: object, more: object = {}) => {
      try {
        sqlAdapter(options as never, more as never)
      } catch (error) {
        expect(error).to.be.instanceOf(AdapterError)
        return (error as Error).message
      }
      return 'taken'
    }
    const url = 'postgres://h/d'
    expect(messageOf({ url, pool: 5 })).to.equal('sqlAdapter(): `pool` is a number; it must be an object.')
    expect(messageOf({ url, pool: { max: '5' } })).to.match(/`pool.max` is a string; it must be a number/)
    expect(messageOf({ url, pool: { maxx: 5 } })).to.match(/`pool.maxx` is unknown. Did you mean `pool.max`\?/)
    expect(messageOf({ url, pool: { connectionLimit: 5 } })).to.match(
      /is an option of mysql2, and the URL is one for pg/,
    )
    expect(messageOf({ url: 'mysql://h/d', pool: { max: 5 } })).to.match(
      /is an option of pg, and the URL is one for mysql2/,
    )
    expect(messageOf({ url, pool: { host: 'h' } })).to.match(/`pool.host` belongs into the URL/)
    expect(messageOf({ url, pool: { ssl: { rejectUnauthorized: true }, password: async () => 'x' } })).to.equal('taken')
    expect(messageOf({ url }, { queryTimeout: 0 })).to.match(/`queryTimeout` is 0; it must be a number of seconds/)
  })
})

describe('a Kysely instance whose connections die without a word', () => {
  before(postgres.requireServer)

  it('begins a look at the tables anew that hung', async () => {
    const { database, proxy, url } = await behindProxy(postgres)
    const pool = new pg.Pool({ connectionString: url, max: POOL_SIZE })
    const adapter = sqlAdapter(new Kysely({ dialect: new PostgresDialect({ pool }) }) as never, {
      queryTimeout: LIMIT_S,
    })
    proxy.swallow()
    expect(await timely(adapter.getUser('ada').catch((error) => error))).to.be.instanceOf(AdapterError)
    proxy.forward()
    expect(await timely(adapter.getUser('ada'))).to.equal(null)
    await proxy.close()
    await pool.end()
    await database.drop()
  })
})

/** A message of PostgreSQL that refuses a connection. */
function refusal(message: string): Buffer {
  const fields = Buffer.from(`SFATAL\0VFATAL\0C08P01\0M${message}\0\0`)
  const head = Buffer.alloc(5)
  head.write('E')
  head.writeInt32BE(fields.length + 4, 1)
  return Buffer.concat([head, fields])
}
