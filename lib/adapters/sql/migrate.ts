import type { Migration, MigrationResult, MigrationResultSet, Migrator } from 'kysely'
import { AdapterError } from '../../errors.js'
import { type Connection, createConnector, type SqlDatabase } from './connect.js'
import type { Database } from './dialects/dialect.js'
import { isDuplicate, toAdapterError } from './faults.js'
import { findUnfitKeys, planKeys, type TableFinding } from './keys.js'
import type { SqlNames } from './models.js'
import { planTables, type Step } from './schema.js'

/** Names of the tables, and what happens on the way. */
export interface MigrationOptions extends SqlNames {
  /** The table that says which migrations have run; `latchkey_migration` by default. */
  migrationTable?: string
  /** Called as a migration begins, and after each of its steps. */
  onProgress?: (event: MigrationProgress) => void
}

/** Without `step`, the migration begins. */
export interface MigrationProgress {
  readonly migration: string
  readonly step?: string
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

/**
 * Makes the tables, columns and indexes that are missing, each migration once. Tables made by Auth.js's adapters are taken over as they
 * are. Safe to run from several processes at once. On PostgreSQL and SQLite a migration that fails changes nothing; on MySQL,
 * whose definitions cannot be undone, it goes on where it stopped when run again.
 *
 * @throws {AdapterError} with what stands in the way
 */
export async function migrateToLatest(
  database: SqlDatabase,
  options: MigrationOptions = {},
): Promise<AppliedMigration[]> {
  return withConnection(database, async (connection) => {
    const applied: AppliedMigration[] = []
    const up = (name: string) => async (db: Database) => {
      options.onProgress?.({ migration: name })
      const steps: string[] = []
      for (const { summary, statement } of (await PLANS[name]?.({ ...connection, db }, options)) ?? []) {
        await statement.execute(db).catch((error) => {
          throw explain(error, name, summary)
        })
        steps.push(summary)
        options.onProgress?.({ migration: name, step: summary })
      }
      applied.push({ name, steps })
    }
    const { error, results } =
      connection.dialect.name === 'sqlite'
        ? await runAlone(connection, async (alone) => (await createMigrator(alone, options, up)).migrateToLatest())
        : await (await createMigrator(connection, options, up)).migrateToLatest()
    if (error) throw toAdapterError(error, `migration ${failed(results)?.migrationName ?? ''}`.trim())
    return applied
  })
}

/**
 * Runs migrations on SQLite in a transaction that nobody else writes in from its beginning: Kysely's own takes the lock at its first
 * change, when what it read may be out of date.
 */
async function runAlone(
  connection: Connection,
  run: (alone: Connection) => Promise<MigrationResultSet>,
): Promise<MigrationResultSet> {
  const { sql } = connection
  return connection.db.connection().execute(async (db) => {
    await sql`begin immediate`.execute(db)
    const outcome = await run({ ...connection, db }).catch((error): MigrationResultSet => ({ error }))
    await (outcome.error ? sql`rollback` : sql`commit`).execute(db)
    return outcome
  })
}

/** Which migrations have run, and what the others would do. Changes nothing. */
export async function migrationStatus(
  database: SqlDatabase,
  options: MigrationOptions = {},
): Promise<MigrationState[]> {
  return withConnection(database, async (connection) => {
    const migrator = await createMigrator(connection, options, () => async () => {})
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

async function withConnection<Result>(
  database: SqlDatabase,
  action: (connection: Connection) => Promise<Result>,
): Promise<Result> {
  const connector = createConnector(database)
  try {
    return await action(await connector.connect())
  } catch (error) {
    throw toAdapterError(error, 'migrate', 'url' in database ? [database.url] : [])
  } finally {
    await connector.close()
  }
}

async function createMigrator(
  connection: Connection,
  { schema, migrationTable = 'latchkey_migration' }: MigrationOptions,
  up: (name: string) => (db: Database) => Promise<void>,
): Promise<Migrator> {
  const { Migrator } = await import('kysely')
  const migrations = Object.keys(PLANS).map((name): [string, Migration] => [name, { up: up(name) }])
  // Without a schema, Kysely would take the table of that name in any schema for ours.
  const migrationTableSchema =
    connection.dialect.name === 'postgres' ? (schema ?? (await currentSchema(connection))) : schema
  return new Migrator({
    db: connection.db,
    provider: { getMigrations: async () => Object.fromEntries(migrations) },
    migrationTableName: migrationTable,
    migrationLockTableName: `${migrationTable}_lock`,
    disableTransactions: connection.dialect.name === 'sqlite',
    ...(migrationTableSchema !== undefined && { migrationTableSchema }),
  })
}

async function currentSchema({ sql, db }: Connection): Promise<string> {
  const { rows } = await sql<{ schema: string | null }>`select current_schema() as schema`.execute(db)
  return rows[0]?.schema ?? 'public'
}

const failed = (results: readonly MigrationResult[] | undefined) => results?.find(({ status }) => status === 'Error')

function explain(error: unknown, name: string, summary: string): AdapterError {
  const fault = toAdapterError(error, `migration ${name}: ${summary}`)
  if (!isDuplicate(error)) return fault
  return new AdapterError(
    `migration ${name}: ${summary}: several rows have the same values there. Merge or remove them, then run it again.`,
    fault.cause,
  )
}
