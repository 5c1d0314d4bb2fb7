import { expect } from 'chai'
import { sql } from 'kysely'
import mysql from 'mysql2'
import mysqlPromise from 'mysql2/promise'
import pg from 'pg'
import { createConnector } from '../../../lib/adapters/sql/connect.js'
import { migrateToLatest, type SqlDatabase, sqlAdapter } from '../../../lib/adapters/sql.js'
import { within } from '../../../lib/kernel/awaitable.js'
import { AdapterError } from '../../../lib/kernel/errors.js'
import { failureOf } from '../../support/failure.js'
import { type Engine, mariadb, postgres, type TestDatabase } from './databases.js'

const LIMIT_S = 0.4
const user = { id: 'ada', name: null, email: 'ada@x.example', emailVerified: null, image: null }
const account = { provider: 'acme', type: 'oidc' as const, providerAccountId: 'acme-1', userId: 'ada' }
const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))
const soon = <T>(work: Promise<T>) => within(work, 3000, () => new Error('It hangs.'))
interface Opened {
  readonly database: SqlDatabase
  end?(): Promise<unknown>
}

const pgPool = (options: pg.PoolConfig): Opened => {
  const pool = new pg.Pool({ max: 3, ...options })
  return { database: pool, end: () => pool.end() }
}

const KINDS: readonly (readonly [what: string, engine: Engine, open: (url: string) => Opened])[] = [
  // The limit of the server itself lies beyond what is tried here, so that the cancelling alone counts.
  ['a PostgreSQL URL', postgres, (url) => ({ database: { url, pool: { statement_timeout: 60_000 } } })],
  ['a pool of pg', postgres, (url) => pgPool({ connectionString: url })],
  ['a pool of pg with a limit of its own', postgres, (url) => pgPool({ connectionString: url, query_timeout: 200 })],
  ['a MariaDB URL', mariadb, (url) => ({ database: { url } })],
  [
    'a pool of mysql2',
    mariadb,
    (url) => {
      const pool = mysql.createPool(url)
      return { database: pool, end: () => pool.promise().end() }
    },
  ],
  [
    'a pool of mysql2/promise',
    mariadb,
    (url) => {
      const pool = mysqlPromise.createPool(url)
      return { database: pool, end: () => pool.end() }
    },
  ],
]

for (const [what, engine, open] of KINDS) {
  describe(`${what}, whose statements wait for a lock`, () => {
    let database: TestDatabase
    let opened: Opened
    let unlock: () => void

    before(engine.requireServer)
    beforeEach(async () => {
      database = await engine.create()
      await migrateToLatest(database.connection)
      opened = open(database.url)
    })
    afterEach(async () => {
      await opened.end?.()
      await database.drop()
    })

    /** Locks the row of the user, and whatever refers to it, until a test releases it. */
    const lockUser = async () => {
      const { db } = await createConnector({ url: database.url }).connect()
      let locked: () => void = () => {}
      const isLocked = new Promise<void>((resolve) => {
        locked = resolve
      })
      const isOver = new Promise<void>((resolve) => {
        unlock = resolve
      })
      const work = db.transaction().execute(async (transaction) => {
        await sql`select id from users for update`.execute(transaction)
        locked()
        await isOver
      })
      await isLocked
      return async () => {
        unlock()
        await work
        await db.destroy()
      }
    }

    it('never stores what timed out, and works on', async () => {
      const adapter = sqlAdapter(opened.database, { queryTimeout: LIMIT_S })
      await adapter.createUser(user)
      const letGo = await lockUser()
      const updates = [adapter.updateUser({ id: 'ada', name: 'Ada' }), adapter.linkAccount(account)]
      const failures = await soon(Promise.all(updates.map(failureOf)))
      for (const error of failures) expect(error).to.be.instanceOf(AdapterError)
      await letGo()
      await pause(200)
      expect(await soon(adapter.getUser('ada'))).to.deep.equal(user)
      expect(await adapter.getAccount?.('acme-1', 'acme')).to.equal(null)
      await adapter.updateUser({ id: 'ada', name: 'Ada' })
      expect((await adapter.getUser('ada'))?.name).to.equal('Ada')
      await adapter.close()
    })

    it('says which store gave no answer, without who uses it', async () => {
      const adapter = sqlAdapter(opened.database, { queryTimeout: LIMIT_S })
      await adapter.createUser(user)
      const letGo = await lockUser()
      const { message } = await failureOf(adapter.updateUser({ id: 'ada', name: 'Ada' }))
      await letGo()
      await adapter.close()
      if (/Query read timeout|max_statement_time exceeded/.test(message)) return
      const { host } = new URL(database.url)
      const store = engine === postgres ? 'PostgreSQL' : 'The database'
      expect(message).to.equal(`${store} at ${host} gave no answer within 0.4 seconds (queryTimeout).`)
    })

    it('commits nothing of a transaction whose time is over, though each statement is quick', async () => {
      const connector = createConnector(opened.database, LIMIT_S * 1000)
      const { db } = await connector.connect()
      const nap = engine === postgres ? sql`select pg_sleep(0.15)` : sql`select sleep(0.15) as slept`
      const work = db.transaction().execute(async (transaction) => {
        await sql`insert into users (id, email) values ('eve', 'eve@x.example')`.execute(transaction)
        for (let naps = 0; naps < 4; naps += 1) await nap.execute(transaction)
      })
      expect((await soon(failureOf(work))).message).to.match(/no answer within 0.4 seconds/)
      await pause(400)
      expect((await sql`select id from users`.execute(db)).rows).to.deep.equal([])
      await connector.close()
    })
  })
}
