import type { Migrator } from 'kysely'
import { AdapterError } from '../../errors.js'
import { type Connection, type Connector, createConnector, type SqlDatabase } from './connect.js'
import type { DdlRunner, DdlSession, Waiting } from './ddl/ddl-runner.js'
import { mysqlRunner } from './ddl/mysql.js'
import { postgresRunner } from './ddl/postgres.js'
import { sqliteRunner, WRITER, whenFree } from './ddl/sqlite.js'
import type { Dialect } from './dialects/dialect.js'
import { isDuplicate, toAdapterError } from './faults.js'
import { findUnfitKeys, planKeys, type TableFinding } from './keys.js'
import type { SqlNames } from './models.js'
import { planTables, type Step } from './schema.js'

/** Names of the tables, what the migration may wait for, and what happens on the way. */
export interface MigrationOptions extends SqlNames {
  /** The table that says which migrations have run; `latchkey_migration` by default. */
  migrationTable?: string
  /**
   * Seconds that a statement which needs a table for itself waits for it, while all who come after it wait behind it; then it steps back and tries
   * again later. 2 by default, on MySQL and MariaDB 1, where it is rounded up to whole seconds. SQLite does not use it.
   */
  lockTimeout?: number
  /** Seconds after which a step that cannot have its table, or another migration that does not end, is given up; 600 by default. */
  giveUpAfter?: number
  /** Called as a migration begins, after each of its steps, and now and then while one takes long. */
  onProgress?: (event: MigrationProgress) => void
}

/**
 * With neither `step` nor `note`, the migration begins. With `step`, that step is done. With `note`, the step in hand takes its time, or another
 * migration of the database runs; then `migration` is the first that has not run. Of a SQLite file that is locked it is the first of all.
 */
export interface MigrationProgress {
  readonly migration: string
  readonly step?: string
  /** What is waited for, or how far it is: a line for a person to read. */
  readonly note?: string
  /** Which step of the migration it is, from 1, and how many there are; of the beginning, `number` is 0. Absent while another migration runs. */
  readonly number?: number
  readonly of?: number
  /** How long the step took. */
  readonly seconds?: number
}

/** A migration that has just run. */
export interface AppliedMigration {
  readonly name: string
  /** What it did; empty when the database had everything. */
  readonly steps: readonly string[]
}

/** A migration, and whether it has run. */
export interface MigrationState {
  readonly name: string
  /** Null when it has not run yet. */
  readonly appliedAt: Date | null
  /** What it would do: the statements, in order. Empty when it has run, and when the database has everything. */
  readonly statements: readonly string[]
}

type Plan = (connection: Connection, names: SqlNames) => Promise<Step[]>

/**
 * The migrations in order. A name, once released, is for ever. Each makes what is missing today, so of several with one plan that have not run
 * the first does it all.
 */
const PLANS: Readonly<Record<string, Plan>> = {
  '0001-tables': planTables,
  // Names, dates and handles of passkeys.
  '0002-passkey-details': planTables,
  // When the user of a session signed in.
  '0003-sign-in-time': planTables,
  // Keys that differ in capitals or accents are two, and a digest fits.
  '0004-exact-keys': planKeys,
  // Sessions and links that are over are found by their end.
  '0005-expiry-indexes': planTables,
}

const RUNNERS: Readonly<Record<Dialect['name'], DdlRunner>> = {
  postgres: postgresRunner,
  mysql: mysqlRunner,
  sqlite: sqliteRunner,
}

/**
 * Makes the tables, columns and indexes that are missing, each migration once. Tables made by Auth.js's adapters are taken over as they
 * are, while they are in use. Safe to run from several processes at once: one works, and the others wait. A migration that fails or is
 * interrupted goes on where it stopped when run again; on SQLite it changes nothing.
 *
 * @throws {AdapterError} with what stands in the way
 */
export async function migrateToLatest(
  database: SqlDatabase,
  options: MigrationOptions = {},
): Promise<AppliedMigration[]> {
  requireSeconds(options, 'lockTimeout', 'giveUpAfter')
  const { giveUpAfter = 600, onProgress } = options
  const tellOf = (migration: string) => (note: string) => onProgress?.({ migration, note })
  return withConnector(createConnector(database, Number.POSITIVE_INFINITY, 0), database, async (connector) => {
    const look = async () => {
      const connection = await connector.connect()
      return { connection, pending: await pendingMigrations(connection, options) }
    }
    // A SQLite file may be locked before anything is known of it.
    const opening = { lockTimeout: 0, giveUpAfter, tell: tellOf(Object.keys(PLANS)[0] ?? '') }
    const { connection, pending } = await whenFree(opening, WRITER, look)
    const [first] = pending
    if (first === undefined) return []
    const runner = RUNNERS[connection.dialect.name]
    const waiting = { lockTimeout: options.lockTimeout ?? runner.lockTimeout, giveUpAfter, tell: tellOf(first) }
    return runner.alone(connection, options.schema, waiting, async (session) => {
      const applied: AppliedMigration[] = []
      // Another process may have run them while this one waited.
      for (const name of await session.repeat(() => pendingMigrations(session.connection, options), waiting)) {
        applied.push({ name, steps: await runMigration(session, name, options, waiting) })
      }
      return applied
    })
  })
}

function requireSeconds(options: MigrationOptions, ...names: ('lockTimeout' | 'giveUpAfter')[]): void {
  for (const name of names) {
    const seconds = options[name]
    if (seconds === undefined || (typeof seconds === 'number' && seconds > 0 && seconds <= 1_000_000)) continue
    throw new AdapterError(`${name} is a number of seconds above 0, and at most 1,000,000.`)
  }
}

/** Runs one migration, notes that it has run, and gives what it did. */
async function runMigration(
  session: DdlSession,
  name: string,
  options: MigrationOptions,
  waiting: Waiting,
): Promise<string[]> {
  const { connection } = session
  const plan = PLANS[name] ?? (async () => [])
  const steps = await session.repeat(() => plan(connection, options), waiting)
  const report = (event: Omit<MigrationProgress, 'migration' | 'of'>) =>
    options.onProgress?.({ migration: name, of: steps.length, ...event })
  report({ number: 0 })
  const isUndone = RUNNERS[connection.dialect.name].undoesAll
  for (const step of isUndone ? [] : steps) {
    const tell = (note: string) => report({ number: 0, note: `${step.summary}: ${note}` })
    await session
      .repeat(() => requireUnique(connection, name, step), { ...waiting, tell })
      .catch((error) => {
        throw explainOnce(error, name, step.summary)
      })
  }
  for (const [index, step] of steps.entries()) {
    const number = index + 1
    const began = performance.now()
    const tell = (note: string) => report({ number, note: `${step.summary}: ${note}` })
    await session.run(step, { ...waiting, tell }).catch((error) => {
      throw explain(error, name, step.summary)
    })
    report({ number, step: step.summary, seconds: (performance.now() - began) / 1000 })
  }
  const note = async () => {
    const { error } = await (await createMigrator(connection, options)).migrateTo(name)
    if (error) throw error
  }
  await session.repeat(note, waiting).catch((error) => {
    throw toAdapterError(error, `migration ${name}`)
  })
  return steps.map(({ summary }) => summary)
}

/** Before anything is done, so that a table which cannot have its index is left as it was. */
async function requireUnique({ sql, db }: Connection, name: string, { unique, summary }: Step): Promise<void> {
  if (!unique) return
  const columns = unique.columns.map((column) => sql.id(column))
  const present = sql.join(
    columns.map((column) => sql`${column} is not null`),
    sql` and `,
  )
  const list = sql`select ${sql.join(columns)}, count(*) from ${unique.table} where ${present} group by ${sql.join(columns)} having count(*) > 1`
  const { rows } = await sql`${list} limit 1`.execute(db)
  if (rows.length > 0) throw duplicates(name, summary, undefined, list.compile(db).sql)
}

/** @param list the statement that lists them */
const duplicates = (name: string, summary: string, cause?: AdapterError['cause'], list?: string) =>
  new AdapterError(
    `migration ${name}: ${summary}: several rows have the same values there. Merge or remove them, then run it again.${list === undefined ? '' : ` This lists them: ${list};`}`,
    cause,
  )

async function pendingMigrations(connection: Connection, options: MigrationOptions): Promise<string[]> {
  const migrations = await (await createMigrator(connection, options)).getMigrations()
  return migrations.filter(({ executedAt }) => executedAt === undefined).map(({ name }) => name)
}

/** Which migrations have run, and what the others would do. Changes nothing. */
export async function migrationStatus(
  database: SqlDatabase,
  options: MigrationOptions = {},
): Promise<MigrationState[]> {
  return withConnection(database, async (connection) => {
    const migrator = await createMigrator(connection, options)
    const states: MigrationState[] = []
    const planned = new Set<Plan>()
    for (const { name, executedAt } of await migrator.getMigrations()) {
      const plan = executedAt ? undefined : PLANS[name]
      const steps = plan && !planned.has(plan) ? await plan(connection, options) : []
      if (plan) planned.add(plan)
      const statements = steps.map(({ statement }) => statement.compile(connection.db).sql)
      states.push({ name, appliedAt: executedAt ?? null, statements })
    }
    return states
  })
}

/** What the tables have that lets two people count as one, or keeps a sign-in from being stored, and no migration mends. Changes nothing. */
export async function inspectTables(database: SqlDatabase, names: SqlNames = {}): Promise<TableFinding[]> {
  return withConnection(database, (connection) => findUnfitKeys(connection, names))
}

const withConnection = <Result>(
  database: SqlDatabase,
  action: (connection: Connection) => Promise<Result>,
): Promise<Result> =>
  withConnector(createConnector(database), database, async (connector) => action(await connector.connect()))

async function withConnector<Result>(
  connector: Connector,
  database: SqlDatabase,
  action: (connector: Connector) => Promise<Result>,
): Promise<Result> {
  try {
    return await action(connector)
  } catch (error) {
    throw toAdapterError(error, 'migrate', 'url' in database ? [database.url] : [])
  } finally {
    await connector.close()
  }
}

/** Keeps the list of the migrations that have run. What they do, it does not know: Kysely would do it all in one transaction. */
async function createMigrator(
  connection: Connection,
  { schema, migrationTable = 'latchkey_migration' }: MigrationOptions,
): Promise<Migrator> {
  const { Migrator } = await import('kysely')
  const migrations = Object.fromEntries(Object.keys(PLANS).map((name) => [name, { up: async () => {} }]))
  // Without a schema, Kysely would take the table of that name in any schema for ours.
  const migrationTableSchema =
    connection.dialect.name === 'postgres' ? (schema ?? (await currentSchema(connection))) : schema
  return new Migrator({
    db: connection.db,
    provider: { getMigrations: async () => migrations },
    migrationTableName: migrationTable,
    migrationLockTableName: `${migrationTable}_lock`,
    disableTransactions: true,
    ...(migrationTableSchema !== undefined && { migrationTableSchema }),
  })
}

async function currentSchema({ sql, db }: Connection): Promise<string> {
  const { rows } = await sql<{ schema: string | null }>`select current_schema() as schema`.execute(db)
  return rows[0]?.schema ?? 'public'
}

/** As {@link explain}, for what may have been explained where it was found. */
const explainOnce = (error: unknown, name: string, summary: string): AdapterError =>
  error instanceof AdapterError && error.message.startsWith(`migration ${name}: `)
    ? error
    : explain(error, name, summary)

function explain(error: unknown, name: string, summary: string): AdapterError {
  if (error instanceof AdapterError)
    return new AdapterError(`migration ${name}: ${summary}: ${error.message}`, error.cause)
  const fault = toAdapterError(error, `migration ${name}: ${summary}`)
  return isDuplicate(error) ? duplicates(name, summary, fault.cause) : fault
}
