import { expect } from 'chai'
import mysql2 from 'mysql2/promise'
import { createConnector } from '../../../lib/adapters/sql/connect.js'
import { mysql } from '../../../lib/adapters/sql/dialects/mysql.js'
import { adapterOver } from '../../../lib/adapters/sql/sql-adapter.js'
import { inspectTables, migrateToLatest, sqlAdapter } from '../../../lib/adapters/sql.js'
import { describeAdapter } from '../../../lib/testing/adapter.js'
import { mariadb, sqlite, type TestDatabase } from './databases.js'

const KEY = { provider: 'acme', providerAccountId: '7' }
const ADA = { id: 'ada', email: 'ada@x.example', emailVerified: null }
const AT = { provider: 'acme', sid: 'one' }

const messageOf = (call: Promise<unknown>) =>
  call.then(
    () => 'no failure',
    (error: Error) => error.message,
  )

describe('SQL tables that were made before the seventh migration', () => {
  let database: TestDatabase
  beforeEach(async () => {
    database = await sqlite.create()
    await migrateToLatest(database.connection)
    await database.run('alter table accounts drop column tokenLease')
    for (const table of ['sessions', 'token_sessions']) {
      for (const name of ['sid', 'subject']) await database.run(`drop index ${table}_provider_${name}_idx`)
      for (const name of ['provider', 'subject', 'sid']) await database.run(`alter table ${table} drop column ${name}`)
    }
  })
  afterEach(() => database.drop())

  it('keep accounts and sessions as before', async () => {
    const adapter = sqlAdapter(database.connection)
    await adapter.createUser(ADA)
    await adapter.linkAccount({ ...KEY, type: 'oidc', userId: 'ada', refresh_token: 'r' })
    const session = { sessionToken: 'token', userId: 'ada', expires: new Date(Date.now() + 3_600_000) }
    await adapter.createSession({ ...session, ...AT, subject: 's' })
    expect(await adapter.listSessionsByUserId('ada')).to.deep.equal([session])
    expect(
      await adapter.updateAccount(KEY, { refresh_token: 'new', tokenLease: null }, { refresh_token: 'r' }),
    ).to.equal(true)
    expect(await adapter.updateAccount(KEY, { refresh_token: 'x' }, { tokenLease: 'somebody' })).to.equal(false)
    expect(await adapter.getAccount('7', 'acme')).to.deep.include({ refresh_token: 'new' })
    await adapter.close()
  })

  it('take no lease that they would lose, and never say that a provider has no sessions', async () => {
    const adapter = sqlAdapter(database.connection)
    await adapter.createUser(ADA)
    await adapter.linkAccount({ ...KEY, type: 'oidc', userId: 'ada' })
    expect(await messageOf(adapter.updateAccount(KEY, { tokenLease: 'mine' }, { tokenLease: null }))).to.equal(
      'The table "accounts" has no column for tokenLease. "npx latchkey migrate up" adds it; if it has another name, ' +
        'say so in columns.accounts.tokenLease.',
    )
    expect(await messageOf(adapter.listSessionsByProvider(AT))).to.match(
      /"sessions" has no column for provider.*migrate/,
    )
    expect(await messageOf(adapter.listTokenSessionsByProvider(AT))).to.match(/"token_sessions" has no column/)
    await adapter.close()
  })
})

describe('a MariaDB pool that counts changed rows in place of matched ones', () => {
  let database: TestDatabase | undefined
  let pool: mysql2.Pool | undefined
  before(mariadb.requireServer)

  describeAdapter('MariaDB without FOUND_ROWS', {
    skip: ['createSession', 'createTokenSession', 'createVerificationToken', 'createAuthenticator', 'deleteExpired'],
    async create() {
      database = await mariadb.create()
      await migrateToLatest(database.connection)
      pool = mysql2.createPool({ uri: database.url, flags: ['-FOUND_ROWS'] })
      const connector = createConnector(pool)
      const asMysql = async () => {
        const connection = await connector.connect()
        return { ...connection, dialect: mysql(connection.sql, { returning: false, skipsLocked: true }) }
      }
      return adapterOver({ connect: asMysql, close: connector.close }, {})
    },
    async close() {
      await pool?.end()
      await database?.drop()
    },
  })

  it('cuts no token in a mode that would, and names the column', async () => {
    const own = await mariadb.create()
    await migrateToLatest(own.connection)
    await own.run('alter table accounts modify column access_token varchar(255)')
    expect(await inspectTables(own.connection)).to.deep.equal([
      {
        table: 'accounts',
        column: 'access_token',
        message: 'accounts.access_token holds 255 characters, and tokens can be longer: give it the type text.',
      },
    ])
    const lax = mysql2.createPool({ uri: own.url, connectionLimit: 1 })
    await lax.query("set session sql_mode = ''")
    const adapter = sqlAdapter(lax)
    await adapter.createUser(ADA)
    await adapter.linkAccount({ ...KEY, type: 'oidc', userId: 'ada', access_token: 'old' })
    const failure = await messageOf(adapter.updateAccount(KEY, { access_token: 'secret'.repeat(50) }))
    expect(failure).to.include('"access_token"').and.include('255').and.not.include('secret')
    expect(await adapter.updateAccount(KEY, { access_token: 'x'.repeat(255) }, { access_token: 'old' })).to.equal(true)
    await lax.end()
    await own.drop()
  })

  it('gets no index that would be too long for columns of the application', async () => {
    const own = await mariadb.create()
    await own.run(
      `create table sessions (sessionToken varchar(255) primary key, userId varchar(255) not null,
       expires datetime(3) not null, sid varchar(600)) default charset=utf8mb4 collate=utf8mb4_bin`,
    )
    const steps = (await migrateToLatest(own.connection)).flatMap(({ steps }) => steps)
    expect(steps).to.include('create index on sessions (provider, subject)')
    expect(steps).to.not.include('create index on sessions (provider, sid)')
    await own.drop()
  })
})
