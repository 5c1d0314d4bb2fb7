import { AdapterError } from '../../kernel/errors.js'
import { type Connection, type Connector, createConnector } from './connect.js'
import { mysqlRunner } from './ddl/mysql.js'
import { postgresRunner } from './ddl/postgres.js'
import type { DdlRunner } from './ddl/runner.js'
import { sqliteRunner, WRITER, whenFree } from './ddl/sqlite.js'
import type { Dialect } from './dialects/dialect.js'
import { toAdapterError } from './faults.js'
import { findShortTokens, findUnmendedKeys, type TableFinding } from './migrations/key-columns.js'
import {
  type AppliedMigration,
  createMigrator,
  MIGRATIONS,
  type MigrationOptions,
  type MigrationState,
  type Plan,
  pendingMigrations,
  runMigration,
} from './migrations/migrations.js'
import type { SqlNames } from './models.js'
import type { SqlDatabase } from './sql-database.js'

const RUNNERS: Readonly<Record<Dialect['name'], DdlRunner>> = {
  postgres: postgresRunner,
  mysql: mysqlRunner,
  sqlite: sqliteRunner,
}

/**
 * Makes the tables, columns and indexes that are missing, each migration once. Tables that Auth.js's adapters made are
 * taken over as they are, while they are in use. Several processes may call this at the same time: one works, and the
 * others wait. A migration that fails or is interrupted continues where it stopped when it is run again; on SQLite it
 * changes nothing.
 *
 * @throws {AdapterError} with the reason why a migration cannot run
 */
export async function migrateToLatest(
  database: SqlDatabase,
  options: MigrationOptions = {},
): Promise<AppliedMigration[]> {
  requireSeconds(options, 'lockTimeout', 'giveUpAfter')
  const { giveUpAfter = 600, onProgress } = options
  const reportOf = (migration: string) => (note: string) => onProgress?.({ migration, note })
  return withConnector(createConnector(database, Number.POSITIVE_INFINITY, 0), database, async (connector) => {
    const look = async () => {
      const connection = await connector.connect()
      return { connection, pending: await pendingMigrations(connection, options) }
    }
    // A SQLite file may be locked before anything is known about it.
    const opening = { lockTimeout: 0, giveUpAfter, report: reportOf(Object.keys(MIGRATIONS)[0] ?? '') }
    const { connection, pending } = await whenFree(opening, WRITER, look)
    const [first] = pending
    if (first === undefined) return []
    const runner = RUNNERS[connection.dialect.name]
    const waiting = { lockTimeout: options.lockTimeout ?? runner.lockTimeout, giveUpAfter, report: reportOf(first) }
    return runner.exclusively(connection, options.schema, waiting, async (session) => {
      const applied: AppliedMigration[] = []
      // Another process may have run them while this process waited.
      for (const name of await session.repeat(() => pendingMigrations(session.connection, options), waiting)) {
        applied.push({ name, steps: await runMigration(session, name, options, waiting, runner.undoesAll) })
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

/** Which migrations have run, and what the others would do. Changes nothing. */
export async function migrationStatus(
  database: SqlDatabase,
  options: MigrationOptions = {},
): Promise<MigrationState[]> {
  return withConnection(database, async (connection) => {
    const migrator = await createMigrator(connection, options)
    const states: MigrationState[] = []
    // Migrations with the same plan: the first that runs leaves nothing for the others.
    const planned = new Set<Plan>()
    for (const { name, executedAt } of await migrator.getMigrations()) {
      const plan = executedAt ? undefined : MIGRATIONS[name]
      const steps = plan && !planned.has(plan) ? await plan(connection, options) : []
      if (plan) planned.add(plan)
      const statements = steps.map(({ statement }) => statement.compile(connection.db).sql)
      states.push({ name, appliedAt: executedAt ?? null, statements })
    }
    return states
  })
}

/**
 * Faults of the tables that no migration corrects: columns in which two people can count as one, or into which a
 * sign-in or its tokens cannot be stored. Changes nothing.
 */
export async function inspectTables(database: SqlDatabase, names: SqlNames = {}): Promise<TableFinding[]> {
  return withConnection(database, async (connection) => [
    ...(await findUnmendedKeys(connection, names)),
    ...(await findShortTokens(connection, names)),
  ])
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
