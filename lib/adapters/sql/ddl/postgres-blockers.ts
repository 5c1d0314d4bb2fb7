import { AdapterError } from '../../../kernel/errors.js'
import type { Connection } from '../connect.js'
import { regclass } from '../dialects/postgres.js'
import { codeOf } from '../faults.js'
import type { Step } from '../migrations/step.js'
import type { Blocker } from './wait-for-locks.js'

const LOCK_NOT_AVAILABLE = '55P03'
const DEADLOCK = '40P01'

export const isLockTimeout = (error: unknown): boolean => codeOf(error) === LOCK_NOT_AVAILABLE

/** Whether a statement failed because of a lock, and can be tried again. */
export const isBlocked = (error: unknown): boolean => isLockTimeout(error) || codeOf(error) === DEADLOCK

export type BlockerRow = Record<keyof Blocker, unknown>

export const toBlocker = ({ pid, seconds, state }: BlockerRow): Blocker => ({
  pid: pid === null ? null : Number(pid),
  seconds: seconds === null ? null : Number(seconds),
  state: typeof state === 'string' ? state : null,
})

const firstBlocker = (rows: readonly BlockerRow[]): Blocker | null => (rows[0] ? toBlocker(rows[0]) : null)

/** What the administrator can do about a blocker. */
export const howToEnd = (blocker: Blocker | null): string => {
  const pid = blocker?.pid ?? null
  const how = pid === null ? 'End the transaction that is in the way' : `End it: select pg_terminate_backend(${pid})`
  return `${how}. Then run the migration again: it goes on where it stopped.`
}

/**
 * A transaction that has held a lock of the table for longer than the step may wait, so that the step should not begin.
 */
export async function findBlocker({ sql, db }: Connection, { locks }: Step, seconds: number): Promise<Blocker | null> {
  if (!locks) return null
  // A transaction that only reads does not block the creation of a table that refers to this one.
  const harmless = locks.blocks === 'writes' ? ['AccessShareLock', 'RowShareLock'] : []
  const { rows } = await sql<BlockerRow>`
    select l.pid, extract(epoch from clock_timestamp() - a.xact_start)::float8 as seconds, a.state
    from pg_locks l left join pg_stat_activity a on a.pid = l.pid
    where l.locktype = 'relation' and l.granted and l.pid is distinct from pg_backend_pid()
      and a.backend_type is distinct from 'autovacuum worker'
      and l.database = (select oid from pg_database where datname = current_database())
      and l.relation = to_regclass(${regclass(locks.place)}) and l.mode <> all(${`{${harmless.join()}}`}::text[])
      and (l.pid is null or a.xact_start < clock_timestamp() - ${seconds}::float8 * interval '1 s')
    order by a.xact_start limit 1`.execute(db)
  return firstBlocker(rows)
}

/** The oldest transaction with a lock that lets nobody read a table. */
export async function findExclusiveLock({ sql, db }: Connection): Promise<Blocker | null> {
  const { rows } = await sql<BlockerRow>`
    select l.pid, extract(epoch from clock_timestamp() - a.xact_start)::float8 as seconds, a.state
    from pg_locks l left join pg_stat_activity a on a.pid = l.pid
    where l.locktype = 'relation' and l.granted and l.mode = 'AccessExclusiveLock'
      and l.pid is distinct from pg_backend_pid()
      and l.database = (select oid from pg_database where datname = current_database())
    order by a.xact_start limit 1`.execute(db)
  return firstBlocker(rows)
}

/** The transaction with the oldest snapshot. */
export async function findOldestSnapshot({ sql, db }: Connection): Promise<Blocker | null> {
  const { rows } = await sql<BlockerRow>`
    select pid, extract(epoch from clock_timestamp() - xact_start)::float8 as seconds, state from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and backend_xmin is not null
    order by xact_start limit 1`.execute(db)
  return firstBlocker(rows)
}

/** The process of the server that serves a connection. Locks and settings belong to it. */
export async function backendOf({ sql, db }: Connection): Promise<number> {
  const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db)
  return Number(rows[0]?.pid)
}

/** @throws {AdapterError} when another process of the server serves the connection now */
export async function requireBackend(connection: Connection, backend: number): Promise<void> {
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
export async function removeStatementLimit({ sql, db }: Connection): Promise<() => Promise<void>> {
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

export const setLockTimeout = ({ sql, db }: Connection, seconds: number) =>
  sql`select set_config('lock_timeout', ${`${Math.ceil(seconds * 1000)}ms`}, false)`.execute(db)
