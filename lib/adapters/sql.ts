export {
  databaseAt,
  type KyselyInstance,
  type MysqlPool,
  type PostgresPool,
  type SqlDatabase,
  type SqliteDatabase,
} from './sql/connect.js'
export type { TableFinding } from './sql/keys.js'
export {
  type AppliedMigration,
  inspectTables,
  type MigrationOptions,
  type MigrationProgress,
  type MigrationState,
  migrateToLatest,
  migrationStatus,
} from './sql/migrate.js'
export type { ModelName, SqlNames } from './sql/models.js'
export type { PoolOptions } from './sql/own-pool.js'
export { type SqlAdapter, type SqlAdapterOptions, sqlAdapter } from './sql/sql-adapter.js'
