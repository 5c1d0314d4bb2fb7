// Deletes expired rows of a large table while visitors read and renew their sessions, and sign in.
// To run it alone: node --import=tsx chaos/large-prune.ts [postgres|mariadb|sqlite] [--sessions 500000] [--over 400000] [--batch 1000] [--without-index]
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import Libsql from 'libsql'
import mysql from 'mysql2/promise'
import pg from 'pg'
import { migrateToLatest } from '../lib/adapters/sql.js'
import { createOwnMariaDB } from '../test/support/own-mariadb.js'
import { createOwnPostgres, findPostgresPrograms } from '../test/support/own-postgres.js'
import { startProcess } from './harness/lifetime.js'

export interface LargePruneOptions {
  readonly engine: 'postgres' | 'mariadb' | 'sqlite'
  /** URL of an empty database, or the path of a file for SQLite. */
  readonly url: string
  readonly sessions: number
  /** How many of them have expired. */
  readonly over: number
  readonly batch: number
  readonly isIndexed: boolean
}

/** How long visitors waited, in milliseconds. */
export interface Waits {
  readonly longest: number
  readonly mostly: number
}

export interface LargePruneFigures {
  readonly quiet: Readonly<Record<Visit, Waits>>
  readonly during: Readonly<Record<Visit, Waits>>
  /** Number of visitors' statements that failed. */
  readonly failed: number
  readonly seconds: number
  /** Number of sessions that remain. */
  readonly left: number
  readonly output: string
  readonly code: number | null
}

type Visit = 'read' | 'extend' | 'signIn'

interface Place {
  run(statement: string): Promise<Record<string, unknown>[]>
  readonly visits: Readonly<Record<Visit, (token: string) => Promise<unknown>>>
  close(): Promise<unknown>
}

const PROGRAM = fileURLToPath(new URL('../lib/cli/latchkey.ts', import.meta.url))
const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))
const DAY_MS = 24 * 60 * 60 * 1000
const later = () => new Date(Date.now() + 30 * DAY_MS)

/** Fills the database, prunes it while visitors use it, and measures how long they wait. */
export async function measureLargePrune(options: LargePruneOptions): Promise<LargePruneFigures> {
  const { engine, url, sessions, over, batch, isIndexed } = options
  await migrateToLatest(engine === 'sqlite' ? { sqlite: url } : { url })
  const place = PLACES[engine](url)
  try {
    await fill(engine, place, sessions, over)
    if (!isIndexed) await place.run(`drop index sessions_expires_idx${engine === 'mariadb' ? ' on sessions' : ''}`)
    const quiet = await besideVisitors(place, sessions, over, () => pause(3000))
    const began = performance.now()
    let output = ''
    let code: number | null = null
    const during = await besideVisitors(place, sessions, over, async () => {
      const words = ['--import=tsx', PROGRAM, 'prune', '--database', url, '--batch', String(batch), '--timeout', '3000']
      const child = startProcess(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] })
      child.stdout?.setEncoding('utf8').on('data', (text: string) => {
        output += text
      })
      code = (await once(child, 'exit'))[0]
    })
    const seconds = (performance.now() - began) / 1000
    const [row] = await place.run(
      'select count(*) as amount from sessions where "userId" = \'u1\''.replaceAll(
        '"',
        engine === 'mariadb' ? '`' : '"',
      ),
    )
    return {
      quiet: quiet.waits,
      during: during.waits,
      failed: during.failed,
      seconds,
      left: Number(row?.['amount']),
      output,
      code,
    }
  } finally {
    await place.close()
  }
}

async function fill(engine: LargePruneOptions['engine'], place: Place, sessions: number, over: number): Promise<void> {
  const quote = engine === 'mariadb' ? '`' : '"'
  const columns = ['sessionToken', 'userId', 'expires'].map((name) => `${quote}${name}${quote}`).join(', ')
  await place.run("insert into users (id, name) values ('u1', 'Ada')")
  for (let first = 0; first < sessions; first += 5000) {
    const rows = Array.from({ length: Math.min(5000, sessions - first) }, (_, index) => {
      const id = first + index
      // Expired rows are spread among the others, as in a table that has grown.
      const isOver = (id * 7919) % sessions < over
      const end = new Date(isOver ? Date.now() - DAY_MS - id * 1000 : later().getTime() - id * 100)
      const text = engine === 'mariadb' ? end.toISOString().replace('T', ' ').replace('Z', '') : end.toISOString()
      return `('${tokenOf(id)}', 'u1', '${text}')`
    })
    await place.run(`insert into sessions (${columns}) values ${rows.join(', ')}`)
  }
  await place.run(engine === 'mariadb' ? 'analyze table sessions' : 'analyze')
}

const tokenOf = (id: number) => `sha256:${String(id).padStart(64, '0')}`

/** Lets visitors come every few milliseconds while some work is done, one of each kind at a time. */
async function besideVisitors(place: Place, sessions: number, over: number, happen: () => Promise<unknown>) {
  const times: Record<Visit, number[]> = { read: [], extend: [], signIn: [] }
  let failed = 0
  let isOver = false
  const usable = () => {
    for (;;) {
      const id = Math.floor(Math.random() * sessions)
      if ((id * 7919) % sessions >= over) return tokenOf(id)
    }
  }
  const come = async (visit: Visit) => {
    while (!isOver) {
      const began = performance.now()
      const token = visit === 'signIn' ? `new-${performance.timeOrigin}-${began}` : usable()
      await place.visits[visit](token).catch(() => {
        failed += 1
      })
      times[visit].push(performance.now() - began)
      await pause(5)
    }
  }
  const visitors = (Object.keys(times) as Visit[]).map(come)
  await happen()
  isOver = true
  await Promise.all(visitors)
  const waits = Object.fromEntries(Object.entries(times).map(([visit, each]) => [visit, waitsOf(each)]))
  return { waits: waits as Record<Visit, Waits>, failed }
}

function waitsOf(times: number[]): Waits {
  const sorted = times.toSorted((one, other) => one - other)
  const at = (share: number) => Math.round((sorted[Math.floor((sorted.length - 1) * share)] ?? 0) * 10) / 10
  return { longest: at(1), mostly: at(0.99) }
}

const READ = 'select s.*, u.name from sessions s join users u on u.id = s."userId" where s."sessionToken" = '
const EXTEND = 'update sessions set expires = '

const PLACES: Readonly<Record<LargePruneOptions['engine'], (url: string) => Place>> = {
  postgres(url) {
    const pool = new pg.Pool({ connectionString: url, max: 6 })
    return {
      run: async (statement) => (await pool.query(statement)).rows,
      visits: {
        read: (token) => pool.query(`${READ} $1`, [token]),
        extend: (token) => pool.query(`${EXTEND} $1 where "sessionToken" = $2`, [later(), token]),
        signIn: (token) =>
          pool.query('insert into sessions ("sessionToken", "userId", expires) values ($1, $2, $3)', [
            token,
            'u1',
            later(),
          ]),
      },
      close: () => pool.end(),
    }
  },
  mariadb(url) {
    const pool = mysql.createPool({ uri: url, connectionLimit: 6, timezone: 'Z' })
    return {
      run: async (statement) => {
        const [rows] = await pool.query(statement)
        return Array.isArray(rows) ? (rows as Record<string, unknown>[]) : []
      },
      visits: {
        read: (token) => pool.query(`${READ.replaceAll('"', '')} ?`, [token]),
        extend: (token) => pool.query(`${EXTEND} ? where sessionToken = ?`, [later(), token]),
        signIn: (token) =>
          pool.query('insert into sessions (sessionToken, userId, expires) values (?, ?, ?)', [token, 'u1', later()]),
      },
      close: () => pool.end(),
    }
  },
  sqlite(url) {
    const database = new Libsql(url, { timeout: 5000 })
    database.pragma('journal_mode = WAL')
    database.pragma('synchronous = NORMAL')
    return {
      async run(statement) {
        const prepared = database.prepare(statement)
        if (prepared.reader) return prepared.all([]) as Record<string, unknown>[]
        prepared.run([])
        return []
      },
      visits: {
        read: async (token) => database.prepare(`${READ} ?`).all([token]),
        extend: async (token) =>
          database.prepare(`${EXTEND} ? where "sessionToken" = ?`).run([later().toISOString(), token]),
        signIn: async (token) =>
          database
            .prepare('insert into sessions ("sessionToken", "userId", expires) values (?, ?, ?)')
            .run([token, 'u1', later().toISOString()]),
      },
      close: async () => database.close(),
    }
  },
}

/** An empty database for an engine, and a function that removes it. */
async function createPlace(engine: string): Promise<{ url: string; remove(): Promise<unknown> }> {
  if (engine === 'mariadb') return createOwnMariaDB()
  if (engine === 'sqlite') {
    const folder = await mkdtemp(join(tmpdir(), 'latchkey-prune-'))
    return { url: join(folder, 'auth.db'), remove: () => rm(folder, { recursive: true, force: true }) }
  }
  const programs = await findPostgresPrograms()
  if (!programs) throw new Error('PostgreSQL is not installed.')
  return createOwnPostgres(programs)
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      sessions: { type: 'string', default: '500000' },
      over: { type: 'string', default: '400000' },
      batch: { type: 'string', default: '1000' },
      'without-index': { type: 'boolean', default: false },
    },
  })
  const [engine = 'postgres'] = positionals as LargePruneOptions['engine'][]
  const place = await createPlace(engine)
  try {
    const sizes = { sessions: Number(values.sessions), over: Number(values.over), batch: Number(values.batch) }
    const figures = await measureLargePrune({ engine, url: place.url, ...sizes, isIndexed: !values['without-index'] })
    console.log(figures)
  } finally {
    await place.remove()
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await main()
