import type { RawBuilder } from 'kysely'
import type { Connection } from '../connect.js'
import { codeOf } from '../faults.js'
import {
  type Attempts,
  type Blocker,
  type BlockerRow,
  endsBy,
  lockingRunner,
  retryUntilDone,
  type Step,
  toBlocker,
  usersOf,
  type Waiting,
} from './runner.js'

const LOCK_WAIT_TIMEOUT = 'ER_LOCK_WAIT_TIMEOUT'
const DEADLOCK = 'ER_LOCK_DEADLOCK'
/** The server does not support the algorithm. It has not begun. */
const UNSUPPORTED: ReadonlySet<unknown> = new Set([
  'ER_ALTER_OPERATION_NOT_SUPPORTED',
  'ER_ALTER_OPERATION_NOT_SUPPORTED_REASON',
  'ER_UNKNOWN_ALTER_ALGORITHM',
])

/**
 * The algorithms, from one that nobody notices to one that blocks writers until it is done. MariaDB 11.2 can copy a
 * table while others write.
 */
const ALGORITHMS = {
  alter: [', algorithm=instant', ', algorithm=inplace, lock=none', ', algorithm=copy, lock=none', ''],
  index: [' algorithm=inplace lock=none', ''],
} as const

/** The server makes a transaction of each definition. It changes a table while the table is used, where it can. */
export const mysqlRunner = lockingRunner({
  // The server accepts whole seconds only.
  lockTimeout: 1,

  async begin(connection, _outside, schema, waiting) {
    const { sql, db } = connection
    // Locks belong to the whole server: the name contains that of the database, and is short enough for MySQL's 64
    // characters.
    const lock = sql`concat('latchkey_', sha1(coalesce(${schema ?? null}, database())))`
    return {
      restore: await limitLockWaits(connection, waiting.lockTimeout),
      async tryLock() {
        const { rows } = await sql<{ taken: unknown }>`select get_lock(${lock}, 0) as taken`.execute(db)
        return Number(rows[0]?.taken) === 1
      },
      async releaseLock() {
        await sql`select release_lock(${lock})`.execute(db)
      },
      run: (step, waiting) => runStep(connection, step, waiting),
      repeat: (action, waiting) => retryUntilDone(attemptsOf(connection, waiting), action),
    }
  },
})

async function runStep(connection: Connection, step: Step, waiting: Waiting): Promise<void> {
  const algorithms = step.onlineAs ? ALGORITHMS[step.onlineAs] : ['']
  for (const algorithm of algorithms) {
    const isLast = algorithm === algorithms.at(-1)
    if (isLast && algorithms.length > 1) waiting.report('the server rebuilds the table; writers wait until it is done')
    const statement = connection.sql`${step.statement}${connection.sql.raw(algorithm)}`
    if (await changeTable(connection, statement, step, waiting)) return
  }
}

async function limitLockWaits({ sql, db }: Connection, seconds: number): Promise<() => Promise<void>> {
  const { rows } = await sql<{ before: unknown }>`select @@session.lock_wait_timeout as ${sql.id('before')}`.execute(db)
  const set = (value: number) => sql`set session lock_wait_timeout = ${sql.lit(value)}`.execute(db)
  // The server accepts whole seconds only.
  await set(Math.max(1, Math.ceil(seconds)))
  return async () => {
    await set(Number(rows[0]?.before))
  }
}

/** Gives false when the server does not support the algorithm of the statement. */
async function changeTable(
  connection: Connection,
  statement: RawBuilder<unknown>,
  step: Step,
  waiting: Waiting,
): Promise<boolean> {
  return retryUntilDone(attemptsOf(connection, waiting, step), async () => {
    try {
      await statement.execute(connection.db)
      return true
    } catch (error) {
      if (UNSUPPORTED.has(codeOf(error))) return false
      throw error
    }
  })
}

/** @param step what is attempted; undefined for an action that is no step */
const attemptsOf = (connection: Connection, waiting: Waiting, step?: Step): Attempts => ({
  ...waiting,
  what: step ? usersOf(step) : 'connections that have locked a table',
  fix: endsBy((pid) => `kill ${pid}`),
  isBlocked: (error) => codeOf(error) === LOCK_WAIT_TIMEOUT || codeOf(error) === DEADLOCK,
  findBlocker: () => findBlocker(connection, step),
  findSuspect: () => findOldest(connection),
})

const STATE = 'in a transaction'

/**
 * A transaction that has used the table for longer than a second. MariaDB knows only while its Performance Schema is
 * on.
 */
async function findBlocker({ sql, db }: Connection, { locks }: Partial<Step> = {}): Promise<Blocker | null> {
  if (!locks) return null
  const { rows } = await sql<BlockerRow>`
    select t.processlist_id as pid, timestampdiff(second, x.trx_started, now()) as seconds, ${STATE} as state
    from performance_schema.metadata_locks l
    join performance_schema.threads t on t.thread_id = l.owner_thread_id
    join information_schema.innodb_trx x on x.trx_mysql_thread_id = t.processlist_id
    where l.object_type = 'TABLE' and l.object_schema = coalesce(${locks.place.schema ?? null}, database())
      and l.object_name = ${locks.place.table} and l.lock_status = 'GRANTED' and t.processlist_id <> connection_id()
      and x.trx_started < now() - interval 1 second
    order by x.trx_started limit 1`
    .execute(db)
    .catch(() => ({ rows: [] }))
  return toBlocker(rows)
}

/** The oldest transaction of the server, which only a user with the privilege PROCESS sees. */
async function findOldest({ sql, db }: Connection): Promise<Blocker | null> {
  const { rows } = await sql<BlockerRow>`
    select trx_mysql_thread_id as pid, timestampdiff(second, trx_started, now()) as seconds, ${STATE} as state
    from information_schema.innodb_trx where trx_mysql_thread_id <> connection_id() order by trx_started limit 1`
    .execute(db)
    .catch(() => ({ rows: [] }))
  return toBlocker(rows)
}
