import type { Connection } from '../connect.js'
import type { Step } from '../migrations/step.js'
import type { Waiting } from './ddl-runner.js'
import { lockingRunner } from './locking-runner.js'
import {
  backendOf,
  findBlocker,
  findExclusiveLock,
  howToEnd,
  isBlocked,
  removeStatementLimit,
  requireBackend,
  setLockTimeout,
} from './postgres-blockers.js'
import { makeIndexConcurrently } from './postgres-concurrent-index.js'
import { retryForResult, retryUntilDone } from './wait-for-locks.js'

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
        else await changeTable(connection, step, waiting)
      },
      repeat: (action, waiting) => repeat(connection, action, waiting),
    }
  },
})

/** Runs a step that is done at once when it has its lock. All others wait behind it while it waits for the lock. */
async function changeTable(connection: Connection, step: Step, waiting: Waiting): Promise<void> {
  await setLockTimeout(connection, waiting.lockTimeout)
  await retryUntilDone({
    ...waiting,
    what: `transactions that use ${step.locks?.place.table ?? 'the database'}`,
    fix: howToEnd,
    findBlocker: () => findBlocker(connection, step, waiting.lockTimeout),
    attempt: () =>
      step.statement.execute(connection.db).then(
        () => true,
        (error) => {
          if (isBlocked(error)) return false
          throw error
        },
      ),
  })
}

async function repeat<Result>(
  connection: Connection,
  action: () => Promise<Result>,
  waiting: Waiting,
): Promise<Result> {
  await setLockTimeout(connection, waiting.lockTimeout)
  const attempts = {
    ...waiting,
    what: 'transactions that keep a table to themselves',
    fix: howToEnd,
    findSuspect: () => findExclusiveLock(connection),
  }
  return retryForResult(attempts, action, isBlocked)
}
