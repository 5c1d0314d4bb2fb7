import type { RawBuilder } from 'kysely'
import { AdapterError } from '../../kernel/errors.js'
import { type AccountChanges, type AccountExpectation, CHANGING_ACCOUNT_MEMBERS } from '../adapter.js'
import type { Connection } from './connect.js'
import type { Column } from './dialects/dialect.js'
import { isDuplicate } from './faults.js'
import type { ModelName, RowOf } from './models.js'
import type { Row, Table } from './table.js'

/*
 * Statements on the rows of one table, for a connection or a transaction.
 */

/** Rows of a table, in the database or the transaction in which they are. */
export interface Place<Name extends ModelName = ModelName> {
  readonly connection: Connection
  readonly table: Table<Name>
  readonly condition: RawBuilder<boolean>
}

/** A row as the adapter gives it. Columns that the application added are among its members. */
type Read<Name extends ModelName> = RowOf[Name] & Row

/** @param end the end of the statement: an order, or a lock */
export async function findIn<Name extends ModelName>(
  { connection, table, condition }: Place<Name>,
  end?: RawBuilder<unknown>,
): Promise<Read<Name>[]> {
  const { sql, db } = connection
  const statement = sql<Row>`select ${table.selection()} from ${table.reference} where ${condition}`
  const { rows } = await (end ? sql<Row>`${statement} ${end}` : statement).execute(db)
  return rows.map((row) => table.read(row))
}

export async function insertIn<Name extends ModelName>(
  connection: Connection,
  table: Table<Name>,
  members: Row,
): Promise<Read<Name>> {
  const { sql, db, dialect } = connection
  const { key } = table
  // Where the database numbers the rows, it chooses the key.
  const isNumbered = (member: string) => key.includes(member) && table.columns.get(member)?.column.filled === true
  const given = Object.fromEntries(Object.entries(members).filter(([member]) => !isNumbered(member)))
  const statement = insertion(connection, table, given)
  const isReturned = dialect.returning.insert
  const { rows, insertId } = await (isReturned
    ? sql<Row>`${statement} returning ${table.selection()}`
    : statement
  ).execute(db)
  const returned = isReturned ? table.read(rows[0] ?? {}) : null
  const condition = table.matching(Object.fromEntries(key.map((name) => [name, (returned ?? given)[name] ?? insertId])))
  const row = returned ?? (condition ? (await findIn({ connection, table, condition }))[0] : undefined)
  if (!row) throw new AdapterError('The row was gone as soon as it was written.')
  return condition ? mendDates({ connection, table, condition }, given, row) : row
}

/** Inserts a row, or leaves the row that has the same key as it is. Gives whether it has inserted it. */
export async function insertMissingIn(connection: Connection, table: Table, members: Row): Promise<boolean> {
  const { sql, db, dialect } = connection
  const { key } = table
  if (dialect.skipsDuplicates) {
    const columns = sql.join(key.map((member) => table.column(member)))
    const statement = sql`${insertion(connection, table, members)} on conflict (${columns}) do nothing returning ${columns}`
    return (await statement.execute(db)).rows.length > 0
  }
  try {
    await insertIn(connection, table, members)
    return true
  } catch (error) {
    const condition = table.matching(Object.fromEntries(key.map((member) => [member, members[member]])))
    // Another unique column may have the duplicate.
    const isThere = isDuplicate(error) && condition && (await findIn({ connection, table, condition })).length > 0
    if (!isThere) throw error
    return false
  }
}

function insertion({ sql }: Connection, table: Table, members: Row): RawBuilder<Row> {
  const written = table.write(members)
  const columns = sql.join(written.map(([column]) => column))
  const values = sql.join(written.map(([, value]) => value))
  return sql<Row>`insert into ${table.reference} (${columns}) values (${values})`
}

/**
 * Writes dates again, in UTC, if they were read as other dates. In the hour that clocks repeat in autumn, a column in
 * the time zone of the session can take one of the two times for the other.
 *
 * @param place where the row is now
 */
export async function mendDates<Name extends ModelName>(
  place: Place<Name>,
  members: Row,
  row: Read<Name>,
): Promise<Read<Name>> {
  const { connection, table, condition } = place
  const { sql, db, dialect } = connection
  const wrong = Object.keys(members).filter((member) => isTurned(members[member], row[member]))
  if (wrong.length === 0 || !dialect.inUtc) return row
  const meant = Object.fromEntries(wrong.map((member) => [member, members[member]]))
  // Only if nobody else has changed them meanwhile.
  const read = table.write(Object.fromEntries(wrong.map((member) => [member, row[member]])))
  const unchanged = sql.join([condition, ...read.map(([column, value]) => sql`${column} = ${value}`)], sql` and `)
  return dialect.inUtc(db, async (inUtc) => {
    const written = assignments(connection, table.write(meant))
    await sql`update ${table.reference} set ${written} where ${unchanged}`.execute(inUtc)
    const [mended] = await findIn({ ...place, connection: { ...connection, db: inUtc } })
    return mended ?? row
  })
}

/** Deletes a row and gives it. Where the engine gives no deleted rows, the place must be in a transaction. */
export async function takeIn<Name extends ModelName>(place: Place<Name>): Promise<Read<Name> | null> {
  const { connection, table, condition } = place
  const { sql, db, dialect } = connection
  if (dialect.returning.delete) {
    const { rows } = await sql<Row>`
      delete from ${table.reference} where ${condition} returning ${table.selection()}`.execute(db)
    return rows[0] ? table.read(rows[0]) : null
  }
  const [row] = await findIn(place, sql`for update`)
  if (row) await deleteIn(place)
  return row ?? null
}

/**
 * Writes columns of the rows that match.
 *
 * @returns whether there was such a row, and the row after the change where the engine gives it
 */
export async function updateIn<Name extends ModelName>(
  { connection, table, condition }: Place<Name>,
  written: readonly [RawBuilder<unknown>, unknown][],
): Promise<{ readonly isChanged: boolean; readonly row?: Read<Name> }> {
  const { sql, db, dialect } = connection
  const statement = sql`update ${table.reference} set ${assignments(connection, written)} where ${condition}`
  if (!dialect.returning.update) return { isChanged: Boolean((await statement.execute(db)).numAffectedRows) }
  const [row] = (await sql<Row>`${statement} returning ${table.selection()}`.execute(db)).rows
  return row ? { isChanged: true, row: table.read(row) } : { isChanged: false }
}

export const deleteIn = ({ connection: { sql, db }, table, condition }: Place) =>
  sql`delete from ${table.reference} where ${condition}`.execute(db)

const assignments = ({ sql }: Connection, written: readonly [RawBuilder<unknown>, unknown][]) =>
  sql.join(written.map(([column, value]) => sql`${column} = ${value}`))

const QUARTER_MS = 15 * 60 * 1000
const LARGEST_TURN = 12
const ROUNDING_MS = 1000

/**
 * Whether a date was read as another date because clocks were changed in between: then the two differ by quarters of an
 * hour, and by three hours at most.
 */
function isTurned(written: unknown, read: unknown): boolean {
  if (!(written instanceof Date && read instanceof Date)) return false
  const difference = Math.abs(written.getTime() - read.getTime())
  const quarters = Math.round(difference / QUARTER_MS)
  const rest = Math.abs(difference - quarters * QUARTER_MS)
  return quarters > 0 && quarters <= LARGEST_TURN && rest <= ROUNDING_MS
}

/**
 * Changes members of an account in one statement, if others have the expected values.
 *
 * @returns whether there is such an account with these values
 * @throws {AdapterError} when a value has no room in its column, or a lease has no column
 */
export async function changeAccountIn(
  place: Place,
  given: AccountChanges,
  expected: AccountExpectation = {},
): Promise<boolean> {
  const { connection, table } = place
  const { sql, dialect } = connection
  const expectation = table.holding({ ...expected })
  const changes = accountChangesFor(table, given)
  if (!expectation) return false
  const condition = sql<boolean>`${place.condition} and ${expectation}`
  const isThere = async (condition: RawBuilder<boolean>) => (await findIn({ ...place, condition })).length > 0
  const written = table.write(changes)
  if (written.length === 0) return isThere(condition)
  const { isChanged } = await updateIn({ ...place, condition }, written)
  if (isChanged || dialect.returning.update) return isChanged
  // MySQL may count only rows whose values have changed. A row that is as expected, and has all new values, too, need
  // not change: then the change is made at this moment.
  const after = table.holding(changes)
  return after !== null && (await isThere(sql<boolean>`${condition} and ${after}`))
}

/** The members that may change and have a column. */
function accountChangesFor(table: Table, given: AccountChanges): Row {
  const changes: Row = {}
  for (const member of CHANGING_ACCOUNT_MEMBERS) {
    const value = given[member]
    if (value === undefined) continue
    const column = table.columns.get(member)?.column
    if (column) {
      requireRoom(column, value)
      changes[member] = value
    } else if (member === 'tokenLease' && value !== null) {
      // Throws: if the lease were dropped, as other members are, two processes would have it.
      table.column(member)
    }
  }
  return changes
}

/** In some modes, MySQL cuts a text that is too long. */
function requireRoom({ name, type, length }: Column, value: unknown): void {
  if (length === null || typeof value !== 'string') return
  const size = type.endsWith('text') ? Buffer.byteLength(value) : [...value].length
  if (size <= length) return
  throw new AdapterError(
    `The column "${name}" of the accounts holds ${length} characters, and a value has more: widen it.`,
  )
}
