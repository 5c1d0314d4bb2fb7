import type { RawBuilder } from 'kysely'
import type { Connection } from '../connect.js'
import { codeOf } from '../faults.js'
import type { Step } from '../schema.js'
import { type Blocker, type DdlRunner, insist, insistOn, type Waiting } from './ddl-runner.js'

const LOCK_WAIT_TIMEOUT = 'ER_LOCK_WAIT_TIMEOUT'
const DEADLOCK = 'ER_LOCK_DEADLOCK'
/** This server cannot do it so; it has not begun. */
const UNSUPPORTED: ReadonlySet<unknown> = new Set([
  'ER_ALTER_OPERATION_NOT_SUPPORTED',
  'ER_ALTER_OPERATION_NOT_SUPPORTED_REASON',
  'ER_UNKNOWN_ALTER_ALGORITHM',
])

/** From what nobody notices to what a writer waits for until it is done. MariaDB 11.2 can copy a table while it is written. */
const WAYS = {
  alter: [', algorithm=instant', ', algorithm=inplace, lock=none', ', algorithm=copy, lock=none', ''],
  index: [' algorithm=inplace lock=none', ''],
} as const

/** Each definition is a transaction of its own, which the server makes of it. It changes a table while it is used where it can. */
export const mysqlRunner: DdlRunner = {
  // In whole seconds: the server knows no others.
  lockTimeout: 1,
  undoesAll: false,

  async alone(connection, schema, waiting, action) {
    return connection.db.connection().execute(async (db) => {
      const alone = { ...connection, db }
      const restore = await limitLockWaits(alone, waiting.lockTimeout)
      try {
        const release = await takeLock(alone, schema, waiting)
        const run = (step: Step, waiting: Waiting) => runStep(alone, step, waiting)
        const repeat = <Result>(action: () => Promise<Result>, waiting: Waiting) => lookAgain(alone, action, waiting)
        return await action({ connection: alone, run, repeat }).finally(() => release().catch(() => {}))
      } finally {
        // A connection that is lost has lost its settings, too.
        await restore().catch(() => {})
      }
    })
  },
}

async function runStep(alone: Connection, step: Step, waiting: Waiting): Promise<void> {
  const ways = step.onlineAs ? WAYS[step.onlineAs] : ['']
  for (const way of ways) {
    const isLast = way === ways.at(-1)
    if (isLast && ways.length > 1) waiting.tell('the server rebuilds the table; writers wait until it is done')
    if (await changeTable(alone, alone.sql`${step.statement}${alone.sql.raw(way)}`, step, waiting)) return
  }
}

async function limitLockWaits({ sql, db }: Connection, seconds: number): Promise<() => Promise<void>> {
  const { rows } = await sql<{ before: unknown }>`select @@session.lock_wait_timeout as ${sql.id('before')}`.execute(db)
  const set = (value: number) => sql`set session lock_wait_timeout = ${sql.lit(value)}`.execute(db)
  // The server knows whole seconds only.
  await set(Math.max(1, Math.ceil(seconds)))
  return async () => {
    await set(Number(rows[0]?.before))
  }
}

async function takeLock({ sql, db }: Connection, schema: string | undefined, waiting: Waiting) {
  // Locks belong to the server: the name is that of the database, and short enough for MySQL's 64 characters.
  const name = sql`concat('latchkey_', sha1(coalesce(${schema ?? null}, database())))`
  await insist({
    ...waiting,
    what: 'another migration of this database',
    fix: () => 'If it is stuck, end its process; then run this one again.',
    findBlocker: async () => null,
    longestRest: 1000,
    async attempt() {
      const { rows } = await sql<{ taken: unknown }>`select get_lock(${name}, 0) as taken`.execute(db)
      return Number(rows[0]?.taken) === 1
    },
  })
  return async () => {
    await sql`select release_lock(${name})`.execute(db)
  }
}

/** False when this server cannot do it so. */
async function changeTable(
  alone: Connection,
  statement: RawBuilder<unknown>,
  step: Step,
  waiting: Waiting,
): Promise<boolean> {
  let isSupported = true
  await insist({
    ...waiting,
    what: `transactions that use ${step.locks?.place.table ?? 'the database'}`,
    fix: endIt,
    findBlocker: () => findHolder(alone, step),
    findSuspect: () => findOldest(alone),
    attempt: () =>
      statement.execute(alone.db).then(
        () => true,
        (error) => {
          isSupported = !UNSUPPORTED.has(codeOf(error))
          if (!isSupported) return true
          if (isInTheWay(error)) return false
          throw error
        },
      ),
  })
  return isSupported
}

const isInTheWay = (error: unknown) => codeOf(error) === LOCK_WAIT_TIMEOUT || codeOf(error) === DEADLOCK

function lookAgain<Result>(alone: Connection, action: () => Promise<Result>, waiting: Waiting): Promise<Result> {
  const attempts = {
    ...waiting,
    what: 'connections that have locked a table',
    fix: endIt,
    findBlocker: async () => null,
  }
  return insistOn({ ...attempts, findSuspect: () => findOldest(alone) }, action, isInTheWay)
}

const endIt = (blocker: Blocker | null) => {
  const how = blocker === null ? 'End the transaction that is in the way' : `End it: kill ${blocker.pid}`
  return `${how}. Then run the migration again: it goes on where it stopped.`
}

type BlockerRow = Record<'pid' | 'seconds', unknown>

const toBlocker = (rows: readonly BlockerRow[]): Blocker | null =>
  rows[0] ? { pid: Number(rows[0].pid), seconds: Number(rows[0].seconds), state: 'in a transaction' } : null

/** Whose transaction has used the table for a while. MySQL tells; MariaDB does not, unless its Performance Schema is on. */
async function findHolder({ sql, db }: Connection, { locks }: Step): Promise<Blocker | null> {
  if (!locks) return null
  const { rows } = await sql<BlockerRow>`
    select t.processlist_id as pid, timestampdiff(second, x.trx_started, now()) as seconds
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
    select trx_mysql_thread_id as pid, timestampdiff(second, trx_started, now()) as seconds
    from information_schema.innodb_trx where trx_mysql_thread_id <> connection_id() order by trx_started limit 1`
    .execute(db)
    .catch(() => ({ rows: [] }))
  return toBlocker(rows)
}
