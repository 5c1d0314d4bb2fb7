import { setTimeout as sleep } from 'node:timers/promises'
import type { RawBuilder } from 'kysely'
import { AdapterError } from '../../../kernel/errors.js'
import type { Connection } from '../connect.js'
import { regclass } from '../dialects/postgres.js'
import { codeOf } from '../faults.js'
import {
  type Blocker,
  type BlockerRow,
  type ConcurrentIndex,
  describeBlocker,
  endsBy,
  gaveUp,
  lockingRunner,
  type Report,
  retryUntilDone,
  type Step,
  toBlocker,
  usersOf,
  type Waiting,
} from './runner.js'

/** The lock of a migration: two numbers that no other application uses. The first is "ltch" in ASCII. */
const LOCK = { space: 0x6c746368, number: 1 }

/** Indexes of tables in use are made concurrently, which a transaction of several statements cannot do. */
export const postgresRunner = lockingRunner({
  // Longer than the second after which the server stops an autovacuum that blocks a statement.
  lockTimeout: 2,

  async begin(connection, outside) {
    const { sql, db } = connection
    const backend = await backendOf(connection)
    return {
      restore: await removeStatementLimit(connection),
      async tryLock() {
        await requireBackend(connection, backend)
        const { rows } = await sql<{ taken: unknown }>`
          select pg_try_advisory_lock(${LOCK.space}::int, ${LOCK.number}::int)::int as taken`.execute(db)
        return Number(rows[0]?.taken) === 1
      },
      async releaseLock() {
        await sql`select pg_advisory_unlock(${LOCK.space}::int, ${LOCK.number}::int)`.execute(db)
      },
      async run(step, waiting) {
        await requireBackend(connection, backend)
        if (step.concurrent) await makeIndexConcurrently(connection, outside, step, step.concurrent, waiting)
        else await retry(connection, waiting, () => step.statement.execute(db), step)
      },
      repeat: (action, waiting) => retry(connection, waiting, action),
    }
  },
})

/**
 * Runs an action that is done at once when it has its lock. All others wait behind it while it waits for the lock.
 *
 * @param step what is attempted; undefined for an action that is no step
 */
async function retry<Result>(
  connection: Connection,
  waiting: Waiting,
  action: () => Promise<Result>,
  step?: Step,
): Promise<Result> {
  await setLockTimeout(connection, waiting.lockTimeout)
  const inTheWay = step
    ? { what: usersOf(step), findBlocker: () => findBlocker(connection, step, waiting.lockTimeout) }
    : { what: 'transactions that keep a table to themselves', findSuspect: () => findExclusiveLock(connection) }
  return retryUntilDone({ ...waiting, ...inTheWay, fix: howToEnd, isBlocked }, action)
}

const LOCK_NOT_AVAILABLE = '55P03'
const DEADLOCK = '40P01'

const isLockTimeout = (error: unknown): boolean => codeOf(error) === LOCK_NOT_AVAILABLE

const isBlocked = (error: unknown): boolean => isLockTimeout(error) || codeOf(error) === DEADLOCK

const howToEnd = endsBy((pid) => `select pg_terminate_backend(${pid})`)

/**
 * A transaction that has held a lock of the table for longer than the step may wait, so that the step should not begin.
 */
async function findBlocker(connection: Connection, { locks }: Step, seconds: number): Promise<Blocker | null> {
  if (!locks) return null
  const { sql } = connection
  // A transaction that only reads does not block the creation of a table that refers to this one.
  const harmless = locks.blocks === 'writes' ? ['AccessShareLock', 'RowShareLock'] : []
  return findLock(
    connection,
    sql`a.backend_type is distinct from 'autovacuum worker'
      and l.relation = to_regclass(${regclass(locks.place)}) and l.mode <> all(${`{${harmless.join()}}`}::text[])
      and (l.pid is null or a.xact_start < clock_timestamp() - ${seconds}::float8 * interval '1 s')`,
  )
}

/** The oldest transaction with a lock that lets nobody read a table. */
const findExclusiveLock = (connection: Connection): Promise<Blocker | null> =>
  findLock(connection, connection.sql`l.mode = 'AccessExclusiveLock'`)

async function findLock({ sql, db }: Connection, condition: RawBuilder<unknown>): Promise<Blocker | null> {
  const { rows } = await sql<BlockerRow>`
    select l.pid, extract(epoch from clock_timestamp() - a.xact_start)::float8 as seconds, a.state
    from pg_locks l left join pg_stat_activity a on a.pid = l.pid
    where l.locktype = 'relation' and l.granted and l.pid is distinct from pg_backend_pid()
      and l.database = (select oid from pg_database where datname = current_database()) and ${condition}
    order by a.xact_start limit 1`.execute(db)
  return toBlocker(rows)
}

/** The transaction with the oldest snapshot. */
async function findOldestSnapshot({ sql, db }: Connection): Promise<Blocker | null> {
  const { rows } = await sql<BlockerRow>`
    select pid, extract(epoch from clock_timestamp() - xact_start)::float8 as seconds, state from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and backend_xmin is not null
    order by xact_start limit 1`.execute(db)
  return toBlocker(rows)
}

/** The process of the server that serves a connection. Locks and settings belong to it. */
async function backendOf({ sql, db }: Connection): Promise<number> {
  const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db)
  return Number(rows[0]?.pid)
}

/** @throws {AdapterError} when another process of the server serves the connection now */
async function requireBackend(connection: Connection, backend: number): Promise<void> {
  if ((await backendOf(connection)) === backend) return
  throw new AdapterError(
    'the connection leads to another process of the server than before, as behind PgBouncer in transaction mode. Give the migration the ' +
      'address of the server itself.',
  )
}

/**
 * Removes the time limit of statements. Statements of a migration may take long, and the limits of an application
 * against hanging statements are not meant for them. Gives a function that restores the limits.
 */
async function removeStatementLimit({ sql, db }: Connection): Promise<() => Promise<void>> {
  const { rows } = await sql<{ statement: string; lock: string }>`
    select current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock`.execute(db)
  const { statement = '0', lock = '0' } = rows[0] ?? {}
  await sql`select set_config('statement_timeout', '0', false)`.execute(db)
  return async () => {
    await sql`select set_config('statement_timeout', ${statement}, false), set_config('lock_timeout', ${lock}, false)`.execute(
      db,
    )
  }
}

const setLockTimeout = ({ sql, db }: Connection, seconds: number) =>
  sql`select set_config('lock_timeout', ${`${Math.ceil(seconds * 1000)}ms`}, false)`.execute(db)

/** Milliseconds between two look-ups of the progress of an index. */
const ASK_EVERY = 2000
/** Milliseconds before an index is begun again after a deadlock. */
const PAUSE = 1000

/**
 * Makes an index while the table is read and written. The statement waits for transactions that are older than it;
 * nobody has to wait for the statement. When it fails, it leaves an index that no query uses and that costs time at
 * each change: that index is removed.
 *
 * @param outside the whole database, for statements on other connections
 */
async function makeIndexConcurrently(
  connection: Connection,
  outside: Connection,
  step: Step,
  index: ConcurrentIndex,
  waiting: Waiting,
): Promise<void> {
  const deadline = Date.now() + waiting.giveUpAfter * 1000
  for (;;) {
    await setLockTimeout(connection, Math.max(1, (deadline - Date.now()) / 1000))
    const watch = watchIndex(outside, waiting.report, await backendOf(connection))
    const error = await step.statement.execute(connection.db).then(
      () => null,
      (error: unknown) => error,
    )
    watch.stop()
    if (error === null) return
    const blocker = isLockTimeout(error) ? (watch.blocker() ?? (await findOldestSnapshot(connection))) : null
    await removeUnusable(connection, index, waiting.lockTimeout)
    if (!isBlocked(error)) throw error
    if (isLockTimeout(error) || Date.now() >= deadline) {
      const who = blocker ? describeBlocker(blocker) : 'older transactions'
      throw gaveUp(waiting.giveUpAfter, who, howToEnd(blocker))
    }
    await sleep(PAUSE)
  }
}

/** When a lock prevents the removal, the next run of the migration removes the index. */
async function removeUnusable(
  connection: Connection,
  { place, name }: ConcurrentIndex,
  lockTimeout: number,
): Promise<void> {
  const unusable = await connection.dialect.unusableIndexesOf?.(connection.db, place)
  const leftover = unusable?.find((index) => index.name === name)
  await setLockTimeout(connection, lockTimeout)
  await leftover?.drop.execute(connection.db).catch(() => {})
}

/**
 * Reports every few seconds how far an index is. The question goes over another connection, and nobody waits for the
 * answer: a pool with a single connection answers only when the index is done.
 */
function watchIndex({ sql, db }: Connection, report: Report, pid: number) {
  let isStopped = false
  let isAsking = false
  let reported = ''
  let blocker: Blocker | null = null
  const ask = async () => {
    const { rows } = await sql<BlockerRow & Record<'phase' | 'done' | 'total', unknown>>`
      select p.phase, p.current_locker_pid as pid, extract(epoch from clock_timestamp() - a.xact_start)::float8 as seconds, a.state,
        case when p.blocks_total > 0 then p.blocks_done when p.tuples_total > 0 then p.tuples_done else p.lockers_done end as done,
        case when p.blocks_total > 0 then p.blocks_total when p.tuples_total > 0 then p.tuples_total else 0 end as total
      from pg_stat_progress_create_index p left join pg_stat_activity a on a.pid = p.current_locker_pid and p.current_locker_pid <> 0
      where p.pid = ${pid}`.execute(db)
    const row = rows[0]
    if (isStopped || !row) return
    const isWaiting = String(row.phase).startsWith('waiting') && Number(row.pid) > 0
    blocker = isWaiting ? toBlocker(rows) : null
    const share = Number(row.total) > 0 ? `: ${Math.floor((100 * Number(row.done)) / Number(row.total))} %` : ''
    const note = blocker ? `waiting for ${describeBlocker(blocker)}; nobody waits behind it` : `${row.phase}${share}`
    if (note !== reported) report(note)
    reported = note
  }
  const timer = setInterval(() => {
    if (isAsking) return
    isAsking = true
    ask()
      .catch(() => {})
      .finally(() => {
        isAsking = false
      })
  }, ASK_EVERY)
  return {
    blocker: () => blocker,
    stop() {
      isStopped = true
      clearInterval(timer)
    },
  }
}
