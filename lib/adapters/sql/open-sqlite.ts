import { closeSync, openSync } from 'node:fs'
import { AdapterError } from '../../errors.js'
import { driverFault, requireDriver } from '../load-driver.js'
import type { OpenDialect } from './open-dialect.js'

export function sqliteFile(path: string, busyMs: number): OpenDialect {
  requireDriver('libsql')
  return async ({ SqliteDialect }) => {
    const Libsql = await importLibsql()
    if (path !== ':memory:') makeFile(path)
    const database = new Libsql(path, { timeout: busyMs })
    try {
      // Readers and a writer do not wait for each other, and other processes wait for their turn.
      for (const pragma of ['journal_mode = WAL', 'synchronous = NORMAL', 'foreign_keys = ON']) {
        database.pragma(pragma)
      }
    } catch (error) {
      database.close()
      throw error
    }
    return new SqliteDialect({ database: beginningByExec(database) as never })
  }
}

/**
 * A database whose transactions begin by `exec()`. A prepared statement of libsql that failed, since another connection
 * writes, stays in progress until it is collected, and SQLite commits nothing meanwhile.
 */
export function beginningByExec(database: unknown): unknown {
  const { prepare, exec, close } = database as Record<'prepare' | 'exec' | 'close', (...args: unknown[]) => unknown>
  const begin = (sql: string) => ({
    reader: false,
    run: () => {
      exec.call(database, sql)
      return { changes: 0, lastInsertRowid: 0 }
    },
  })
  return {
    prepare: (sql: string) => (/^begin\b/i.test(sql) ? begin(sql) : prepare.call(database, sql)),
    close: () => close.call(database),
  }
}

/** The file holds tokens: nobody but its owner may read it. SQLite gives its side files the same mode. */
function makeFile(path: string): void {
  try {
    closeSync(openSync(path, 'a', 0o600))
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : error
    const reason = code === 'ENOENT' ? 'its folder does not exist' : code
    throw new AdapterError(`The SQLite file ${path} cannot be opened: ${reason}.`)
  }
}

async function importLibsql() {
  try {
    return (await import('libsql')).default
  } catch (error) {
    throw driverFault('libsql', error)
  }
}
