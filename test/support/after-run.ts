import { dropDatabases } from '../adapters/sql/databases.js'

/** Mocha calls it once, in the process that started the others. */
export const mochaGlobalTeardown = dropDatabases
