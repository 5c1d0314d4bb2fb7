import { expect } from 'chai'
import type { Pool as MysqlPool } from 'mysql2/promise'
import mysql from 'mysql2/promise'
import pg from 'pg'
import { migrateToLatest, sqlAdapter } from '../../../lib/adapters/sql.js'
import { failureOf } from '../../support/failure.js'
import { mariadb, postgres, type TestDatabase } from './databases.js'

const person = (id: string) => ({ id, name: null, email: `${id}@x.example`, emailVerified: null, image: null })

describe('connections to a server that takes no writes any more, as after a failover', () => {
  describe('PostgreSQL', () => {
    let database: TestDatabase
    before(postgres.requireServer)
    beforeEach(async () => {
      database = await postgres.create()
      await migrateToLatest(database.connection)
    })
    afterEach(() => database.drop())

    // A session keeps this setting, so an open connection stays read-only when new ones are not any more.
    const setReadOnly = (value: 'on' | 'off') =>
      database.run(
        `alter database ${new URL(database.url).pathname.slice(1)} set default_transaction_read_only = ${value}`,
      )

    const OWNERS = [
      [
        'a pool of the adapter’s own',
        () => ({ connection: { url: database.url, pool: { max: 3 } }, end: async () => {} }),
      ],
      [
        'a pool of the application’s',
        () => {
          const pool = new pg.Pool({ connectionString: database.url, max: 3 })
          return { connection: pool, end: () => pool.end() }
        },
      ],
    ] as const

    for (const [what, open] of OWNERS) {
      it(`are closed after the first refusal, inside a transaction, too: ${what}`, async () => {
        await setReadOnly('on')
        const { connection, end } = open()
        const adapter = sqlAdapter(connection)
        const writes = [
          () => adapter.createUser(person('ada')),
          () => adapter.deleteUser('ada'),
          () => adapter.createUserWithAccount({ user: person('bob'), account: accountOf('bob') }),
        ]
        await Promise.all([adapter.getUser('a'), adapter.getUser('b'), adapter.getUser('c')])
        await database.run(`insert into users (id) values ('ada')`)
        for (const write of writes) expect((await failureOf(write())).message).to.contain('read-only transaction')
        await setReadOnly('off')
        await adapter.createUser(person('cara'))
        await adapter.deleteUser('ada')
        await adapter.createUserWithAccount({ user: person('bob'), account: accountOf('bob') })
        await adapter.close()
        await end()
      })
    }
  })

  describe('MariaDB', () => {
    let database: TestDatabase
    let pool: MysqlPool
    before(mariadb.requireServer)
    beforeEach(async () => {
      database = await mariadb.create()
      await migrateToLatest(database.connection)
      pool = mysql.createPool({ uri: database.url, connectionLimit: 1 })
    })
    afterEach(async () => {
      await pool.end()
      await database.drop()
    })
    const connectionId = async () =>
      (await pool.query<mysql.RowDataPacket[]>('select connection_id() as id'))[0][0]?.['id']

    for (const [number, reason] of [
      [1290, '--read-only'],
      [1792, 'a read-only transaction'],
      [1836, 'a reader'],
      [1047, 'a node that has left its cluster'],
    ] as const) {
      it(`are closed after the first refusal: ${number}, ${reason}`, async () => {
        const adapter = sqlAdapter(pool)
        await adapter.getUser('nobody')
        const before = await connectionId()
        await database.run(
          `create trigger refusal before insert on users for each row signal sqlstate 'HY000' set mysql_errno = ${number}`,
        )
        await failureOf(adapter.createUser(person('ada')))
        await database.run('drop trigger refusal')
        expect(await connectionId()).not.to.equal(before)
        await adapter.createUser(person('ada'))
      })
    }

    it('stay open after a failure that another connection would have, too', async () => {
      const adapter = sqlAdapter(pool)
      await adapter.createUser(person('ada'))
      const before = await connectionId()
      await failureOf(adapter.createUser(person('ada')))
      expect(await connectionId()).to.equal(before)
    })
  })
})

const accountOf = (id: string) => ({ userId: id, type: 'oauth', provider: 'x', providerAccountId: id }) as const
