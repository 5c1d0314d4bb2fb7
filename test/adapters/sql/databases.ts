import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Libsql from 'libsql'
import mysql from 'mysql2/promise'
import pg from 'pg'
import { migrateToLatest, type SqlDatabase } from '../../../lib/adapters/sql.js'
import { isLent, sharedPort } from '../../support/shared-servers.js'
import { skipSuite } from '../../support/skip-suite.js'

/** A database of one test suite's own. */
export interface TestDatabase {
  /** As an application would hand it to the adapter. */
  readonly connection: SqlDatabase
  /** As the command line takes it. */
  readonly url: string
  /** Runs statements outside the adapter. */
  run(statement: string): Promise<Record<string, unknown>[]>
  drop(): Promise<void>
}

/** An engine that tests run on. */
export interface Engine {
  readonly name: 'SQLite' | 'PostgreSQL' | 'MariaDB'
  /** A `before` hook: skips the suite, with the reason, where the server is not running. */
  readonly requireServer: (this: Mocha.Context) => Promise<void>
  create(): Promise<TestDatabase>
}

export const postgresServer = async () => ({
  host: '127.0.0.1',
  port: await sharedPort('PostgreSQL'),
  user: 'postgres',
})
const mariadbServer = async () => ({
  host: '127.0.0.1',
  port: await sharedPort('MariaDB'),
  user: 'root',
  password: '',
})

/** Begins the names of all databases of this run, in each of its processes. */
const PREFIX = `latchkey_test_${process.env['TEST_RUN'] ?? process.pid}_`

const nextName = () => `${PREFIX}${randomBytes(4).toString('hex')}`

export const sqlite: Engine = {
  name: 'SQLite',
  requireServer: async () => {},
  async create() {
    const directory = mkdtempSync(join(tmpdir(), 'latchkey-sql-'))
    const url = join(directory, 'auth.db')
    const outside = new Libsql(url, { timeout: 5000 })
    return {
      connection: { sqlite: url },
      url,
      async run(statement) {
        const prepared = outside.prepare(statement)
        if (prepared.reader) return prepared.all([]) as Record<string, unknown>[]
        prepared.run([])
        return []
      },
      async drop() {
        outside.close()
        rmSync(directory, { recursive: true, force: true })
      },
    }
  },
}

export const postgres: Engine = {
  name: 'PostgreSQL',
  requireServer: requireServer('PostgreSQL'),
  async create() {
    const database = nextName()
    const server = await postgresServer()
    await asAdministrator(`create database ${database}`)
    const pool = new pg.Pool({ ...server, database, max: 8 })
    pool.on('error', () => {})
    return {
      connection: pool,
      url: `postgres://postgres@127.0.0.1:${server.port}/${database}`,
      run: async (statement) => (await pool.query(statement)).rows,
      async drop() {
        await pool.end()
        await allGone(database)
        await asAdministrator(`drop database ${database} with (force)`)
      },
    }
  },
}

/** Children come before the users whom they refer to. */
const TABLES = [
  'accounts',
  'sessions',
  'authenticators',
  'users',
  'verification_token',
  'token_sessions',
  'latchkey_records',
]

const unused = new Map<Engine, TestDatabase[]>()

/**
 * A database with the tables of the migrations, and no rows. The next test gets the same one, so a test that changes the tables
 * makes its own.
 */
export async function migratedDatabase(engine: Engine): Promise<TestDatabase> {
  const known = unused.get(engine)?.pop()
  if (known) return known
  const database = await engine.create()
  await migrateToLatest(database.connection)
  // Its files are removed without a wait; those on servers go with the servers, or by dropDatabases().
  if (engine === sqlite) process.once('exit', () => void database.drop())
  const migrated: TestDatabase = {
    ...database,
    async drop() {
      for (const table of TABLES) await database.run(`delete from ${table}`)
      unused.set(engine, [...(unused.get(engine) ?? []), migrated])
    },
  }
  return migrated
}

/** Drops what {@link migratedDatabase} has kept on servers that are not the run's own, after the last test. */
export async function dropDatabases(): Promise<void> {
  const like = `'${PREFIX.replaceAll('_', '\\_')}%'`
  if (isLent('PostgreSQL')) {
    const { rows } = await asAdministrator(`select datname from pg_database where datname like ${like}`)
    for (const { datname } of rows) await asAdministrator(`drop database ${datname} with (force)`)
  }
  if (isLent('MariaDB')) {
    const administrator = await mysql.createConnection(await mariadbServer())
    const [rows] = await administrator.query(
      `select schema_name as name from information_schema.schemata where schema_name like ${like}`,
    )
    for (const { name } of rows as { name: string }[]) await administrator.query(`drop database ${name}`)
    await administrator.end()
  }
}

async function asAdministrator(statement: string): Promise<pg.QueryResult> {
  const client = new pg.Client({ ...(await postgresServer()), database: 'postgres' })
  await client.connect()
  const result = await client.query(statement)
  await client.end()
  return result
}

/** Waits a while for connections to close: pools of `pg` say that they have ended before their connections have. */
async function allGone(database: string): Promise<void> {
  for (let looks = 0; looks < 10; looks++) {
    const { rowCount } = await asAdministrator(`select 1 from pg_stat_activity where datname = '${database}'`)
    if (rowCount === 0) return
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

export const mariadb: Engine = {
  name: 'MariaDB',
  requireServer: requireServer('MariaDB'),
  async create() {
    const database = nextName()
    const server = await mariadbServer()
    const administrator = await mysql.createConnection(server)
    await administrator.query(`create database ${database}`)
    const pool = mysql.createPool({ ...server, database, connectionLimit: 8 })
    return {
      connection: pool,
      url: `mysql://root@127.0.0.1:${server.port}/${database}`,
      async run(statement) {
        const [rows] = await pool.query(statement)
        return Array.isArray(rows) ? (rows as Record<string, unknown>[]) : []
      },
      async drop() {
        await pool.end()
        // A transaction that a failed test has left open would hold up the drop, and every test that looks at the schema meanwhile.
        const [open] = await administrator.query(
          `select id from information_schema.processlist where db = '${database}'`,
        )
        for (const { id } of open as { id: number }[]) await administrator.query(`kill ${id}`).catch(() => {})
        await administrator.query(`drop database ${database}`)
        await administrator.end()
      },
    }
  },
}

export const ENGINES: readonly Engine[] = [sqlite, postgres, mariadb]

function requireServer(name: 'PostgreSQL' | 'MariaDB') {
  return async function (this: Mocha.Context): Promise<void> {
    const port = await sharedPort(name)
    if (await isListening(port)) return
    skipSuite(this, `${name} is not installed, and none answers at 127.0.0.1:${port}`)
  }
}

function isListening(port: number): Promise<boolean> {
  const socket = connect({ host: '127.0.0.1', port })
  return new Promise((resolve) => {
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
  }).finally(() => socket.destroy()) as Promise<boolean>
}
