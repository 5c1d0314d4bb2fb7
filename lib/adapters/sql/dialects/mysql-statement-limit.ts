import type { Database, SqlTag } from './dialect.js'

/**
 * Sets a limit for the statements of a connection. Gives a function that restores the limit. Servers without such a
 * limit are left alone.
 */
export async function limitStatements(sql: SqlTag, db: Database, limitMs: number): Promise<() => Promise<void>> {
  const set = async (ms: number) => {
    await sql.raw(setStatementLimit(ms)).execute(db)
  }
  const before = await sql<{ ms: unknown }>`select ${sql.raw(STATEMENT_LIMIT_MS)} as ${sql.id('ms')}`
    .execute(db)
    .then(({ rows }) => Number(rows[0]?.ms))
    .catch(() => null)
  if (before === null || Number.isNaN(before)) return async () => {}
  await set(limitMs === Number.POSITIVE_INFINITY ? 0 : Math.ceil(limitMs))
  return () => set(before)
}

/** How long a statement may take in this session. Each of the two servers reads the part of the other as a comment. */
const STATEMENT_LIMIT_MS = '/*!50708 @@session.max_execution_time *//*M!100101 @@session.max_statement_time * 1000 */'

/** The statement that sets this limit. In MySQL it applies to `select` only. */
export const setStatementLimit = (ms: number): string =>
  `set session /*!50708 max_execution_time=${ms} *//*M!100101 max_statement_time=${ms / 1000} */`
