import { within } from '../../kernel/awaitable.js'
import { AdapterError } from '../../kernel/errors.js'
import { MOST_LISTED } from '../adapter.js'
import { isOwnTimeout, timeoutError, unsupportedError, unwantedError } from '../failures.js'
import type { LookUpOptions } from '../methods.js'
import type { Connection } from './connect.js'
import { type Database, inTransaction, isWithoutTransactions } from './dialects/dialect.js'
import type { Model } from './migrations/released.js'
import { MODELS, type ModelName, type RowOf, type SqlNames } from './models.js'
import {
  deleteIn,
  findIn,
  insertIn,
  insertMissingIn,
  mendDates,
  type Place,
  takeIn,
  updateIn,
} from './row-statements.js'
import { type Lookup, openTable, type Row, type Table } from './table.js'

/**
 * Reads and writes the rows of the six tables. Each call is one statement where the engine allows it, and otherwise
 * one transaction.
 */
export interface SqlStore<Rows extends Record<ModelName, unknown> = RowOf> {
  insert<Model extends ModelName>(model: Model, members: Row): Promise<Rows[Model]>
  /** Inserts a row, or leaves the row that has the same key as it is. */
  insertMissing(model: ModelName, members: Row): Promise<void>
  /**
   * Inserts a user and the rows that belong to the user, all or none. Their `userId` is the id that the user is stored
   * with. Gives the user.
   */
  insertUser(members: Row, owned: readonly (readonly [ModelName, Row])[]): Promise<Rows['users']>
  /** Null when there is no such row. */
  find<Model extends ModelName>(model: Model, lookup: Lookup, options?: LookUpOptions): Promise<Rows[Model] | null>
  list<Model extends ModelName>(model: Model, lookup: Lookup): Promise<Rows[Model][]>
  /** The sessions that match and can still count, those that end last first, as many as the contract allows. */
  listSessions<Model extends 'sessions' | 'tokenSessions'>(model: Model, lookup: Lookup): Promise<Rows[Model][]>
  /** Finds a row and the user it belongs to in one look-up. */
  findWithUser<Model extends ModelName>(
    model: Model,
    lookup: Lookup,
    options?: LookUpOptions,
  ): Promise<{ row: Rows[Model]; user: Rows['users'] } | null>
  /** Null when there is no such row: a deleted row does not come back. The members of the look-up may change, too. */
  update<Model extends ModelName>(model: Model, lookup: Lookup, changes: Row): Promise<Rows[Model] | null>
  /** Sets a number. Null when the stored number is larger, and when there is no such row. */
  raise<Model extends ModelName>(
    model: Model,
    lookup: Lookup,
    member: string,
    value: number,
  ): Promise<Rows[Model] | null>
  /** Sets a member that is null, and no other. Of several calls at the same time, one gives true. */
  fill(model: ModelName, lookup: Lookup, member: string, value: unknown): Promise<boolean>
  /** Deletes a row and gives it. Of several calls at the same time, one gets the row, and the others get null. */
  take<Model extends ModelName>(model: Model, lookup: Lookup): Promise<Rows[Model] | null>
  /** Deletes every row that matches. */
  remove(model: ModelName, lookup: Lookup): Promise<void>
  /** Deletes a user and all rows that belong to the user. */
  takeUser(id: string): Promise<Rows['users'] | null>
  /** The rows that a look-up matches, for further statements; null when no row can match. */
  at(model: ModelName, lookup: Lookup): Promise<Place | null>
  /** The connection, for statements on more than one row. */
  connect(): Promise<Connection>
  /** A table, as it stands in the database. */
  open(connection: Connection, model: ModelName): Promise<Table>
}

/**
 * @param connect gives the connection of the adapter; called for each use, so that a failure lasts for one use
 * @param queryMs how long the columns of a table may take to read; a later call tries again
 */
export function createSqlStore(connect: () => Promise<Connection>, names: SqlNames, queryMs: number): SqlStore {
  const tables = new Map<ModelName, Promise<Table>>()

  function open(connection: Connection, model: ModelName): Promise<Table> {
    const known = tables.get(model)
    if (known) return known
    const opening = openTable(connection.sql, connection.db, connection.dialect, model, names)
    const late = () =>
      timeoutError('The database did not give the columns', { option: 'queryTimeout', milliseconds: queryMs })
    const table = within(opening, queryMs, late)
    tables.set(model, table)
    // A table that is missing now may exist the next time, and a server that is away may be back.
    table.catch(() => tables.delete(model))
    return table
  }

  async function at(model: ModelName, lookup: Lookup): Promise<Place | null> {
    const connection = await connect()
    const table = await open(connection, model)
    const condition = table.matching(lookup)
    return condition && { connection, table, condition }
  }

  async function find(model: ModelName, lookup: Lookup, options?: LookUpOptions): Promise<Row[]> {
    const place = await at(model, lookup)
    if (!place) return []
    const { connection } = place
    return ifWanted(connection.db, options, (db) => findIn({ ...place, connection: { ...connection, db } }))
  }

  const store: SqlStore<Record<ModelName, Row>> = {
    connect,
    open,
    at,

    async insert(model, members) {
      const connection = await connect()
      return insertIn(connection, model, await open(connection, model), members)
    },

    async insertMissing(model, members) {
      const connection = await connect()
      await insertMissingIn(connection, model, await open(connection, model), members)
    },

    async insertUser(members, owned) {
      const connection = await connect()
      // Before the transaction begins: inside it, this would wait for a second connection.
      const users = await open(connection, 'users')
      const tables = await Promise.all(owned.map(([model]) => open(connection, model)))
      try {
        return await inTransaction(connection.db, async (db) => {
          const transaction = { ...connection, db }
          const user = await insertIn(transaction, 'users', users, members)
          for (const [index, [model, row]] of owned.entries()) {
            await insertIn(transaction, model, tables[index] as Table, { ...row, userId: user['id'] })
          }
          return user
        })
      } catch (error) {
        if (!isWithoutTransactions(error)) throw error
        throw unsupportedError('The driver has no transactions, so several rows cannot be stored at once.')
      }
    },

    find: async (model, lookup, options) => (await find(model, lookup, options))[0] ?? null,
    list: (model, lookup) => find(model, lookup),

    async listSessions(model, lookup) {
      const place = await at(model, lookup)
      if (!place) return []
      const { connection, table, condition: matches } = place
      const { sql } = connection
      const condition =
        model === 'tokenSessions' ? sql<boolean>`${matches} and ${table.column('revokedAt')} is null` : matches
      return findIn(
        { ...place, condition },
        sql`order by ${table.column('expires')} desc limit ${sql.lit(MOST_LISTED)}`,
      )
    },

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
      const place = await at(model, lookup)
      if (!place) return null
      const { connection, table } = place
      const written = table.write(changes)
      const moved = changedPlace(lookup, changes)
      if (written.length > 0) {
        const { isChanged, row } = await updateIn(place, written)
        if (connection.dialect.returning.update) return row ?? null
        // The row at the new place need not be the row that was at the old place.
        if (moved && !isChanged) return null
      }
      const condition = moved ? table.matching(moved) : place.condition
      if (!condition) return null
      const present = { ...place, condition }
      const [row] = await findIn(present)
      return row ? mendDates(present, changes, row) : null
    },

    async raise(model, lookup, member, value) {
      const place = await at(model, lookup)
      if (!place) return null
      const { connection, table } = place
      const condition = connection.sql<boolean>`${place.condition} and ${table.column(member)} < ${value}`
      const { isChanged, row } = await updateIn({ ...place, condition }, table.write({ [member]: value }))
      if (row) return row
      return (await find(model, isChanged ? lookup : { ...lookup, [member]: value }))[0] ?? null
    },

    async fill(model, lookup, member, value) {
      const place = await at(model, lookup)
      if (!place) return false
      const { connection, table } = place
      const condition = connection.sql<boolean>`${place.condition} and ${table.column(member)} is null`
      const { isChanged } = await updateIn({ ...place, condition }, table.write({ [member]: value }))
      if (!isChanged || connection.dialect.returning.update) return isChanged
      const [row] = await findIn(place)
      if (row) await mendDates(place, { [member]: value }, row)
      return true
    },

    async take(model, lookup) {
      const place = await at(model, lookup)
      if (!place) return null
      const { connection } = place
      if (connection.dialect.returning.delete) return takeIn(place)
      return connection.db.transaction().execute((db) => takeIn({ ...place, connection: { ...connection, db } }))
    },

    async remove(model, lookup) {
      const place = await at(model, lookup)
      if (place) await deleteIn(place)
    },

    async takeUser(id) {
      const place = await at('users', { id })
      if (!place) return null
      const { connection } = place
      const owned: Place[] = []
      for (const [model, { ofUser }] of Object.entries(MODELS) as [ModelName, Model][]) {
        // Databases made by Auth.js have no foreign keys, and often no table for passkeys.
        const table = ofUser ? await open(connection, model).catch(ifMissing) : null
        const condition = table?.matching({ userId: id })
        if (table && condition) owned.push({ connection, table, condition })
      }
      return connection.db.transaction().execute(async (db) => {
        const transaction = { ...connection, db }
        for (const rows of owned) await deleteIn({ ...rows, connection: transaction })
        return takeIn({ ...place, connection: transaction })
      })
    },
  }
  // The members of the contract exist, because openTable() has checked their columns.
  return store as unknown as SqlStore
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

/** The look-up that finds a row after the change; null when it is the same as before. */
function changedPlace(lookup: Lookup, changes: Row): Lookup | null {
  const changed = Object.keys(lookup).filter((member) => changes[member] !== undefined)
  if (changed.length === 0) return null
  return { ...lookup, ...Object.fromEntries(changed.map((member) => [member, changes[member]])) }
}

/** Gives nothing if the table does not exist. Any other failure concerns all tables, and is thrown. */
function ifMissing(error: unknown): null {
  if (error instanceof AdapterError && !isOwnTimeout(error)) return null
  throw error
}
