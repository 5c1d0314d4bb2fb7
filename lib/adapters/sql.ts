export {
  databaseAt,
  type KyselyInstance,
  type MysqlPool,
  type PostgresPool,
  type SqlDatabase,
  type SqliteDatabase,
} from './sql/connect.js'
export type { TableFinding } from './sql/inspect-tables.js'
export { inspectTables, migrateToLatest, migrationStatus } from './sql/migrate.js'
export type { AppliedMigration, MigrationOptions, MigrationProgress, MigrationState } from './sql/migrations/options.js'
export type { ModelName, SqlNames } from './sql/models.js'
export type { PoolOptions } from './sql/own-pool.js'
export { type SqlAdapter, type SqlAdapterOptions, sqlAdapter } from './sql/sql-adapter.js'
