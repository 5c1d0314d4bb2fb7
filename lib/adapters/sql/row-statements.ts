import type { RawBuilder } from 'kysely'
import { AdapterError } from '../../kernel/errors.js'
import type { Connection } from './connect.js'
import type { Database } from './dialects/dialect.js'
import { isDuplicate } from './faults.js'
import { MODELS, type ModelName } from './models.js'
import type { Lookup, Row, Table } from './table.js'

/*
 * Statements on the rows of one table, for a connection or a transaction.
 */

/** Rows of a table, in the database in which they are. */
export interface Place {
  readonly connection: Connection
  readonly table: Table
  readonly condition: RawBuilder<boolean>
}

export async function findIn(
  db: Database,
  { sql }: Connection,
  table: Table,
  condition: RawBuilder<boolean>,
  lock = false,
) {
  const { rows } = await sql<Row>`
    select ${table.selection()} from ${table.reference} where ${condition}${lock ? sql` for update` : sql``}`.execute(
    db,
  )
  return rows.map((row) => table.read(row))
}

export async function insertIn(db: Database, connection: Connection, model: ModelName, table: Table, members: Row) {
  const { sql, dialect } = connection
  const { key } = MODELS[model]
  // Where the database numbers the rows, it chooses the key.
  const isNumbered = (member: string) => key.includes(member) && table.columns.get(member)?.column.filled === true
  const given = Object.fromEntries(Object.entries(members).filter(([member]) => !isNumbered(member)))
  const statement = insertion(connection, table, given)
  if (dialect.returning.insert) {
    const { rows } = await sql<Row>`${statement} returning ${table.selection()}`.execute(db)
    const row = table.read(rows[0] ?? {})
    const lookup = Object.fromEntries(key.map((member) => [member, row[member]]))
    return mendDates(db, connection, table, lookup, given, row)
  }
  const { insertId } = await statement.execute(db)
  const lookup = Object.fromEntries(key.map((member) => [member, given[member] ?? insertId]))
  const condition = table.matching(lookup)
  const [row] = condition ? await findIn(db, connection, table, condition) : []
  if (!row) throw new AdapterError('The row was gone as soon as it was written.')
  return mendDates(db, connection, table, lookup, given, row)
}

/** Inserts a row, or leaves the row that has the same key as it is. */
export async function insertMissingIn(
  db: Database,
  connection: Connection,
  model: ModelName,
  table: Table,
  members: Row,
): Promise<void> {
  const { sql, dialect } = connection
  const { key } = MODELS[model]
  if (dialect.skipsDuplicates) {
    const columns = sql.join(key.map((member) => table.column(member)))
    await sql`${insertion(connection, table, members)} on conflict (${columns}) do nothing`.execute(db)
    return
  }
  try {
    await insertIn(db, connection, model, table, members)
  } catch (error) {
    const condition = table.matching(Object.fromEntries(key.map((member) => [member, members[member]])))
    // Another unique column may have the duplicate.
    const isThere = isDuplicate(error) && condition && (await findIn(db, connection, table, condition)).length > 0
    if (!isThere) throw error
  }
}

function insertion({ sql }: Connection, table: Table, members: Row): RawBuilder<unknown> {
  const written = table.write(members)
  const columns = sql.join(
    written.map(([column]) => column),
    sql`, `,
  )
  const values = sql.join(
    written.map(([, value]) => value),
    sql`, `,
  )
  return sql`insert into ${table.reference} (${columns}) values (${values})`
}

/**
 * Writes dates again, in UTC, if they were read as other dates. In the hour that clocks repeat in autumn, a column in
 * the time zone of the session can take one of the two times for the other.
 */
export async function mendDates(
  db: Database,
  connection: Connection,
  table: Table,
  lookup: Lookup,
  members: Row,
  row: Row,
): Promise<Row> {
  const { sql, dialect } = connection
  const wrong = Object.keys(members).filter((member) => isTurned(members[member], row[member]))
  const condition = table.matching(lookup)
  if (wrong.length === 0 || !condition || !dialect.inUtc) return row
  const meant = Object.fromEntries(wrong.map((member) => [member, members[member]]))
  // Only if nobody else has changed them meanwhile.
  const read = table.write(Object.fromEntries(wrong.map((member) => [member, row[member]])))
  const unchanged = sql.join([condition, ...read.map(([column, value]) => sql`${column} = ${value}`)], sql` and `)
  return dialect.inUtc(db, async (inUtc) => {
    const written = assignments(connection, table.write(meant))
    await sql`update ${table.reference} set ${written} where ${unchanged}`.execute(inUtc)
    const [mended] = await findIn(inUtc, connection, table, condition)
    return mended ?? row
  })
}

export async function takeIn(db: Database, connection: Connection, table: Table, condition: RawBuilder<boolean>) {
  const { sql, dialect } = connection
  if (dialect.returning.delete) {
    const { rows } = await sql<Row>`
      delete from ${table.reference} where ${condition} returning ${table.selection()}`.execute(db)
    return rows[0] ? table.read(rows[0]) : null
  }
  const [row] = await findIn(db, connection, table, condition, true)
  if (row) await deleteIn(db, connection, table, condition)
  return row ?? null
}

/**
 * Writes columns of the rows that match.
 *
 * @returns whether there was such a row, and the row after the change where the engine gives it
 */
export async function updateIn(
  { connection, table, condition }: Place,
  written: readonly [RawBuilder<unknown>, unknown][],
): Promise<{ readonly isChanged: boolean; readonly row?: Row }> {
  const { sql, db, dialect } = connection
  const statement = sql`update ${table.reference} set ${assignments(connection, written)} where ${condition}`
  if (!dialect.returning.update) return { isChanged: Boolean((await statement.execute(db)).numAffectedRows) }
  const [row] = (await sql<Row>`${statement} returning ${table.selection()}`.execute(db)).rows
  return row ? { isChanged: true, row: table.read(row) } : { isChanged: false }
}

export const deleteIn = (db: Database, { sql }: Connection, table: Table, condition: RawBuilder<boolean>) =>
  sql`delete from ${table.reference} where ${condition}`.execute(db)

export const assignments = ({ sql }: Connection, written: readonly [RawBuilder<unknown>, unknown][]) =>
  sql.join(
    written.map(([column, value]) => sql`${column} = ${value}`),
    sql`, `,
  )

const QUARTER_MS = 15 * 60 * 1000
const LARGEST_TURN = 12
const ROUNDING_MS = 1000

/**
 * Whether a date was read as another date because clocks were changed in between: then the two differ by quarters of an
 * hour, and by three hours at most.
 */
export function isTurned(written: unknown, read: unknown): boolean {
  if (!(written instanceof Date && read instanceof Date)) return false
  const quarters = Math.round(Math.abs(written.getTime() - read.getTime()) / QUARTER_MS)
  const rest = Math.abs(Math.abs(written.getTime() - read.getTime()) - quarters * QUARTER_MS)
  return quarters > 0 && quarters <= LARGEST_TURN && rest <= ROUNDING_MS
}
