import type { RawBuilder } from 'kysely'
import { within } from '../../awaitable.js'
import { AdapterError } from '../../errors.js'
import { timeoutError, unsupportedError, unwantedError } from '../failures.js'
import type { LookUpOptions } from '../look-up-options.js'
import type { Connection } from './connect.js'
import type { Database } from './dialects/dialect.js'
import { MODELS, type ModelName, type SqlNames } from './models.js'
import { type Lookup, openTable, type Row, type Table } from './table.js'
import { inTransaction, isWithoutTransactions } from './transactions.js'

/** Rows in and out of the five tables; each call is one statement where the engine allows it, else one transaction. */
export interface Store {
  insert(model: ModelName, members: Row): Promise<Row>
  /** Inserts a user and what is theirs, all or nothing; the `userId` of the latter is the id that the user is stored with. Gives the user. */
  insertUser(members: Row, owned: readonly (readonly [ModelName, Row])[]): Promise<Row>
  /** Null when there is no such row. */
  find(model: ModelName, lookup: Lookup, options?: LookUpOptions): Promise<Row | null>
  list(model: ModelName, lookup: Lookup): Promise<Row[]>
  /** Finds a row and the user it belongs to in one look-up. */
  findWithUser(model: ModelName, lookup: Lookup, options?: LookUpOptions): Promise<{ row: Row; user: Row } | null>
  /** Null when there is no such row: one that was deleted does not come back. What it is looked up by may change, too. */
  update(model: ModelName, lookup: Lookup, changes: Row): Promise<Row | null>
  /** Sets a number unless that would make it smaller; null when it would, or when there is no such row. */
  raise(model: ModelName, lookup: Lookup, member: string, value: number): Promise<Row | null>
  /** Deletes a row and gives it to exactly one of those who ask at the same time; null to the others. */
  take(model: ModelName, lookup: Lookup): Promise<Row | null>
  /** Deletes every row that matches. */
  remove(model: ModelName, lookup: Lookup): Promise<void>
  /** Deletes a user and all that is theirs. */
  takeUser(id: string): Promise<Row | null>
  /** The connection, for what needs more than a row. */
  connect(): Promise<Connection>
  /** A table, as it stands in the database. */
  open(connection: Connection, model: ModelName): Promise<Table>
}

/**
 * @param connect gives the one connection of the adapter; called for each use, so that a fault is not remembered
 * @param queryMs how long a look into the catalogue may take before the next caller begins anew
 */
export function createStore(connect: () => Promise<Connection>, names: SqlNames, queryMs: number): Store {
  const tables = new Map<ModelName, Promise<Table>>()

  function open(connection: Connection, model: ModelName): Promise<Table> {
    const known = tables.get(model)
    if (known) return known
    const opening = openTable(connection.sql, connection.db, connection.dialect, model, names)
    const late = () =>
      timeoutError('The database did not give the columns', { option: 'queryTimeout', milliseconds: queryMs })
    const table = within(opening, queryMs, late)
    tables.set(model, table)
    // A table that is missing now, or a server that is down or silent, may be there the next time.
    table.catch(() => tables.delete(model))
    return table
  }

  async function findIn(db: Database, { sql }: Connection, table: Table, condition: RawBuilder<boolean>, lock = false) {
    const { rows } = await sql<Row>`
      select ${table.selection()} from ${table.reference} where ${condition}${lock ? sql` for update` : sql``}`.execute(
      db,
    )
    return rows.map((row) => table.read(row))
  }

  async function insertIn(db: Database, connection: Connection, model: ModelName, table: Table, members: Row) {
    const { sql, dialect } = connection
    const { key } = MODELS[model]
    // Where the database numbers the rows, their numbers are not ours to choose.
    const isNumbered = (member: string) => key.includes(member) && table.columns.get(member)?.column.filled === true
    const given = Object.fromEntries(Object.entries(members).filter(([member]) => !isNumbered(member)))
    const written = table.write(given)
    const columns = sql.join(
      written.map(([column]) => column),
      sql`, `,
    )
    const values = sql.join(
      written.map(([, value]) => value),
      sql`, `,
    )
    const statement = sql`insert into ${table.reference} (${columns}) values (${values})`
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

  /**
   * Writes dates anew, in UTC, that came out hours off: in the hour that clocks repeat, a column that goes by the
   * session's time zone takes the one for the other.
   */
  async function mendDates(
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
    // Unless somebody else has changed them meanwhile.
    const read = table.write(Object.fromEntries(wrong.map((member) => [member, row[member]])))
    const unchanged = sql.join([condition, ...read.map(([column, value]) => sql`${column} = ${value}`)], sql` and `)
    return dialect.inUtc(db, async (inUtc) => {
      const written = assignments(connection, table.write(meant))
      await sql`update ${table.reference} set ${written} where ${unchanged}`.execute(inUtc)
      const [mended] = await findIn(inUtc, connection, table, condition)
      return mended ?? row
    })
  }

  async function takeIn(db: Database, connection: Connection, table: Table, condition: RawBuilder<boolean>) {
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

  const deleteIn = (db: Database, { sql }: Connection, table: Table, condition: RawBuilder<boolean>) =>
    sql`delete from ${table.reference} where ${condition}`.execute(db)

  const assignments = ({ sql }: Connection, written: readonly [RawBuilder<unknown>, unknown][]) =>
    sql.join(
      written.map(([column, value]) => sql`${column} = ${value}`),
      sql`, `,
    )

  async function find(model: ModelName, lookup: Lookup, options?: LookUpOptions): Promise<Row[]> {
    const connection = await connect()
    const table = await open(connection, model)
    const condition = table.matching(lookup)
    return condition ? ifWanted(connection.db, options, (db) => findIn(db, connection, table, condition)) : []
  }

  return {
    connect,
    open,

    async insert(model, members) {
      const connection = await connect()
      return insertIn(connection.db, connection, model, await open(connection, model), members)
    },

    async insertUser(members, owned) {
      const connection = await connect()
      // Before the transaction, which would wait for a second connection here.
      const users = await open(connection, 'users')
      const tables = await Promise.all(owned.map(([model]) => open(connection, model)))
      try {
        return await inTransaction(connection.db, async (transaction) => {
          const user = await insertIn(transaction, connection, 'users', users, members)
          for (const [index, [model, row]] of owned.entries()) {
            const table = tables[index] as Table
            await insertIn(transaction, connection, model, table, { ...row, userId: user['id'] })
          }
          return user
        })
      } catch (error) {
        if (isWithoutTransactions(error)) throw withoutTransactions()
        throw error
      }
    },

    find: async (model, lookup, options) => (await find(model, lookup, options))[0] ?? null,
    list: (model, lookup) => find(model, lookup),

    async findWithUser(model, lookup, options) {
      const connection = await connect()
      const { sql, db } = connection
      const [table, users] = await Promise.all([open(connection, model), open(connection, 'users')])
      const condition = table.matching(lookup, 'r')
      if (!condition) return null
      const statement = sql<Row>`
        select ${table.selection('r', 'r:')}, ${users.selection('u', 'u:')}
        from ${table.reference} as r inner join ${users.reference} as u on ${users.column('id', 'u')} = ${table.column('userId', 'r')}
        where ${condition}`
      const { rows } = await ifWanted(db, options, (db) => statement.execute(db))
      const [found] = rows
      return found ? { row: table.read(found, 'r:'), user: users.read(found, 'u:') } : null
    },

    async update(model, lookup, changes) {
      const connection = await connect()
      const { sql, db, dialect } = connection
      const table = await open(connection, model)
      const condition = table.matching(lookup)
      if (!condition) return null
      const written = table.write(changes)
      const moved = changedPlace(lookup, changes)
      if (written.length > 0) {
        const statement = sql`update ${table.reference} set ${assignments(connection, written)} where ${condition}`
        if (dialect.returning.update) {
          const { rows } = await sql<Row>`${statement} returning ${table.selection()}`.execute(db)
          return rows[0] ? table.read(rows[0]) : null
        }
        const { numAffectedRows } = await statement.execute(db)
        // What is found at the new place need not be what was at the old one.
        if (moved && !numAffectedRows) return null
      }
      const place = moved ? table.matching(moved) : condition
      const [row] = place ? await findIn(db, connection, table, place) : []
      return row ? mendDates(db, connection, table, moved ?? lookup, changes, row) : null
    },

    async raise(model, lookup, member, value) {
      const connection = await connect()
      const { sql, db, dialect } = connection
      const table = await open(connection, model)
      const condition = table.matching(lookup)
      if (!condition) return null
      const statement = sql`update ${table.reference} set ${assignments(connection, table.write({ [member]: value }))}
        where ${condition} and ${table.column(member)} < ${value}`
      if (dialect.returning.update) {
        const { rows } = await sql<Row>`${statement} returning ${table.selection()}`.execute(db)
        if (rows[0]) return table.read(rows[0])
      } else if ((await statement.execute(db)).numAffectedRows) {
        return (await find(model, lookup))[0] ?? null
      }
      return (await find(model, { ...lookup, [member]: value }))[0] ?? null
    },

    async take(model, lookup) {
      const connection = await connect()
      const table = await open(connection, model)
      const condition = table.matching(lookup)
      if (!condition) return null
      if (connection.dialect.returning.delete) return takeIn(connection.db, connection, table, condition)
      return connection.db.transaction().execute((db) => takeIn(db, connection, table, condition))
    },

    async remove(model, lookup) {
      const connection = await connect()
      const table = await open(connection, model)
      const condition = table.matching(lookup)
      if (condition) await deleteIn(connection.db, connection, table, condition)
    },

    async takeUser(id) {
      const connection = await connect()
      const { db } = connection
      const users = await open(connection, 'users')
      const user = users.matching({ id })
      if (!user) return null
      const owned: Table[] = []
      for (const [model, { ofUser }] of Object.entries(MODELS) as [ModelName, (typeof MODELS)[ModelName]][]) {
        // Databases made by Auth.js have no foreign keys, and often no table for passkeys.
        if (ofUser) owned.push(...(await open(connection, model).then((table) => [table], ifMissing)))
      }
      return db.transaction().execute(async (transaction) => {
        for (const table of owned) {
          const condition = table.matching({ userId: id })
          if (condition) await deleteIn(transaction, connection, table, condition)
        }
        return takeIn(transaction, connection, users, user)
      })
    },
  }
}

/** Makes a look-up as soon as there is a connection for it, unless nobody waits for the result by then. */
function ifWanted<Result>(
  db: Database,
  options: LookUpOptions | undefined,
  lookUp: (db: Database) => Promise<Result>,
): Promise<Result> {
  const isWanted = options?.isWanted
  if (!isWanted) return lookUp(db)
  return db.connection().execute(async (connected) => {
    if (!isWanted()) throw unwantedError()
    return lookUp(connected)
  })
}

const QUARTER_MS = 15 * 60 * 1000
const LARGEST_TURN = 12
const ROUNDING_MS = 1000

/** Whether a date came out as another by as much as clocks are turned: some quarters of an hour, three hours at most. */
function isTurned(written: unknown, read: unknown): boolean {
  if (!(written instanceof Date && read instanceof Date)) return false
  const quarters = Math.round(Math.abs(written.getTime() - read.getTime()) / QUARTER_MS)
  const rest = Math.abs(Math.abs(written.getTime() - read.getTime()) - quarters * QUARTER_MS)
  return quarters > 0 && quarters <= LARGEST_TURN && rest <= ROUNDING_MS
}

const withoutTransactions = () =>
  unsupportedError('The driver has no transactions, so several rows cannot be stored at once.')

/** What a row is found by after it was changed; null when that is the same as before. */
function changedPlace(lookup: Lookup, changes: Row): Lookup | null {
  const changed = Object.keys(lookup).filter((member) => changes[member] !== undefined)
  if (changed.length === 0) return null
  return { ...lookup, ...Object.fromEntries(changed.map((member) => [member, changes[member]])) }
}

/** Whatever stands in the way of opening one table stands in the way of the others, unless the table itself is missing. */
function ifMissing(error: unknown): Table[] {
  if (error instanceof AdapterError) return []
  throw error
}
