// Migrates a large database of Auth.js while visitors read and renew their sessions.
// To run it alone: node --import=tsx chaos/large-migration.ts [postgres|mariadb|sqlite] [--sessions 1000000] [--program lib/cli/latchkey.ts]
import { once } from 'node:events'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import Libsql from 'libsql'
import mysql from 'mysql2/promise'
import pg from 'pg'
import { authjsTables } from '../test/adapters/authjs/mariadb.js'
import { PG_ADAPTER_TABLES } from '../test/adapters/authjs/postgres.js'
import { createOwnMariaDB, hasMariaDBPrograms } from '../test/support/own-mariadb.js'
import { createOwnPostgres, findPostgresPrograms } from '../test/support/own-postgres.js'
import { startProcess } from './harness/lifetime.js'

export type Engine = 'postgres' | 'mariadb' | 'sqlite'

export interface LargeMigrationOptions {
  readonly engine: Engine
  /** URL of an empty database, or the path of a file for SQLite. */
  readonly url: string
  /** Number of sessions. There are half as many users and accounts. */
  readonly sessions: number
  /** Seconds for which a transaction that began before the migration keeps its locks. 0 means no such transaction. */
  readonly readerSeconds: number
  /** The program that migrates: `lib/cli/latchkey.ts` of any version. */
  readonly program?: string
  /** Called with every line that the program prints. */
  readonly onLine?: (line: string) => void
}

/** The longest time that a visitor waited for each kind of statement, in milliseconds. */
export type Waits = Readonly<Record<'readSession' | 'extendSession' | 'signUp', number>>

export interface LargeMigrationFigures {
  /** The times without a migration. */
  readonly quiet: Waits
  readonly during: Waits
  /** Number of visitors' statements that failed. */
  readonly failed: number
  readonly seconds: number
  readonly statusSeconds: number
  /** Exit code of the program. */
  readonly code: number | null
}

/** A database of Auth.js, as visitors and the reading transaction use it. */
interface Place {
  fill(sessions: number): Promise<void>
  /** Runs one statement of a visitor. */
  readonly visits: Readonly<Record<keyof Waits, (id: number) => Promise<unknown>>>
  /** Begins a transaction that reads, and returns a function that ends it. */
  read(): Promise<() => Promise<void>>
  readonly names: readonly string[]
  close(): Promise<void>
}

const OUR_PROGRAM = fileURLToPath(new URL('../lib/cli/latchkey.ts', import.meta.url))
const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

/** Fills the database, migrates it while visitors use it, perhaps with a reading transaction, and measures how long visitors wait. */
export async function measureLargeMigration(options: LargeMigrationOptions): Promise<LargeMigrationFigures> {
  const { sessions, readerSeconds } = options
  const place = await PLACES[options.engine](options.url)
  try {
    await place.fill(sessions)
    const quiet = await besideVisitors(place, sessions, () => pause(3000))
    const reader = readerSeconds > 0 ? await place.read() : undefined
    const ended = reader && pause(readerSeconds * 1000).then(reader)
    const began = performance.now()
    let code: number | null = null
    const during = await besideVisitors(place, sessions, async () => {
      code = await command(options, 'up', place.names)
    })
    const seconds = (performance.now() - began) / 1000
    await ended
    const asked = performance.now()
    await command(options, 'status', place.names)
    const statusSeconds = (performance.now() - asked) / 1000
    return { quiet: quiet.waits, during: during.waits, failed: during.failed, seconds, statusSeconds, code }
  } finally {
    await place.close()
  }
}

async function command(options: LargeMigrationOptions, verb: string, names: readonly string[]): Promise<number | null> {
  const words = ['--import=tsx', options.program ?? OUR_PROGRAM, 'migrate', verb, '--database', options.url, ...names]
  const child = startProcess(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] })
  let rest = ''
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    if (verb === 'up') for (const line of lines) options.onLine?.(line)
  })
  const [code] = await once(child, 'exit')
  return code
}

/** Lets visitors come every few milliseconds while some work is done, one of each kind at a time. */
async function besideVisitors(place: Place, sessions: number, happen: () => Promise<unknown>) {
  const waits = { readSession: 0, extendSession: 0, signUp: 0 }
  let failed = 0
  let isOver = false
  const come = async (kind: keyof Waits) => {
    while (!isOver) {
      const began = performance.now()
      await place.visits[kind](1 + Math.floor(Math.random() * sessions)).catch(() => {
        failed += 1
      })
      waits[kind] = Math.max(waits[kind], Math.round(performance.now() - began))
      await pause(5)
    }
  }
  const visitors = (Object.keys(waits) as (keyof Waits)[]).map(come)
  await happen()
  isOver = true
  await Promise.all(visitors)
  return { waits, failed }
}

const PLACES: Readonly<Record<Engine, (url: string) => Promise<Place>>> = {
  async postgres(url) {
    const pool = new pg.Pool({ connectionString: url, max: 5 })
    return {
      names: [],
      async fill(sessions) {
        await pool.query(PG_ADAPTER_TABLES)
        await pool.query(
          `insert into users (name, email) select 'Person ' || n, 'person' || n || '@example.com' from generate_series(1, $1::int) n`,
          [sessions / 2],
        )
        await pool.query(
          `insert into accounts ("userId", type, provider, "providerAccountId", access_token, id_token)
           select n, 'oidc', 'acme', md5(n::text), repeat(md5(n::text), 4), repeat(md5(n::text), 20) from generate_series(1, $1::int) n`,
          [sessions / 2],
        )
        await pool.query(
          `insert into sessions ("userId", expires, "sessionToken")
           select (n + 1) / 2, now() + interval '30 days', gen_random_uuid() from generate_series(1, $1::int) n`,
          [sessions],
        )
        await pool.query('vacuum analyze')
      },
      visits: {
        readSession: (id) =>
          pool.query('select * from sessions s join users u on u.id = s."userId" where s.id = $1', [id]),
        extendSession: (id) => pool.query('update sessions set expires = now() where id = $1', [id]),
        signUp: (id) =>
          pool.query(
            `with newcomer as (insert into users (email) values (gen_random_uuid() || '@example.com') returning id)
             insert into sessions ("userId", expires, "sessionToken") select id, now() + $1 * interval '1 ms', gen_random_uuid() from newcomer`,
            [id],
          ),
      },
      async read() {
        const client = await pool.connect()
        await client.query('begin isolation level repeatable read')
        await client.query('select * from sessions limit 1')
        return async () => {
          await client.query('commit')
          client.release()
        }
      },
      close: () => pool.end(),
    }
  },

  async mariadb(url) {
    const pool = mysql.createPool({ uri: url, connectionLimit: 5 })
    return {
      names: ['users=User', 'accounts=Account', 'sessions=Session', 'verificationTokens=VerificationToken'].flatMap(
        (name) => ['--table', name],
      ),
      async fill(sessions) {
        for (const statement of authjsTables()) await pool.query(statement)
        const rows = (count: number) => `seq_1_to_${count}`
        await pool.query(
          `insert into User (id, name, email) select concat('user-', seq), concat('Person ', seq), concat('person', seq, '@example.com') from ${rows(sessions / 2)}`,
        )
        await pool.query(
          `insert into Account (id, userId, type, provider, providerAccountId, access_token, id_token)
           select seq, concat('user-', seq), 'oidc', 'acme', md5(seq), repeat(md5(seq), 4), repeat(md5(seq), 7) from ${rows(sessions / 2)}`,
        )
        await pool.query(
          `insert into Session (id, userId, expires, sessionToken)
           select seq, concat('user-', (seq + 1) div 2), now() + interval 30 day, uuid() from ${rows(sessions)}`,
        )
      },
      visits: {
        readSession: (id) =>
          pool.execute('select * from Session s join User u on u.id = s.userId where s.userId = ?', [`user-${id}`]),
        extendSession: (id) => pool.execute('update Session set expires = now() where userId = ?', [`user-${id}`]),
        signUp: (id) =>
          pool.execute('insert into User (id, name, email) values (uuid(), ?, concat(uuid(), "@example.com"))', [id]),
      },
      async read() {
        const client = await pool.getConnection()
        await client.query('start transaction with consistent snapshot')
        await client.query('select * from Session limit 1')
        return async () => {
          await client.query('commit')
          client.release()
        }
      },
      close: () => pool.end(),
    }
  },

  async sqlite(url) {
    const file = new Libsql(url, { timeout: 60_000 })
    file.exec('pragma journal_mode = WAL; pragma synchronous = NORMAL')
    // A wait for the file stops this whole process, as it would stop an application. The migration is another process.
    const run = async (statement: string, values: unknown[] = []) => file.prepare(statement).run(values)
    return {
      names: [],
      async fill(sessions) {
        file.exec(PG_ADAPTER_TABLES.replaceAll('SERIAL', 'INTEGER').replaceAll('TIMESTAMPTZ', 'TEXT'))
        const rows = 'with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ?)'
        await run(
          `insert into users (id, name, email) ${rows} select n, 'Person ' || n, 'person' || n || '@example.com' from numbers`,
          [sessions / 2],
        )
        await run(
          `insert into accounts (id, "userId", type, provider, "providerAccountId") ${rows} select n, n, 'oidc', 'acme', hex(n) from numbers`,
          [sessions / 2],
        )
        await run(
          `insert into sessions (id, "userId", expires, "sessionToken") ${rows} select n, (n + 1) / 2, '2031-01-01', hex(randomblob(16)) from numbers`,
          [sessions],
        )
      },
      visits: {
        readSession: async (id) =>
          file.prepare('select * from sessions s join users u on u.id = s."userId" where s.id = ?').get([id]),
        extendSession: (id) => run(`update sessions set expires = '2031-01-02' where id = ?`, [id]),
        signUp: (id) => run(`insert into users (email) values (hex(randomblob(8)) || ?)`, [id]),
      },
      async read() {
        const reader = new Libsql(url)
        reader.exec('begin')
        reader.prepare('select * from sessions limit 1').all([])
        return async () => {
          reader.exec('commit')
          reader.close()
        }
      },
      async close() {
        file.close()
      },
    }
  },
}

/** A server or a file for this experiment alone. Null if the server's programs are not installed. */
export async function createOwnDatabase(engine: Engine): Promise<{ url: string; remove(): Promise<void> } | null> {
  if (engine === 'mariadb') return (await hasMariaDBPrograms()) ? createOwnMariaDB() : null
  if (engine === 'postgres') {
    const programs = await findPostgresPrograms()
    return programs === null ? null : createOwnPostgres(programs)
  }
  const folder = await mkdtemp(join(tmpdir(), 'latchkey-sqlite-'))
  return { url: join(folder, 'auth.db'), remove: () => rm(folder, { recursive: true, force: true }) }
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      sessions: { type: 'string', default: '1000000' },
      reader: { type: 'string', multiple: true, default: ['0', '10'] },
      program: { type: 'string', default: OUR_PROGRAM },
    },
  })
  await stat(values.program)
  for (const engine of positionals.length > 0
    ? (positionals as Engine[])
    : (['postgres', 'mariadb', 'sqlite'] as const)) {
    for (const reader of values.reader) {
      const database = await createOwnDatabase(engine)
      if (!database) {
        console.info(`${engine}: not installed`)
        continue
      }
      console.info(`${engine}, ${values.sessions} sessions, a reader of ${reader} s`)
      const began = performance.now()
      const figures = await measureLargeMigration({
        engine,
        url: database.url,
        sessions: Number(values.sessions),
        readerSeconds: Number(reader),
        program: values.program,
        onLine: (line) => console.info(`  ${((performance.now() - began) / 1000).toFixed(1).padStart(6)} ${line}`),
      }).finally(() => database.remove())
      console.info(`  ${JSON.stringify(figures)}`)
    }
  }
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) await main()
