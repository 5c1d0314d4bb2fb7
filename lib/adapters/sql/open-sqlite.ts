import { closeSync, openSync } from 'node:fs'
import { AdapterError } from '../../kernel/errors.js'
import { driverFault, requireDriver } from '../load-driver.js'
import type { OpenDialect } from './sql-database.js'

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
    return new SqliteDialect({ database: lockedByExec(database) as never })
  }
}

/**
 * A database that is locked by `exec()` before anything writes to it. A prepared statement of libsql that failed, since another
 * connection writes, stays in progress until it is collected. SQLite commits nothing meanwhile, so what the process writes
 * would be seen by no other process, and be lost with it.
 */
export function lockedByExec(database: unknown): unknown {
  const { prepare, exec, close } = database as Record<'prepare' | 'exec' | 'close', (...args: unknown[]) => unknown>
  const execute = (sql: string) => exec.call(database, sql)
  const begin = () => {
    execute('begin immediate')
    return { changes: 0, lastInsertRowid: 0 }
  }
  const isInTransaction = () => (database as { readonly inTransaction?: boolean }).inTransaction !== false
  const committed = (write: () => unknown): unknown => {
    if (isInTransaction()) return write()
    begin()
    try {
      const result = write()
      execute('commit')
      return result
    } catch (error) {
      if (isInTransaction()) execute('rollback')
      throw error
    }
  }
  const prepared = (sql: string) => {
    const statement = prepare.call(database, sql) as Statement
    if (!WRITES.test(sql)) return statement
    return {
      reader: statement.reader,
      all: (parameters: unknown) => committed(() => statement.all(parameters)),
      run: (parameters: unknown) => committed(() => statement.run(parameters)),
    }
  }
  return {
    prepare: (sql: string) => (/^begin\b/i.test(sql) ? { reader: false, run: begin } : prepared(sql)),
    close: () => close.call(database),
  }
}

const WRITES = /^\s*(?:insert|update|delete|replace|create|alter|drop)\b/i

interface Statement {
  readonly reader: boolean
  all(parameters: unknown): unknown
  run(parameters: unknown): unknown
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
