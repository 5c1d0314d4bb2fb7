import type { RawBuilder } from 'kysely'
import { isError } from '../../../kernel/describe-value.js'
import { type Batch, type Database, type DeletedBatch, inTransaction, type SqlTag } from './dialect.js'

/**
 * Deletes some of the rows that match. The search takes no locks: a search with locks would lock all rows that it
 * reads.
 *
 * @param skipsLocked whether the server knows `for update skip locked`
 */
export async function deleteSome(
  sql: SqlTag,
  { db, table, key, condition, limit, order, end }: Batch,
  skipsLocked: boolean,
): Promise<DeletedBatch> {
  const columns = key.map((column, index) => sql`${column} as ${sql.id(`key${index}`)}`)
  const chosen = sql.join([...columns, sql`${end} as ${sql.id('end')}`])
  for (let window = limit; ; window += limit) {
    const { rows } = await sql<KeyRow>`
      select ${chosen} from ${table} where ${condition}
      ${order ? sql`order by ${order}` : sql``} limit ${sql.lit(window)}`.execute(db)
    const deleted = await deleteUnlocked(sql, { db, table, key, condition, rows }, skipsLocked)
    const found = rows.length - (window - limit)
    if (deleted > 0 || found < limit || rows.length === 0)
      return { found, deleted, ends: rows.map((row) => row['end']) }
    // Other transactions use all of these rows. There may be more rows after them.
  }
}

/** The key of a row. Its columns are called `key0`, `key1` and so on. */
type KeyRow = Record<string, unknown>

/** Rows that were found a moment ago, and are to be deleted if they still match. */
interface Found extends Pick<Batch, 'db' | 'table' | 'key' | 'condition'> {
  readonly rows: readonly KeyRow[]
}

const areRows = (sql: SqlTag, key: Found['key'], rows: readonly KeyRow[]): RawBuilder<boolean> => {
  const each = rows.map((row) => {
    const parts = key.map((column, index) => sql`${column} = ${row[`key${index}`]}`)
    return sql`(${sql.join(parts, sql` and `)})`
  })
  return sql<boolean>`(${sql.join(each, sql` or `)})`
}

/**
 * Deletes the rows that no other transaction uses. A server that cannot skip locked rows may refuse several rows; then it
 * is asked for each half of them. Gives how many were deleted.
 */
async function deleteUnlocked(sql: SqlTag, found: Found, skipsLocked: boolean): Promise<number> {
  const { db, table, key, condition, rows } = found
  if (rows.length === 0) return 0
  const columns = sql.join(key.map((column, index) => sql`${column} as ${sql.id(`key${index}`)}`))
  try {
    const deleteLocked = async (transaction: Database) => {
      const locked = await sql<KeyRow>`
        select ${columns} from ${table} where ${areRows(sql, key, rows)} and ${condition}
        for update ${sql.raw(skipsLocked ? 'skip locked' : 'nowait')}`.execute(transaction)
      return deleteRows(sql, { ...found, db: transaction, rows: locked.rows })
    }
    return await inTransaction(db, deleteLocked, () => deleteRows(sql, found))
  } catch (error) {
    if (skipsLocked || !isLocked(error)) throw error
    if (rows.length === 1) return 0
    const half = Math.ceil(rows.length / 2)
    const first = await deleteUnlocked(sql, { ...found, rows: rows.slice(0, half) }, skipsLocked)
    return first + (await deleteUnlocked(sql, { ...found, rows: rows.slice(half) }, skipsLocked))
  }
}

async function deleteRows(sql: SqlTag, { db, table, key, condition, rows }: Found): Promise<number> {
  let deleted = 0
  // One row at a time: a statement for many rows may read the whole table, and wait for other rows.
  for (const row of rows) {
    const deletion = sql`delete from ${table} where ${areRows(sql, key, [row])} and ${condition}`
    const { numAffectedRows } = await deletion.execute(db)
    deleted += Number(numAffectedRows ?? 0)
  }
  return deleted
}

/** Whether MariaDB or MySQL refused a statement with `nowait`. */
const isLocked = (error: unknown): boolean =>
  isError(error) && 'code' in error && /^ER_LOCK_(?:WAIT_TIMEOUT|NOWAIT)$/.test(String(error.code))

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
