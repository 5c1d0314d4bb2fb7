import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect } from 'chai'
import Libsql from 'libsql'
import mysql from 'mysql2/promise'
import pg from 'pg'
import {
  type AppliedMigration,
  inspectTables,
  type MigrationOptions,
  type MigrationProgress,
  migrateToLatest,
  migrationStatus,
  type SqlDatabase,
  type SqlNames,
} from '../../../lib/adapters/sql.js'
import { compiled } from '../../support/compiled.js'
import { authjsTables } from '../authjs/mariadb.js'
import { PG_ADAPTER_TABLES } from '../authjs/postgres.js'
import { type Engine, mariadb, postgres, sqlite, type TestDatabase } from './databases.js'

const MIGRATE = 'lib/adapters/sql.ts'
const PEOPLE = 2000
const DUPLICATE = /several rows have the same values there\. Merge or remove them, then run it again\./

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

/** The tables of @auth/pg-adapter with people in them, as an application left them. */
async function fillPostgres(database: TestDatabase): Promise<void> {
  await database.run(PG_ADAPTER_TABLES)
  await database.run(`
    insert into users (name, email) select n, 'person' || n || '@example.com' from generate_series(1, ${PEOPLE}) n;
    insert into accounts ("userId", type, provider, "providerAccountId") select n, 'oidc', 'acme', n from generate_series(1, ${PEOPLE}) n;
    insert into sessions ("userId", expires, "sessionToken") select n, now(), gen_random_uuid() from generate_series(1, ${PEOPLE}) n`)
}

/** What the migration makes of such tables: each index with its state, and each column that was added. */
async function shape(database: TestDatabase): Promise<string[]> {
  const rows = await database.run(`
    select replace(pg_get_indexdef(indexrelid), ' USING btree', '') || ' ' || indisvalid as fact from pg_index
    where indrelid in (select oid from pg_class where relnamespace = 'public'::regnamespace)
    union all
    select attrelid::regclass || '.' || attname from pg_attribute
    where attrelid in (select oid from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r') and attnum > 0
    order by 1`)
  return rows.map(({ fact }) => String(fact))
}

/** Begins a transaction that has read from a table, and so keeps a lock on it until it is released. */
async function openReader(database: TestDatabase, table = 'sessions') {
  const client = await (database.connection as pg.Pool).connect()
  await client.query('begin isolation level repeatable read')
  await client.query(`select 'a-secret-value' from ${table} limit 1`)
  const { rows } = await client.query('select pg_backend_pid() as pid')
  return {
    pid: Number(rows[0].pid),
    async release() {
      await client.query('rollback')
      client.release()
    },
  }
}

/** Does something before the first statement of this form that the pool of a database sends. */
function doBefore(database: TestDatabase, form: RegExp, work: () => Promise<unknown>): void {
  const known = new WeakSet<object>()
  let done: Promise<unknown> | undefined
  const pool = database.connection as pg.Pool
  pool.on('acquire', (client) => {
    if (known.has(client)) return
    known.add(client)
    const query = client.query.bind(client) as (...args: unknown[]) => unknown
    client.query = (async (...args: unknown[]) => {
      if (form.test(String(args[0]))) {
        done ??= work()
        await done
      }
      return query(...args)
    }) as typeof client.query
  })
}

/** Migrates, and gives the notes that were emitted meanwhile. */
function migrate(database: SqlDatabase, options: MigrationOptions = {}) {
  const events: MigrationProgress[] = []
  const notes = () => events.flatMap(({ note }) => note ?? [])
  const result = migrateToLatest(database, { ...options, onProgress: (event) => void events.push(event) })
  return { events, notes, result: result.catch((error: Error) => error) }
}

/** The longest time, in milliseconds, that a statement takes while something goes on. */
async function longestWait(statement: () => Promise<unknown>, until: Promise<unknown>): Promise<number> {
  let [longest, isOver] = [0, false]
  void until.finally(() => {
    isOver = true
  })
  while (!isOver) {
    const began = performance.now()
    await statement()
    longest = Math.max(longest, performance.now() - began)
    await pause(5)
  }
  return longest
}

const steps = (applied: AppliedMigration[] | Error) =>
  applied instanceof Error ? [applied.message] : applied.flatMap((migration) => [...migration.steps])

describe('the migration of a database in use on PostgreSQL', () => {
  let database: TestDatabase
  before(postgres.requireServer)
  beforeEach(async () => {
    database = await postgres.create()
    await fillPostgres(database)
  })
  afterEach(async () => {
    for (const child of children) child.kill('SIGKILL')
    children.clear()
    await database?.drop()
  })

  it('rewrites no table', async () => {
    const files = `select relname, relfilenode from pg_class where relkind = 'r' and relname in ('users', 'accounts', 'sessions') order by 1`
    await database.run('alter table sessions alter column "sessionToken" type varchar(64)')
    const before = await database.run(files)
    expect(steps(await migrateToLatest(database.connection))).to.include(
      'make room for 255 characters in sessions.sessionToken',
    )
    expect(await database.run(files)).to.deep.equal(before)
  })

  it('leaves a column alone that it would have to rewrite, and says so', async () => {
    await database.run('alter table sessions alter column "sessionToken" type character(64)')
    expect(steps(await migrateToLatest(database.connection)).join()).not.to.match(/make room/)
    const [finding] = await inspectTables(database.connection)
    expect(finding?.message).to.match(/sessions\.sessionToken holds 64 characters, and needs 71/)
  })

  it('tells which step it is at, and how long each took', async () => {
    const { events, result } = migrate(database.connection)
    const applied = await result
    const done = steps(applied instanceof Error ? applied : applied.slice(0, 1))
    const first = events.filter(({ migration }) => migration === '0001-tables')
    expect(first.map(({ step, number, of }) => [step, number, of])).to.deep.equal(
      [undefined, ...done].map((step, number) => [step, number, done.length]),
    )
    for (const { seconds } of first.slice(1)) expect(seconds).to.be.within(0, 10)
  })

  it('lets everybody go on while it waits for a transaction that uses a table, and says whom it waits for', async () => {
    const reader = await openReader(database)
    const { notes, result } = migrate(database.connection, { lockTimeout: 0.2 })
    void pause(1500).then(reader.release)
    const visit = () => database.run(`update sessions set expires = now() where id = 7`)
    expect(await longestWait(visit, result)).to.be.below(700)
    expect(steps(await result)).to.include('add column authenticatedAt to sessions')
    expect(notes().join('\n')).not.to.match(/a-secret-value|select/)
  })

  it('gives up in the end, says who is in the way and how to end them, and goes on where it stopped', async () => {
    await database.run('create index on accounts ("userId")')
    // The indexes are there, so that what is in the way of the column alone is seen.
    await database.run('create unique index on users (email)')
    await database.run('create unique index on accounts (provider, "providerAccountId")')
    await database.run('create unique index on sessions ("sessionToken")')
    const reader = await openReader(database)
    await pause(300)
    const { notes, result } = migrate(database.connection, { lockTimeout: 0.2, giveUpAfter: 1 })
    const failure = String(await result)
    await reader.release()
    expect(failure).to.match(
      new RegExp(
        `migration 0001-tables: add column authenticatedAt to sessions: gave up after 1 s of waiting for process ${reader.pid} \\(idle in transaction, for \\d+ s\\)\\. ` +
          `End it: select pg_terminate_backend\\(${reader.pid}\\)\\. Then run the migration again: it goes on where it stopped\\.$`,
      ),
    )
    expect(notes()).to.deep.equal([notes()[0]])
    expect(notes()[0]).to.match(
      /^add column authenticatedAt to sessions: waiting for process \d+ \(idle in transaction, for \d+ s\)$/,
    )
    const done = steps(await migrateToLatest(database.connection))
    expect(done[0]).to.equal('add column authenticatedAt to sessions')
    expect(done)
      .to.include('create index on authenticators (userId)')
      .and.not.include('create unique index on users (email)')
  })

  it('makes indexes without blocking other statements, and says which process it waits for', async () => {
    const reader = await openReader(database, 'verification_token')
    const { notes, result } = migrate(database.connection)
    // A statement that had to wait behind the migration would not end before the reader does, so the test would not end.
    let visits = 0
    while (notes().length === 0 || visits < 20) {
      await database.run(
        `insert into sessions ("userId", expires, "sessionToken") values (1, now(), gen_random_uuid())`,
      )
      visits += 1
      await pause(5)
    }
    await reader.release()
    expect(steps(await result)).to.include('create index on authenticators (userId)')
    expect(notes().join('\n')).to.match(
      new RegExp(
        `create unique index on users \\(email\\): waiting for process ${reader.pid} \\(idle in transaction, for \\d+ s\\); nobody waits behind it`,
      ),
    )
  })

  it('leaves no half of an index when it gives up making one', async () => {
    const before = await shape(database)
    const reader = await openReader(database, 'verification_token')
    const failure = String(await migrate(database.connection, { giveUpAfter: 0.5, lockTimeout: 0.2 }).result)
    expect(failure).to.match(
      new RegExp(
        `create unique index on users \\(email\\): gave up after 0\\.5 s of waiting for process ${reader.pid} .*pg_terminate_backend`,
      ),
    )
    await reader.release()
    await migrateToLatest(database.connection)
    const after = await shape(database)
    expect(after.filter((fact) => fact.endsWith('false'))).to.deep.equal([])
    expect(after.filter((fact) => before.includes(fact))).to.deep.equal(before)
  })

  it('changes nothing when rows stand in the way of any of its indexes', async () => {
    await database.run(`update sessions set "sessionToken" = 'twin-token' where id < 3`)
    const before = await shape(database)
    const failure = String(await migrate(database.connection).result)
    expect(failure)
      .to.match(/migration 0001-tables: create unique index on sessions \(sessionToken\): /)
      .and.match(DUPLICATE)
    expect(failure).not.to.include('twin-token')
    expect((await shape(database)).filter((fact) => !fact.includes('latchkey_migration'))).to.deep.equal(before)
  })

  it('leaves no half of an index when such rows come while it works', async () => {
    // It has looked for such rows before its first step.
    doBefore(database, /^create unique index concurrently "sessions_sessionToken_key"/, () =>
      database.run(
        `insert into sessions ("userId", expires, "sessionToken") select 1, now(), 'same' from generate_series(1, 2)`,
      ),
    )
    const failure = await migrateToLatest(database.connection).catch((error: Error) => error)
    expect(String(failure))
      .to.match(/create unique index on sessions \(sessionToken\)/)
      .and.match(DUPLICATE)
    expect((await shape(database)).filter((fact) => fact.endsWith('false'))).to.deep.equal([])
    await database.run(`delete from sessions where "sessionToken" = 'same'`)
    expect(steps(await migrateToLatest(database.connection))[0]).to.equal(
      'create unique index on sessions (sessionToken)',
    )
  })

  it('makes an index again that somebody’s interruption left unfinished', async () => {
    await database.run(
      `insert into sessions ("userId", expires, "sessionToken") select 1, now(), 'same' from generate_series(1, 2)`,
    )
    await database
      .run('create unique index concurrently "sessions_sessionToken_key" on sessions ("sessionToken")')
      .catch(() => {})
    await database.run(`delete from sessions where "sessionToken" = 'same'`)
    expect((await shape(database)).filter((fact) => fact.endsWith('false'))).to.have.lengthOf(1)
    const [state] = await migrationStatus(database.connection)
    expect(state?.statements).to.include('drop index concurrently "public"."sessions_sessionToken_key"')
    expect(steps(await migrateToLatest(database.connection))).to.include(
      'remove the unfinished index sessions_sessionToken_key of sessions',
    )
    expect((await shape(database)).filter((fact) => fact.endsWith('false'))).to.deep.equal([])
  })

  it('says in the statements that indexes are made concurrently, and makes those of new tables plainly', async () => {
    const [state] = await migrationStatus(database.connection)
    expect(state?.statements).to.include('create unique index concurrently "users_email_key" on "users" ("email")')
    expect(state?.statements).to.include('create index "authenticators_userId_idx" on "authenticators" ("userId")')
  })

  it('goes on where it stopped, wherever it was killed', async function () {
    this.timeout(300_000)
    const whole = await postgres.create()
    await fillPostgres(whole)
    await migrateToLatest(whole.connection)
    const expected = await shape(whole)
    await whole.drop()
    let [next, isOver] = [1, false]
    // Most of the time is the start of a process, so several run at a time.
    const tryEvents = async () => {
      while (!isOver) {
        const event = next
        next += 1
        const place = await postgres.create()
        await fillPostgres(place)
        if (!(await killedAt(place.url, event))) isOver = true
        await migrateToLatest(place.connection)
        expect(await shape(place), `killed at event ${event}`).to.deep.equal(expected)
        await place.drop()
      }
    }
    await Promise.all([tryEvents(), tryEvents(), tryEvents()])
  })

  it('goes on when it was killed while an index was being made', async function () {
    this.timeout(120_000)
    const reader = await openReader(database, 'verification_token')
    const child = await migrationProcess(database.url, '')
    await waitFor(database, `select 1 from pg_stat_progress_create_index where phase like 'waiting for%'`)
    child.kill('SIGKILL')
    await once(child, 'exit')
    // The server goes on with the statement of a client that is gone, and the lock is its own until then.
    const { notes, result } = migrate(database.connection)
    while (notes().length === 0) await pause(20)
    await reader.release()
    expect(steps(await result)).to.include('create index on authenticators (userId)')
    expect(notes()[0]).to.equal('waiting for another migration of this database')
    expect((await shape(database)).filter((fact) => fact.endsWith('false'))).to.deep.equal([])
  })

  it('makes the schema that is asked for, and says so before', async () => {
    const names = { schema: 'auth', migrationTable: 'of_auth' }
    expect((await migrationStatus(database.connection, names))[0]?.statements[0]).to.equal('create schema "auth"')
    expect(steps(await migrateToLatest(database.connection, names))[0]).to.equal('create schema auth')
    expect(await migrateToLatest(database.connection, names)).to.deep.equal([])
  })

  it('can be looked at while a table is locked: no row is read for it', async () => {
    const client = await (database.connection as pg.Pool).connect()
    await client.query('begin; lock table users, accounts, sessions, verification_token')
    const [state] = await migrationStatus({ url: database.url })
    expect(state?.statements).to.include('create unique index concurrently "users_email_key" on "users" ("email")')
    expect(await inspectTables({ url: database.url })).to.deep.equal([])
    await client.query('rollback')
    client.release()
  })

  it('runs once when several begin at the same moment', async () => {
    const runs = await Promise.all(Array.from({ length: 4 }, () => migrateToLatest({ url: database.url })))
    expect(runs.filter(({ length }) => length > 0)).to.have.lengthOf(1)
  })

  it('gives up on another migration that does not end', async function () {
    this.timeout(120_000)
    const reader = await openReader(database, 'verification_token')
    const first = migrate({ url: database.url })
    await waitFor(database, `select 1 from pg_stat_progress_create_index where phase like 'waiting for%'`)
    const failure = String(await migrate({ url: database.url }, { giveUpAfter: 0.5 }).result)
    expect(failure).to.match(/gave up after 0\.5 s of waiting for another migration of this database\. If it is stuck/)
    await reader.release()
    expect(steps(await first.result)).to.include('create index on authenticators (userId)')
  })

  it('is not cut by the time limits of the pool, and gives them back', async () => {
    const pool = new pg.Pool({
      connectionString: database.url,
      options: '-c statement_timeout=400 -c lock_timeout=300',
      max: 2,
    })
    const reader = await openReader(database, 'verification_token')
    const { result } = migrate(pool)
    await pause(1000)
    await reader.release()
    expect(steps(await result)).to.include('create index on authenticators (userId)')
    const clients = await Promise.all([pool.connect(), pool.connect()])
    for (const client of clients) {
      expect((await client.query('show statement_timeout')).rows).to.deep.equal([{ statement_timeout: '400ms' }])
      expect((await client.query('show lock_timeout')).rows).to.deep.equal([{ lock_timeout: '300ms' }])
      const locks = await client.query(`select 1 from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()`)
      expect(locks.rows).to.deep.equal([])
      client.release()
    }
    await pool.end()
  })

  it('needs one connection only', async () => {
    const pool = new pg.Pool({ connectionString: database.url, max: 1 })
    expect(steps(await migrateToLatest(pool))).to.include('create index on authenticators (userId)')
    await pool.end()
  })

  it('refuses to work through a pooler that changes the connection under it', async () => {
    const clients = [new pg.Client(database.url), new pg.Client(database.url)]
    await Promise.all(clients.map((client) => client.connect()))
    let turn = 0
    const query = (...words: [string]) => clients[turn++ % 2]?.query(...words)
    const pooler = { connect: async () => ({ query, release() {} }), query, end() {}, totalCount: 1 }
    const failure = String(await migrate(pooler as never).result)
    expect(failure).to.match(
      /as behind PgBouncer in transaction mode\. Give the migration the address of the server itself/,
    )
    // The view has the locks of every database of the server.
    const locks = await database.run(
      `select 1 from pg_locks where locktype = 'advisory'
         and database = (select oid from pg_database where datname = current_database())`,
    )
    expect(locks).to.deep.equal([])
    await Promise.all(clients.map((client) => client.end()))
  })

  it('makes the indexes of a table in partitions as well', async () => {
    await database.run('drop table sessions')
    await database.run(`
      create table sessions (id serial, "userId" integer not null, expires timestamptz not null, "sessionToken" varchar(255) not null)
      partition by hash ("sessionToken")`)
    await database.run('create table sessions_0 partition of sessions for values with (modulus 1, remainder 0)')
    expect(steps(await migrateToLatest(database.connection))).to.include(
      'create unique index on sessions (sessionToken)',
    )
  })

  it('needs no lock, and no statement that lasts, when there is nothing to do', async () => {
    await migrateToLatest(database.connection)
    await database.run('select pg_advisory_lock(1818519400, 1)')
    expect(await migrateToLatest({ url: database.url }, { giveUpAfter: 0.1 })).to.deep.equal([])
  })
})

/** Processes that a test has started. */
const children = new Set<ChildProcess>()

/** A process that migrates; `onProgress` is the text of a function. */
async function migrationProcess(url: string, onProgress: string): Promise<ChildProcess> {
  const script = `
    const { migrateToLatest } = await import(${JSON.stringify(await compiled(MIGRATE))})
    await migrateToLatest({ url: ${JSON.stringify(url)} }, { ${onProgress} })`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'ignore' })
  children.add(child)
  return child
}

/** Kills a migration as it tells of an event; false when it had ended before. */
async function killedAt(url: string, event: number): Promise<boolean> {
  const child = await migrationProcess(
    url,
    `onProgress() { globalThis.count = (globalThis.count ?? 0) + 1; if (globalThis.count === ${event}) process.kill(process.pid, 'SIGKILL') }`,
  )
  const [code, signal] = await once(child, 'exit')
  expect(signal ?? code, `event ${event}`).to.be.oneOf(['SIGKILL', 0])
  return signal === 'SIGKILL'
}

async function waitFor(database: TestDatabase, question: string): Promise<void> {
  const deadline = Date.now() + 30_000
  while ((await database.run(question)).length === 0) {
    if (Date.now() > deadline) throw new Error(`never true: ${question}`)
    await pause(20)
  }
}

describe('the migration of a database in use on MariaDB', () => {
  const NAMES: SqlNames = {
    tables: { users: 'User', accounts: 'Account', sessions: 'Session', verificationTokens: 'VerificationToken' },
  }
  let database: TestDatabase
  before(mariadb.requireServer)
  beforeEach(async () => {
    database = await mariadb.create()
    for (const statement of authjsTables()) await database.run(statement)
    await database.run(
      `insert into User (id, name, email) select seq, seq, concat('person', seq, '@example.com') from seq_1_to_${PEOPLE}`,
    )
    await database.run(
      `insert into Session (id, userId, expires, sessionToken) select seq, seq, now(), uuid() from seq_1_to_${PEOPLE}`,
    )
  })
  afterEach(() => database?.drop())

  const holdSessions = async () => {
    const client = await mysql.createConnection(database.url)
    await client.query('start transaction with consistent snapshot')
    await client.query(`select 'a-secret-value' from Session limit 1`)
    const [rows] = await client.query('select connection_id() as id')
    return { id: Number((rows as { id: number }[])[0]?.id), release: () => client.end() }
  }

  it('lets nobody wait longer than the limit behind a transaction that uses a table', async () => {
    const reader = await holdSessions()
    const { result, notes } = migrate(database.connection, NAMES)
    void pause(2500).then(reader.release)
    const visit = () => database.run('update Session set expires = now() where id = 7')
    expect(await longestWait(visit, result)).to.be.below(1700)
    expect(steps(await result)).to.include('add column authenticatedAt to Session')
    expect(notes().join('\n')).to.match(/add column authenticatedAt to Session: waiting for process \d+/)
    expect(notes().join('\n')).not.to.match(/a-secret-value/)
  })

  it('gives up in the end, says who is in the way, and goes on where it stopped', async () => {
    const reader = await holdSessions()
    const failure = String(await migrate(database.connection, { ...NAMES, giveUpAfter: 1 }).result)
    expect(failure).to.match(
      new RegExp(
        `add column authenticatedAt to Session: gave up after 1 s of waiting for process ${reader.id} \\(in a transaction, for \\d+ s\\)\\. End it: kill ${reader.id}\\.`,
      ),
    )
    await reader.release()
    const done = steps(await migrateToLatest(database.connection, NAMES))
    expect(done[0]).to.equal('add column authenticatedAt to Session')
  })

  it('changes nothing when rows stand in the way of any of its indexes', async () => {
    await database.run(
      `insert into Account (id, userId, type, provider, providerAccountId) values (1, 1, 'oidc', 'acme', 'a'), (2, 2, 'oidc', 'acme', 'a')`,
    )
    const before = await database.run('show create table Session')
    expect(String(await migrate(database.connection, NAMES).result)).to.match(DUPLICATE)
    expect(await database.run('show create table Session')).to.deep.equal(before)
  })

  it('runs once when several begin at the same moment, and gives back the settings of the connection', async () => {
    const pool = mysql.createPool({ uri: database.url, connectionLimit: 1 })
    await pool.query('set session lock_wait_timeout = 77')
    const runs = await Promise.all(
      [pool, { url: database.url }, { url: database.url }].map((at) => migrateToLatest(at, NAMES)),
    )
    expect(runs.filter(({ length }) => length > 0)).to.have.lengthOf(1)
    const [rows] = await pool.query(
      'select @@session.lock_wait_timeout as seconds, is_used_lock(concat("latchkey_", sha1(database()))) as owner',
    )
    expect(rows).to.deep.equal([{ seconds: 77, owner: null }])
    await pool.end()
  })
})

describe('the migration of a database in use on SQLite', () => {
  let database: TestDatabase
  let other: Libsql.Database
  beforeEach(async () => {
    database = await sqlite.create()
    other = new Libsql(database.url)
    other.exec('create table visits (at text)')
  })
  afterEach(async () => {
    other.close()
    await database.drop()
  })

  const WAYS = [
    ['writes', 'delete', 'begin immediate'],
    ['writes, in WAL mode', 'wal', 'begin immediate'],
    ['lets nobody read', 'delete', 'begin exclusive'],
  ] as const
  for (const [what, mode, begin] of WAYS) {
    it(`waits for a connection that ${what}, as long as it may, and does not stop the process meanwhile`, async () => {
      other.pragma(`journal_mode = ${mode}`)
      other.exec(begin)
      const { notes, result } = migrate(database.connection, { giveUpAfter: 20 })
      for (let tries = 0; notes().length === 0 && tries < 500; tries += 1) await pause(20)
      other.exec('commit')
      expect(steps(await result)).to.include('create table users')
      expect(notes()).to.deep.equal(['waiting for another connection that writes to the database'])
    })

    it(`says for whom it waited when it gives up, as a connection ${what}`, async () => {
      other.pragma(`journal_mode = ${mode}`)
      other.exec(begin)
      const { result } = migrate(database.connection, { giveUpAfter: 0.5 })
      const failure = String(await result)
      expect(failure).to.match(
        /gave up after 0\.5 s of waiting for another connection that writes to the database\. End its transaction, or its process/,
      )
      other.exec('commit')
      expect(steps(await migrateToLatest(database.connection))).to.include('create table users')
    })
  }

  it('waits for a reader before its changes are written, where there is no WAL', async () => {
    const own = new Libsql(database.url)
    other.exec('insert into visits values (1), (2)')
    other.exec('begin')
    other.prepare('select * from visits').all([])
    const { notes, result } = migrate(own, { giveUpAfter: 20 })
    // A machine that is busy may take a while to begin.
    for (let turn = 0; turn < 100 && notes().length === 0; turn += 1) await pause(100)
    other.exec('commit')
    expect(steps(await result)).to.include('create table users')
    expect(notes()).to.deep.equal(['waiting for another connection that reads or writes the database'])
    own.close()
  })

  it('gives the connection its patience back', async () => {
    const own = new Libsql(database.url)
    own.pragma('busy_timeout = 1234')
    await migrateToLatest(own)
    expect(own.prepare('pragma busy_timeout').all([])).to.deep.equal([{ timeout: 1234 }])
    own.close()
  })
})

for (const engine of [sqlite, postgres, mariadb] satisfies Engine[]) {
  describe(`limits of a migration on ${engine.name}`, () => {
    before(engine.requireServer)

    it('are numbers of seconds', async () => {
      const database = await engine.create()
      for (const seconds of [0, -1, Number.NaN, Number.POSITIVE_INFINITY, '5' as never]) {
        for (const name of ['lockTimeout', 'giveUpAfter']) {
          const failure = await migrateToLatest(database.connection, { [name]: seconds }).catch((error: Error) => error)
          expect(String(failure)).to.match(new RegExp(`${name} is a number of seconds above 0`))
        }
      }
      await database.drop()
    })
  })
}

const USERS_WITHOUT_INDEX =
  'create table users (id varchar(36) primary key, name varchar(9), email varchar(320), image varchar(9))'

/** Keeps everybody else from the table of users, to the last reader. */
const LOCKS = {
  async PostgreSQL(database: TestDatabase) {
    const client = await (database.connection as pg.Pool).connect()
    await client.query('begin; lock table users in access exclusive mode')
    return async () => {
      await client.query('rollback')
      client.release()
    }
  },
  async MariaDB(database: TestDatabase) {
    const client = await (database.connection as mysql.Pool).getConnection()
    await client.query('lock tables users write')
    return async () => {
      await client.query('unlock tables')
      client.release()
    }
  },
}

for (const engine of [postgres, mariadb]) {
  describe(`a table that nobody may read, on ${engine.name}`, function () {
    this.timeout(120_000)
    let database: TestDatabase
    before(engine.requireServer)
    beforeEach(async () => {
      database = await engine.create()
      await database.run(USERS_WITHOUT_INDEX)
    })
    afterEach(() => database.drop())
    const lock = () => LOCKS[engine.name as keyof typeof LOCKS](database)

    it('is waited for as long as the migration may, and no longer', async () => {
      const release = await lock()
      const { result } = migrate(database.connection, { lockTimeout: 0.2, giveUpAfter: 2 })
      const outcome = await Promise.race([result, pause(15_000)])
      await release()
      await result
      expect(String(outcome)).to.match(/migration 0001-tables.*gave up after 2 s of waiting/)
    })

    it('is waited for, and then the migration goes on', async () => {
      const release = await lock()
      const { result } = migrate(database.connection, { lockTimeout: 0.2, giveUpAfter: 25 })
      await pause(4000)
      await release()
      expect(await result).to.have.lengthOf.at.least(1)
    })
  })
}
