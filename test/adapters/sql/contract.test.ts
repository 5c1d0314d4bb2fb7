import { createConnector } from '../../../lib/adapters/sql/connect.js'
import { mysql } from '../../../lib/adapters/sql/dialects/mysql.js'
import { adapterOver } from '../../../lib/adapters/sql/sql-adapter.js'
import { migrateToLatest, type SqlAdapter, sqlAdapter } from '../../../lib/adapters/sql.js'
import { describeAdapter } from '../../../lib/testing/adapter.js'
import { FEW_ROWS } from '../few-rows.js'
import { ENGINES, mariadb, type TestDatabase } from './databases.js'

/** The extra columns of the suite's rows, as each engine spells them. */
const EXTRA = [
  'alter table users add column nickname varchar(100)',
  'alter table accounts add column tenant varchar(100)',
  'alter table sessions add column device varchar(100)',
]
const extra = { user: { nickname: 'The Countess' }, account: { tenant: 'engines' }, session: { device: 'loom' } }

for (const engine of ENGINES) {
  describe(`latchkey/adapters/sql on ${engine.name}`, () => {
    let database: TestDatabase | undefined
    let adapter: SqlAdapter | undefined
    before(engine.requireServer)

    describeAdapter(engine.name, {
      extra,
      async create() {
        database = await engine.create()
        await migrateToLatest(database.connection)
        for (const statement of EXTRA) await database.run(statement)
        adapter = sqlAdapter(database.connection)
        return adapter
      },
      async close() {
        await adapter?.close()
        await database?.drop()
      },
    })
  })
}

describe('latchkey/adapters/sql without "returning", as on MySQL', () => {
  let database: TestDatabase | undefined
  before(mariadb.requireServer)

  describeAdapter('MariaDB as MySQL', {
    runner: FEW_ROWS,
    async create() {
      database = await mariadb.create()
      await migrateToLatest(database.connection)
      const connector = createConnector(database.connection)
      const asMysql = async () => {
        const connection = await connector.connect()
        return { ...connection, dialect: mysql(connection.sql, { returning: false, skipsLocked: true }) }
      }
      return adapterOver({ connect: asMysql, close: connector.close }, {})
    },
    close: () => database?.drop(),
  })
})
