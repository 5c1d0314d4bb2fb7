import type { Database } from './dialects/dialect.js'

/** The errors that were thrown because the driver has no transactions. Then nothing was sent. */
const withoutTransactions = new WeakSet<object>()

/** Whether {@link inTransaction} failed because the driver has no transactions. Then nothing was done. */
export const isWithoutTransactions = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && withoutTransactions.has(error)

/** Runs statements as one transaction. */
export async function inTransaction<Result>(
  db: Database,
  action: (transaction: Database) => Promise<Result>,
): Promise<Result> {
  let hasBegun = false
  try {
    return await db.transaction().execute((transaction) => {
      hasBegun = true
      return action(transaction)
    })
  } catch (error) {
    if (!hasBegun && error instanceof Error && SAYS_SO.test(error.message)) withoutTransactions.add(error)
    throw error
  }
}

/** Dialects over HTTP, such as those of D1 and Neon, have no transactions, and say so when one begins. */
const SAYS_SO = /\btransactions? .*not supported|not support.* transactions?\b/i
