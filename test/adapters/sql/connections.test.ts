import { statSync } from 'node:fs'
import { expect } from 'chai'
import {
  CamelCasePlugin,
  DummyDriver,
  Kysely,
  MssqlAdapter,
  MssqlIntrospector,
  MssqlQueryCompiler,
  PostgresDialect,
} from 'kysely'
import Libsql from 'libsql'
import mysql from 'mysql2'
import mysqlPromise from 'mysql2/promise'
import pg from 'pg'
import { databaseAt, migrateToLatest, type SqlDatabase, sqlAdapter } from '../../../lib/adapters/sql.js'
import { AdapterError } from '../../../lib/kernel/errors.js'
import { type Engine, mariadb, postgres, postgresServer, sqlite, type TestDatabase } from './databases.js'

const user = { id: 'ada', name: null, email: 'ada@x.example', emailVerified: new Date(7), image: null }

interface Opened {
  readonly connection: SqlDatabase
  end?(): unknown
}

const CONNECTIONS: readonly (readonly [what: string, engine: Engine, open: (url: string) => Opened])[] = [
  ['a pool of pg', postgres, withPg((pool) => pool)],
  ['a Kysely instance', postgres, withPg((pool) => new Kysely({ dialect: new PostgresDialect({ pool }) }))],
  [
    'a Kysely instance whose plugin renames columns',
    postgres,
    withPg((pool) => new Kysely({ dialect: new PostgresDialect({ pool }), plugins: [new CamelCasePlugin()] })),
  ],
  ['a PostgreSQL URL', postgres, (url) => ({ connection: { url } })],
  ['a pool of mysql2', mariadb, (url) => ended(mysql.createPool(url), (pool) => pool.promise().end())],
  ['a pool of mysql2/promise', mariadb, (url) => ended(mysqlPromise.createPool(url), (pool) => pool.end())],
  ['a MariaDB URL', mariadb, (url) => ({ connection: { url: url.replace('mysql:', 'mariadb:') } })],
  ['an open database of libsql', sqlite, (url) => ended(new Libsql(url), (database) => database.close())],
  ['a SQLite file', sqlite, (url) => ({ connection: databaseAt(url) })],
  ['a SQLite URL', sqlite, (url) => ({ connection: databaseAt(`sqlite://${url}`) })],
]

function withPg(wrap: (pool: pg.Pool) => unknown): (url: string) => Opened {
  return (url) => {
    const pool = new pg.Pool({ connectionString: url })
    return { connection: wrap(pool) as SqlDatabase, end: () => pool.end() }
  }
}

const ended = <Connection extends SqlDatabase>(
  connection: Connection,
  end: (connection: Connection) => unknown,
): Opened => ({
  connection,
  end: () => end(connection),
})

describe('sqlAdapter()', () => {
  for (const [what, engine, open] of CONNECTIONS) {
    it(`takes ${what}`, async function () {
      await engine.requireServer.call(this)
      const database = await engine.create()
      const { connection, end } = open(database.url)
      await migrateToLatest(connection)
      const adapter = sqlAdapter(connection)
      expect(await adapter.createUser(user)).to.deep.equal(user)
      await adapter.close()
      // What the application opened is still open, and what the adapter opened opens again.
      expect(await adapter.getUserByEmail(user.email)).to.deep.equal(user)
      await adapter.close()
      await end?.()
      await database.drop()
    })
  }

  it('refuses at once what is none of them', () => {
    for (const other of [undefined, null, 'auth.db', {}, { sqlite: 5 }, new pg.Client(), { url: 'redis://h' }]) {
      expect(() => sqlAdapter(other as never), String(other)).to.throw(AdapterError)
    }
  })

  it('refuses engines that it does not know', async () => {
    const kysely = new Kysely({
      dialect: {
        createAdapter: () => new MssqlAdapter(),
        createDriver: () => new DummyDriver(),
        createIntrospector: (db) => new MssqlIntrospector(db),
        createQueryCompiler: () => new MssqlQueryCompiler(),
      },
    })
    const failure = await sqlAdapter(kysely)
      .getUser('1')
      .catch((error) => error)
    expect(failure.message).to.match(/MssqlAdapter is for an engine other than/)
  })

  it('makes a SQLite file that only its owner reads, ready for many readers', async () => {
    const database = await sqlite.create()
    const adapter = sqlAdapter({ sqlite: `${database.url}.new` })
    await migrateToLatest({ sqlite: `${database.url}.new` })
    await adapter.createUser(user)
    for (const suffix of ['', '-wal', '-shm']) {
      expect((statSync(`${database.url}.new${suffix}`).mode & 0o777).toString(8)).to.equal('600')
    }
    await adapter.close()
    await database.drop()
  })
})

describe('a database that fails', () => {
  let database: TestDatabase
  before(postgres.requireServer)
  beforeEach(async () => {
    database = await postgres.create()
  })
  afterEach(() => database.drop())

  it('without tables says how to make them, and works once they are there', async () => {
    const adapter = sqlAdapter(database.connection)
    const failure = await adapter.getUser('ada').catch((error) => error)
    expect(failure.message).to.equal(
      'There is no table "users". Make it with "npx latchkey migrate up" or migrateToLatest(); if it has another name, say so in tables.users.',
    )
    await migrateToLatest(database.connection)
    expect(await adapter.getUser('ada')).to.equal(null)
  })

  it('does not end the process when it drops idle connections, and works when it is back', async () => {
    await migrateToLatest(database.connection)
    const adapter = sqlAdapter(database.connection)
    await Promise.all(Array.from({ length: 8 }, () => adapter.createUser({ ...user, id: '', email: '' })))
    const outside = new pg.Client({ ...(await postgresServer()), database: 'postgres' })
    await outside.connect()
    const name = new URL(database.url).pathname.slice(1)
    await outside.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name])
    await outside.end()
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(await adapter.getUser('ada')).to.equal(null)
  })

  it('at first is asked again at the next call', async () => {
    const pool = new pg.Pool({ host: '127.0.0.1', port: 1, user: 'postgres' })
    const adapter = sqlAdapter(pool)
    const failure = await adapter.getUser('ada').catch((error) => error)
    expect(failure).to.be.instanceOf(AdapterError)
    expect(failure.cause.err.code).to.equal('ECONNREFUSED')
    await migrateToLatest(database.connection)
    const { port, pathname } = new URL(database.url)
    Object.assign(pool.options, { port: Number(port), database: pathname.slice(1) })
    expect(await adapter.getUser('ada')).to.equal(null)
    await pool.end()
  })
})
