export { inspectTables, migrateToLatest, migrationStatus } from './sql/migrate.js'
export type { TableFinding } from './sql/migrations/key-columns.js'
export type {
  AppliedMigration,
  MigrationOptions,
  MigrationProgress,
  MigrationState,
} from './sql/migrations/migrations.js'
export type { ModelName, SqlNames } from './sql/models.js'
export type { PoolOptions } from './sql/pools.js'
export { type SqlAdapter, type SqlAdapterOptions, sqlAdapter } from './sql/sql-adapter.js'
export type { KyselyInstance, MysqlPool, PostgresPool, SqlDatabase, SqliteDatabase } from './sql/sql-database.js'
export { databaseAt } from './sql/sql-database.js'
