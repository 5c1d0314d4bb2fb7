import type { RawBuilder } from 'kysely'
import { isError } from '../../kernel/describe-value.js'
import type { DeleteExpiredOptions, ExpiredReport } from '../adapter.js'
import { COUNTED_AS, MARGIN_MS, PERISHABLE, type Perishable, type Pruning, startPruning } from '../expired.js'
import type { Connection } from './connect.js'
import { type Column, type Database, EARLIEST_END } from './dialects/dialect.js'
import { attempt } from './faults.js'
import { MODELS, type SqlNames, tableName } from './models.js'
import type { SqlStore } from './store.js'
import type { Table } from './table.js'

/** One table whose expired rows are deleted. */
interface Work {
  readonly connection: Connection
  readonly table: Table
  readonly model: Perishable
  readonly end: RawBuilder<unknown>
  readonly definition: Column
  readonly isIndexed: boolean
  /** Runs a statement that looks at many rows. */
  run<Result>(action: (db: Database) => Promise<Result>): Promise<Result>
}

/**
 * How long one batch or one count of rows may take, in milliseconds. A batch looks at thousands of rows, and no visitor
 * waits for it. So its limit is much longer than that of a look-up, but a server that hangs is still noticed.
 */
export const BATCH_MS = 5 * 60 * 1000

/**
 * Deletes expired sessions and expired tokens of links, a batch at a time. The statement that deletes a row has the
 * expiry in its condition, so a session that is renewed at that moment stays.
 *
 * @param limitMs how long the server may work on one batch; `Infinity` for no limit
 * @throws {AdapterError} with the number of rows that were deleted before
 */
export async function deleteExpiredRows(
  store: SqlStore,
  names: SqlNames,
  options: DeleteExpiredOptions = {},
  limitMs = Number.POSITIVE_INFINITY,
): Promise<ExpiredReport> {
  const pruning = startPruning(options)
  const step = <Result>(action: () => Promise<Result>): Promise<Result> =>
    attempt('deleteExpired', [], action).catch((error) => {
      throw pruning.failure(error)
    })
  if (pruning.isStopped()) return pruning.report()
  const works = await step(() => openTables(store, names, pruning, limitMs))
  const before = new Date((await step(() => earlierClock(works, pruning))) - MARGIN_MS)
  for (const work of works) await deleteRows(work, before, pruning, step)
  return pruning.report()
}

type StepRunner = <Result>(action: () => Promise<Result>) => Promise<Result>

async function deleteRows(work: Work, before: Date, pruning: Pruning, step: StepRunner): Promise<void> {
  const { model, table, connection, end, definition, isIndexed } = work
  const { dialect } = connection
  const key = MODELS[model].key.map((member) => table.column(member))
  const order = isIndexed ? end : null
  let from = EARLIEST_END
  while (!pruning.isStopped()) {
    const condition = dialect.endsBetween(end, definition, from, before)
    if (!condition) {
      pruning.hint(
        `The column "${definition.name}" of ${model} is of the type ${definition.type}, by which expired rows cannot be found.`,
      )
      break
    }
    const read = dialect.readDate(end, definition)
    const statement = { table: table.reference, key, condition, limit: pruning.batchSize, order, end: read }
    if (pruning.dryRun) {
      pruning.add({ [COUNTED_AS[model]]: await step(() => countRows(work, condition)) })
      await tryWithoutRows(work, (db) => dialect.deleteSome({ ...statement, limit: 0, db }), pruning)
      break
    }
    const began = Date.now()
    const { found, deleted, ends } = await step(() => work.run((db) => dialect.deleteSome({ ...statement, db })))
    if (deleted > 0) pruning.add({ [COUNTED_AS[model]]: deleted })
    if (found < pruning.batchSize) break
    // Deleted rows stay in an index for a while. Without this, each batch would read all deleted rows of the batches
    // before it.
    if (order && dialect.isDate(definition)) from = latest(ends, from)
    await pruning.pause(Date.now() - began)
  }
  // A record may have no end.
  if (pruning.isStopped() || model === 'records') return
  pruning.addUnreadable(await step(() => countRows(work, dialect.isNoEnd(end, definition))))
}

/** Runs the statements of a deletion for no rows: a server checks the rights of its user before it looks for rows. */
async function tryWithoutRows(
  { connection, table, model, run }: Work,
  deleteNone: (db: Database) => Promise<unknown>,
  pruning: Pruning,
): Promise<void> {
  const { sql } = connection
  const deleteNever = sql`delete from ${table.reference} where 1 = 0`
  try {
    await attempt('deleteExpired', [], () => run(deleteNone))
    await attempt('deleteExpired', [], () => run((db) => deleteNever.execute(db)))
  } catch (error) {
    pruning.hint(`Rows of ${model} could not be deleted: ${isError(error) ? error.message : 'it failed.'}`)
  }
}

function latest(ends: readonly unknown[], otherwise: Date): Date {
  const last = Math.floor(ends.reduce<number>((most, end) => Math.max(most, Number(end)), otherwise.getTime()))
  return Number.isFinite(last) ? new Date(last) : otherwise
}

async function countRows({ connection, table, run }: Work, condition: RawBuilder<boolean>): Promise<number> {
  const { sql } = connection
  const count = sql<{ amount: unknown }>`select count(*) as amount from ${table.reference} where ${condition}`
  const { rows } = await run((db) => count.execute(db))
  return Number(rows[0]?.amount ?? 0)
}

/**
 * Opens the tables. Some of them may be missing, because the application mails no links, or keeps its sessions in
 * cookies and cannot revoke them. A table that has a name in the options must exist.
 */
async function openTables(store: SqlStore, names: SqlNames, pruning: Pruning, limitMs: number): Promise<Work[]> {
  const connection = await store.connect()
  const { db, dialect } = connection
  const run: Work['run'] = (action) => dialect.withStatementLimit(db, limitMs, action)
  const works: Work[] = []
  const absent: Perishable[] = []
  for (const model of PERISHABLE) {
    const place = { schema: names.schema, table: tableName(model, names) }
    if (names.tables?.[model] === undefined && (await dialect.columnsOf(db, place)).length === 0) {
      absent.push(model)
      continue
    }
    const table = await store.open(connection, model)
    const definition = table.columns.get('expires')?.column
    if (!definition) continue
    const indexes = await dialect.indexesOf(db, place)
    const isIndexed = indexes.some(({ columns }) => columns[0] === definition.name)
    if (!isIndexed) {
      pruning.hint(
        `There is no index on ${place.table} (${definition.name}), so each batch looks through the table: "npx latchkey migrate up" makes it.`,
      )
    }
    works.push({ connection, table, model, end: table.column('expires'), definition, isIndexed, run })
  }
  if (works.length === 0 && absent[0]) await store.open(connection, absent[0])
  return works
}

/**
 * The time of the server or of this process, whichever is earlier: a clock that is ahead would delete sessions that
 * have not expired.
 */
async function earlierClock([work]: readonly Work[], pruning: Pruning): Promise<number> {
  const own = Date.now()
  if (!work) return own
  const { sql, db, dialect } = work.connection
  const { rows } = await sql<{ now: unknown }>`select ${dialect.clock} as now`.execute(db)
  const server = Number(rows[0]?.now)
  if (!Number.isFinite(server)) return own
  const minutes = Math.round(Math.abs(server - own) / 60_000)
  if (minutes >= 2) {
    pruning.hint(
      `The clocks of the database and of this process differ by ${minutes} minutes; the clock that is behind counts.`,
    )
  }
  return Math.min(own, server)
}
