import { setTimeout as sleep } from 'node:timers/promises'
import { AdapterError } from '../../../errors.js'
import type { Connection } from '../connect.js'
import type { Database } from '../dialects/dialect.js'
import { regclass } from '../dialects/postgres.js'
import { codeOf } from '../faults.js'
import type { ConcurrentIndex, Step } from '../schema.js'
import {
  type Blocker,
  type DdlRunner,
  describeBlocker,
  insist,
  insistOn,
  type Tell,
  type Waiting,
} from './ddl-runner.js'

/** The lock of a migration: any two numbers that no one else uses. The first is "ltch" in ASCII. */
const LOCK = { space: 0x6c746368, number: 1 }
const LOCK_NOT_AVAILABLE = '55P03'
const DEADLOCK = '40P01'
/** How often the server is asked how far an index is. */
const ASK_EVERY = 2000
const GO_ON = 'Then run the migration again: it goes on where it stopped.'

/**
 * Each step is a transaction of its own, so that no lock is held longer than one step, and indexes of tables in use are made concurrently, which
 * a transaction of several statements cannot hold.
 */
export const postgresRunner: DdlRunner = {
  // Longer than the second after which the server stops an autovacuum that somebody waits for.
  lockTimeout: 2,
  undoesAll: false,

  async alone(connection, _schema, waiting, action) {
    return connection.db.connection().execute(async (db) => {
      const alone = { ...connection, db }
      const backend = await backendOf(alone)
      const restore = await lastAsLongAsItTakes(alone)
      try {
        await requireSameBackend(alone, backend)
        await takeLock(alone, waiting)
        const run = async (step: Step, waiting: Waiting) => {
          await requireSameBackend(alone, backend)
          if (step.concurrent) await runConcurrently(alone, connection.db, step, step.concurrent, waiting)
          else await changeTable(alone, step, waiting)
        }
        const repeat = <Result>(action: () => Promise<Result>, waiting: Waiting) => lookAgain(alone, action, waiting)
        return await action({ connection: alone, run, repeat })
      } finally {
        // A connection that is lost has lost its lock and its settings, too.
        await releaseLock(alone).catch(() => {})
        await restore().catch(() => {})
      }
    })
  },
}

/** The lock, and how long to wait for others, are kept by one process of the server. */
async function requireSameBackend(alone: Connection, backend: number): Promise<void> {
  if ((await backendOf(alone)) === backend) return
  throw new AdapterError(
    'the connection leads to another process of the server than before, as behind PgBouncer in transaction mode. Give the migration the ' +
      'address of the server itself.',
  )
}

async function backendOf({ sql, db }: Connection): Promise<number> {
  const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db)
  return Number(rows[0]?.pid)
}

/** Statements of a migration may last: what an application sets against those that hang does not apply to them. Gives what undoes it. */
async function lastAsLongAsItTakes({ sql, db }: Connection): Promise<() => Promise<void>> {
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

/**
 * The lock is asked for again and again, and not waited for: a statement that waits has a snapshot, and an index that is made concurrently
 * waits for whoever has an older one.
 */
async function takeLock({ sql, db }: Connection, waiting: Waiting): Promise<void> {
  await insist({
    ...waiting,
    what: 'another migration of this database',
    fix: () => 'If it is stuck, end its process; then run this one again.',
    findBlocker: async () => null,
    longestRest: 1000,
    async attempt() {
      const { rows } = await sql<{ taken: unknown }>`
        select pg_try_advisory_lock(${LOCK.space}::int, ${LOCK.number}::int)::int as taken`.execute(db)
      return Number(rows[0]?.taken) === 1
    },
  })
}

const releaseLock = ({ sql, db }: Connection) =>
  sql`select pg_advisory_unlock(${LOCK.space}::int, ${LOCK.number}::int)`.execute(db)

const setLockTimeout = ({ sql, db }: Connection, seconds: number) =>
  sql`select set_config('lock_timeout', ${`${Math.ceil(seconds * 1000)}ms`}, false)`.execute(db)

/** A step that is done at once when it has its lock, and that everybody waits behind while it waits for it. */
async function changeTable(alone: Connection, step: Step, waiting: Waiting): Promise<void> {
  await setLockTimeout(alone, waiting.lockTimeout)
  await insist({
    ...waiting,
    what: `transactions that use ${step.locks?.place.table ?? 'the database'}`,
    fix: endIt,
    findBlocker: () => findHolder(alone, step, waiting.lockTimeout),
    attempt: () =>
      step.statement.execute(alone.db).then(
        () => true,
        (error) => {
          if (isInTheWay(error)) return false
          throw error
        },
      ),
  })
}

async function lookAgain<Result>(alone: Connection, action: () => Promise<Result>, waiting: Waiting): Promise<Result> {
  await setLockTimeout(alone, waiting.lockTimeout)
  const attempts = {
    ...waiting,
    what: 'transactions that keep a table to themselves',
    fix: endIt,
    findBlocker: async () => null,
  }
  return insistOn({ ...attempts, findSuspect: () => findLocker(alone) }, action, isInTheWay)
}

/** Whose transaction lets nobody read a table, for longest. */
async function findLocker({ sql, db }: Connection): Promise<Blocker | null> {
  const { rows } = await sql<Record<keyof Blocker, unknown>>`
    select l.pid, extract(epoch from clock_timestamp() - a.xact_start)::float8 as seconds, a.state
    from pg_locks l left join pg_stat_activity a on a.pid = l.pid
    where l.locktype = 'relation' and l.granted and l.mode = 'AccessExclusiveLock'
      and l.pid is distinct from pg_backend_pid()
      and l.database = (select oid from pg_database where datname = current_database())
    order by a.xact_start limit 1`.execute(db)
  return rows[0] ? toBlocker(rows[0]) : null
}

const isInTheWay = (error: unknown) => codeOf(error) === LOCK_NOT_AVAILABLE || codeOf(error) === DEADLOCK

const endIt = (blocker: Blocker | null) => {
  const pid = blocker?.pid ?? null
  const how = pid === null ? 'End the transaction that is in the way' : `End it: select pg_terminate_backend(${pid})`
  return `${how}. ${GO_ON}`
}

/** Whose transaction has held a lock for longer than the step may wait, so that it had better not begin to. */
async function findHolder({ sql, db }: Connection, { locks }: Step, seconds: number): Promise<Blocker | null> {
  if (!locks) return null
  // Whoever only reads is not in the way of a table that refers to this one.
  const harmless = locks.blocks === 'writes' ? ['AccessShareLock', 'RowShareLock'] : []
  const { rows } = await sql<Record<keyof Blocker, unknown>>`
    select l.pid, extract(epoch from clock_timestamp() - a.xact_start)::float8 as seconds, a.state
    from pg_locks l left join pg_stat_activity a on a.pid = l.pid
    where l.locktype = 'relation' and l.granted and l.pid is distinct from pg_backend_pid()
      and a.backend_type is distinct from 'autovacuum worker'
      and l.database = (select oid from pg_database where datname = current_database())
      and l.relation = to_regclass(${regclass(locks.place)}) and l.mode <> all(${`{${harmless.join()}}`}::text[])
      and (l.pid is null or a.xact_start < clock_timestamp() - ${seconds}::float8 * interval '1 s')
    order by a.xact_start limit 1`.execute(db)
  return rows[0] ? toBlocker(rows[0]) : null
}

const toBlocker = ({ pid, seconds, state }: Record<keyof Blocker, unknown>): Blocker => ({
  pid: pid === null ? null : Number(pid),
  seconds: seconds === null ? null : Number(seconds),
  state: typeof state === 'string' ? state : null,
})

/**
 * Makes an index while the table is read and written. It waits for transactions that are older than it, for which nobody has to wait. What it leaves
 * when it fails is an index that is of no use and costs time at each change, so that is removed.
 */
async function runConcurrently(
  alone: Connection,
  outside: Database,
  step: Step,
  index: ConcurrentIndex,
  waiting: Waiting,
): Promise<void> {
  const deadline = Date.now() + waiting.giveUpAfter * 1000
  for (;;) {
    await setLockTimeout(alone, Math.max(1, (deadline - Date.now()) / 1000))
    const watch = watchIndex(alone, outside, waiting.tell, await backendOf(alone))
    const error = await step.statement.execute(alone.db).then(
      () => null,
      (error: unknown) => error,
    )
    watch.stop()
    if (error === null) return
    const blocker = codeOf(error) === LOCK_NOT_AVAILABLE ? (watch.blocker() ?? (await findOldest(alone))) : null
    await removeUnusable(alone, index, waiting.lockTimeout)
    if (codeOf(error) !== LOCK_NOT_AVAILABLE && codeOf(error) !== DEADLOCK) throw error
    if (codeOf(error) === LOCK_NOT_AVAILABLE || Date.now() >= deadline) {
      const who = blocker ? describeBlocker(blocker) : 'older transactions'
      throw new AdapterError(`gave up after ${waiting.giveUpAfter} s of waiting for ${who}. ${endIt(blocker)}`)
    }
    await sleep(1000)
  }
}

/** The next run removes it if this one cannot: somebody may still be in the way. */
async function removeUnusable(alone: Connection, { place, name }: ConcurrentIndex, seconds: number): Promise<void> {
  const unusable = await alone.dialect.unusableIndexesOf(alone.db, place)
  const leftover = unusable.find((index) => index.name === name)
  await setLockTimeout(alone, seconds)
  await leftover?.drop.execute(alone.db).catch(() => {})
}

/** The transaction that has had a snapshot for longest. */
async function findOldest({ sql, db }: Connection): Promise<Blocker | null> {
  const { rows } = await sql<Record<keyof Blocker, unknown>>`
    select pid, extract(epoch from clock_timestamp() - xact_start)::float8 as seconds, state from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and backend_xmin is not null
    order by xact_start limit 1`.execute(db)
  return rows[0] ? toBlocker(rows[0]) : null
}

/**
 * Tells now and then how far an index is. It asks on another connection, and nobody waits for the answer: a pool of one connection gives it only when the
 * index is done.
 */
function watchIndex({ sql }: Connection, outside: Database, tell: Tell, pid: number) {
  let isOver = false
  let isAsking = false
  let told = ''
  let blocker: Blocker | null = null
  const ask = async () => {
    const { rows } = await sql<Record<keyof Blocker | 'phase' | 'done' | 'total', unknown>>`
      select p.phase, p.current_locker_pid as pid, extract(epoch from clock_timestamp() - a.xact_start)::float8 as seconds, a.state,
        case when p.blocks_total > 0 then p.blocks_done when p.tuples_total > 0 then p.tuples_done else p.lockers_done end as done,
        case when p.blocks_total > 0 then p.blocks_total when p.tuples_total > 0 then p.tuples_total else 0 end as total
      from pg_stat_progress_create_index p left join pg_stat_activity a on a.pid = p.current_locker_pid and p.current_locker_pid <> 0
      where p.pid = ${pid}`.execute(outside)
    const row = rows[0]
    if (isOver || !row) return
    const isWaiting = String(row.phase).startsWith('waiting') && Number(row.pid) > 0
    blocker = isWaiting ? toBlocker(row) : null
    const share = Number(row.total) > 0 ? `: ${Math.floor((100 * Number(row.done)) / Number(row.total))} %` : ''
    const note = blocker ? `waiting for ${describeBlocker(blocker)}; nobody waits behind it` : `${row.phase}${share}`
    if (note !== told) tell(note)
    told = note
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
      isOver = true
      clearInterval(timer)
    },
  }
}
