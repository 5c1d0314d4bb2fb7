import type { Migrator } from 'kysely'
import { type Connection, importKysely } from '../connect.js'
import { MIGRATIONS } from './migrations.js'
import type { MigrationOptions } from './options.js'

/** The names of the migrations that have not run, in order. */
export async function pendingMigrations(connection: Connection, options: MigrationOptions): Promise<string[]> {
  const migrations = await (await createMigrator(connection, options)).getMigrations()
  return migrations.filter(({ executedAt }) => executedAt === undefined).map(({ name }) => name)
}

/** Records that a migration has run. */
export async function recordMigration(connection: Connection, options: MigrationOptions, name: string): Promise<void> {
  const { error } = await (await createMigrator(connection, options)).migrateTo(name)
  if (error) throw error
}

/**
 * Kysely's migrator, which maintains the table of the migrations that have run. It does not run their statements: it would run all of them in one
 * transaction.
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
