import { setTimeout as sleep } from 'node:timers/promises'
import type { Connection } from '../connect.js'
import type { ConcurrentIndex, Step } from '../migrations/step.js'
import type { Report, Waiting } from './ddl-runner.js'
import {
  type BlockerRow,
  backendOf,
  findOldestSnapshot,
  howToEnd,
  isBlocked,
  isLockTimeout,
  setLockTimeout,
  toBlocker,
} from './postgres-blockers.js'
import { type Blocker, describeBlocker, gaveUp } from './wait-for-locks.js'

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
export async function makeIndexConcurrently(
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
  const unusable = await connection.dialect.unusableIndexesOf(connection.db, place)
  const leftover = unusable.find((index) => index.name === name)
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
    blocker = isWaiting ? toBlocker(row) : null
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
