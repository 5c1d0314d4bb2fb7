import { dropDatabases } from '../adapters/sql/databases.js'
import { stopSharedServers } from './shared-servers.js'

/** Mocha calls it once, in the process that started the others. */
export async function mochaGlobalTeardown(): Promise<void> {
  await dropDatabases()
  await stopSharedServers()
}
