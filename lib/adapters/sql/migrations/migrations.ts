import type { Migrator } from 'kysely'
import { AdapterError } from '../../../kernel/errors.js'
import { type Connection, importKysely } from '../connect.js'
import type { DdlSession, Step, Waiting } from '../ddl/runner.js'
import { isDuplicate, toAdapterError } from '../faults.js'
import type { SqlNames } from '../models.js'
import { planKeys } from './key-columns.js'
import { planAdditions, planTables } from './plan-tables.js'
import {
  AUTHENTICATION,
  LIFETIME_CHOICE,
  PROVIDER_SESSIONS,
  RECORDS,
  SESSION_DETAILS,
  TABLES,
  TABLES_0005,
  TABLES_0006,
  TABLES_0007,
  TABLES_0008,
  TOKEN_SESSIONS,
} from './released.js'

/** Compares a database with what a migration makes, and gives the steps that are missing. */
export type Plan = (connection: Connection, names: SqlNames) => Promise<Step[]>

const plan0005: Plan = (connection, names) => planTables(connection, names, TABLES_0005)

const plan0006: Plan = async (connection, names) => [
  ...(await planAdditions(connection, names, TABLES_0005, SESSION_DETAILS)),
  ...(await planTables(connection, names, TOKEN_SESSIONS)),
  ...(await planKeys(connection, names, TOKEN_SESSIONS)),
]

const plan0008: Plan = async (connection, names) => [
  ...(await planAdditions(connection, names, TABLES_0007, LIFETIME_CHOICE)),
  ...(await planTables(connection, names, RECORDS)),
  ...(await planKeys(connection, names, RECORDS)),
]

/**
 * The migrations in order. The name of a released migration, and the tables that it makes, never change: they are literal data. A
 * new table, column or index is a new migration with a plan of its own.
 *
 * The first five have the same plan for tables: in a database without tables the first one makes them all, and the others find
 * nothing to do.
 */
export const MIGRATIONS: Readonly<Record<string, Plan>> = {
  '0001-tables': plan0005,
  '0002-passkey-details': plan0005,
  '0003-sign-in-time': plan0005,
  '0004-exact-keys': (connection, names) => planKeys(connection, names, TABLES),
  '0005-expiry-indexes': plan0005,
  '0006-token-sessions': plan0006,
  '0007-provider-sessions': (connection, names) => planAdditions(connection, names, TABLES_0006, PROVIDER_SESSIONS),
  '0008-records': plan0008,
  '0009-authentication': (connection, names) => planAdditions(connection, names, TABLES_0008, AUTHENTICATION),
}

/**
 * Runs one migration and records that it has run. Gives the summaries of its steps.
 *
 * @param isUndone whether the engine undoes all steps when one of them fails
 */
export async function runMigration(
  session: DdlSession,
  name: string,
  options: MigrationOptions,
  waiting: Waiting,
  isUndone: boolean,
): Promise<string[]> {
  const { connection } = session
  const plan = MIGRATIONS[name] ?? (async () => [])
  const steps = await session.repeat(() => plan(connection, options), waiting)
  const progress = (event: Omit<MigrationProgress, 'migration' | 'of'>) =>
    options.onProgress?.({ migration: name, of: steps.length, ...event })
  progress({ number: 0 })
  // All rows are checked before the first step, so that a table which cannot have its index stays as it was.
  for (const step of isUndone ? [] : steps) {
    const report = (note: string) => progress({ number: 0, note: `${step.summary}: ${note}` })
    const list = await session
      .repeat(() => listOfDuplicates(connection, step), { ...waiting, report })
      .catch((error) => {
        throw explain(error, name, step.summary)
      })
    if (list !== null) throw duplicateRows(name, step.summary, undefined, list)
  }
  for (const [index, step] of steps.entries()) {
    const number = index + 1
    const began = performance.now()
    const report = (note: string) => progress({ number, note: `${step.summary}: ${note}` })
    await session.run(step, { ...waiting, report }).catch((error) => {
      throw explain(error, name, step.summary)
    })
    progress({ number, step: step.summary, seconds: (performance.now() - began) / 1000 })
  }
  await session
    .repeat(() => recordMigration(connection, options, name), waiting)
    .catch((error) => {
      throw toAdapterError(error, `migration ${name}`)
    })
  return steps.map(({ summary }) => summary)
}

/** The statement that lists the rows which share values that are to be unique after the step; null if there are none. */
async function listOfDuplicates({ sql, db }: Connection, { unique }: Step): Promise<string | null> {
  if (!unique) return null
  const columns = unique.columns.map((column) => sql.id(column))
  const present = sql.join(
    columns.map((column) => sql`${column} is not null`),
    sql` and `,
  )
  const list = sql`select ${sql.join(columns)}, count(*) from ${unique.table} where ${present} group by ${sql.join(columns)} having count(*) > 1`
  const { rows } = await sql`${list} limit 1`.execute(db)
  return rows.length > 0 ? list.compile(db).sql : null
}

/** @param list the statement that lists the rows */
const duplicateRows = (name: string, summary: string, cause?: AdapterError['cause'], list?: string) =>
  new AdapterError(
    `migration ${name}: ${summary}: several rows have the same values there. Merge or remove them, then run it again.${list === undefined ? '' : ` This lists them: ${list};`}`,
    cause,
  )

function explain(error: unknown, name: string, summary: string): AdapterError {
  if (error instanceof AdapterError)
    return new AdapterError(`migration ${name}: ${summary}: ${error.message}`, error.cause)
  const fault = toAdapterError(error, `migration ${name}: ${summary}`)
  return isDuplicate(error) ? duplicateRows(name, summary, fault.cause) : fault
}

/** Names of the tables, how long the migration may wait, and a function for progress. */
export interface MigrationOptions extends SqlNames {
  /** The table with the migrations that have run; `latchkey_migration` by default. */
  migrationTable?: string
  /**
   * Seconds that a statement waits for the lock of a table. Statements that come after it wait behind it; so it gives up after
   * this time and is tried again later. 2 by default, on MySQL and MariaDB 1, where it is rounded up to whole seconds. SQLite
   * does not use it.
   */
  lockTimeout?: number
  /** Seconds after which the migration fails when it cannot lock a table, or another migration does not end; 600 by default. */
  giveUpAfter?: number
  /** Called when a migration begins, after each of its steps, and every few seconds while a step takes long. */
  onProgress?: (event: MigrationProgress) => void
}

/**
 * Without `step` and `note`, the migration begins. With `step`, that step is done. With `note`, the current step takes long, or
 * another migration of the database is running; then `migration` is the first that has not run. For a SQLite file that is locked
 * it is the first of all.
 */
export interface MigrationProgress {
  readonly migration: string
  readonly step?: string
  /** What the migration waits for, or how far the step is: one line for a person to read. */
  readonly note?: string
  /**
   * The number of the step, from 1, and how many steps there are. `number` is 0 when the migration begins. Absent while another
   * migration runs.
   */
  readonly number?: number
  readonly of?: number
  /** How long the step took, in seconds. */
  readonly seconds?: number
}

/** A migration that has just run. */
export interface AppliedMigration {
  readonly name: string
  /** Summaries of what the migration did; empty when the database had everything. */
  readonly steps: readonly string[]
}

/** A migration, and whether it has run. */
export interface MigrationState {
  readonly name: string
  /** Null when the migration has not run yet. */
  readonly appliedAt: Date | null
  /** The statements that the migration would run, in order. Empty when it has run, and when the database has everything. */
  readonly statements: readonly string[]
}

/** The names of the migrations that have not run, in order. */
export async function pendingMigrations(connection: Connection, options: MigrationOptions): Promise<string[]> {
  const migrations = await (await createMigrator(connection, options)).getMigrations()
  return migrations.filter(({ executedAt }) => executedAt === undefined).map(({ name }) => name)
}

/** Records that a migration has run. */
async function recordMigration(connection: Connection, options: MigrationOptions, name: string): Promise<void> {
  const { error } = await (await createMigrator(connection, options)).migrateTo(name)
  if (error) throw error
}

/**
 * Kysely's migrator, which maintains the table of the migrations that have run. It does not run their statements: it would run
 * all of them in one transaction.
 */
export async function createMigrator(
  connection: Connection,
  { schema, migrationTable = 'latchkey_migration' }: MigrationOptions,
): Promise<Migrator> {
  const { Migrator } = await importKysely()
  const migrations = Object.fromEntries(Object.keys(MIGRATIONS).map((name) => [name, { up: async () => {} }]))
  // Without a schema, Kysely would take a table with that name in any schema for this table.
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
