import { within } from '../../kernel/awaitable.js'
import { MOST_LISTED } from '../adapter.js'
import { timeoutError, unsupportedError, unwantedError } from '../failures.js'
import type { LookUpOptions } from '../methods.js'
import type { Connection } from './connect.js'
import { type Database, inTransaction } from './dialects/dialect.js'
import { MODEL_NAMES, MODELS, type ModelName, type SqlNames } from './models.js'
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
import { type Lookup, MissingTable, openTable, type Row, type Table } from './table.js'

/** What {@link createSqlStore} gives. */
export type SqlStore = ReturnType<typeof createSqlStore>

/**
 * Reads and writes the rows of the tables. Each call is one statement where the engine allows it, and otherwise
 * one transaction.
 *
 * @param connect gives the connection of the adapter; called for each use, so that a failure lasts for one use
 * @param queryMs how long the columns of a table may take to read; a later call tries again
 */
export function createSqlStore(connect: () => Promise<Connection>, names: SqlNames, queryMs: number) {
  const tables = new Map<ModelName, Promise<unknown>>()

  /** A table, as it stands in the database. */
  function open<Name extends ModelName>(connection: Connection, model: Name): Promise<Table<Name>> {
    const known = tables.get(model) as Promise<Table<Name>> | undefined
    if (known) return known
    const opening = openTable(connection, model, names)
    const late = () =>
      timeoutError('The database did not give the columns', { option: 'queryTimeout', milliseconds: queryMs })
    const table = within(opening, queryMs, late)
    tables.set(model, table)
    // A table that is missing now may exist the next time, and a server that is away may be back.
    table.catch(() => tables.delete(model))
    return table
  }

  /** The rows that a look-up matches, for further statements; null when no row can match. */
  async function at<Name extends ModelName>(model: Name, lookup: Lookup): Promise<Place<Name> | null> {
    const connection = await connect()
    const table = await open(connection, model)
    const condition = table.matching(lookup)
    return condition && { connection, table, condition }
  }

  async function list<Name extends ModelName>(model: Name, lookup: Lookup, options?: LookUpOptions) {
    const place = await at(model, lookup)
    if (!place) return []
    const { connection } = place
    return ifWanted(connection.db, options, (db) => findIn({ ...place, connection: { ...connection, db } }))
  }

  /** Null when there is no such row. */
  const find = async <Name extends ModelName>(model: Name, lookup: Lookup, options?: LookUpOptions) =>
    (await list(model, lookup, options))[0] ?? null

  return {
    /** The connection, for statements on more than one row. */
    connect,
    open,
    at,
    list,
    find,

    async insert<Name extends ModelName>(model: Name, members: Row) {
      const connection = await connect()
      return insertIn(connection, await open(connection, model), members)
    },

    /** Inserts a row, or leaves the row that has the same key as it is. Gives whether it has inserted it. */
    async insertMissing(model: ModelName, members: Row): Promise<boolean> {
      const connection = await connect()
      return insertMissingIn(connection, await open(connection, model), members)
    },

    /**
     * Inserts a user and the rows that belong to the user, all or none. Their `userId` is the id that the user is stored
     * with. Gives the user.
     */
    async insertUser(members: Row, owned: readonly (readonly [ModelName, Row])[]) {
      const connection = await connect()
      // Before the transaction begins: inside it, this would wait for a second connection.
      const users = await open(connection, 'users')
      const tables = await Promise.all(owned.map(([model]) => open(connection, model)))
      return inTransaction(
        connection.db,
        async (db) => {
          const transaction = { ...connection, db }
          const user = await insertIn(transaction, users, members)
          for (const [index, [, row]] of owned.entries()) {
            await insertIn(transaction, tables[index] as Table, { ...row, userId: user.id })
          }
          return user
        },
        async () => {
          throw unsupportedError('The driver has no transactions, so several rows cannot be stored at once.')
        },
      )
    },

    /** The rows that match and can still count, those that end last first, as many as the contract allows. */
    async listLatest<Name extends 'sessions' | 'tokenSessions' | 'records'>(model: Name, lookup: Lookup) {
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

    /** Finds a row and the user it belongs to in one look-up. */
    async findWithUser<Name extends ModelName>(model: Name, lookup: Lookup, options?: LookUpOptions) {
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

    /** Null when there is no such row: a deleted row does not come back. The members of the look-up may change, too. */
    async update<Name extends ModelName>(model: Name, lookup: Lookup, changes: Row) {
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

    /** Sets a number. Null when the stored number is larger, and when there is no such row. */
    async raise<Name extends ModelName>(model: Name, lookup: Lookup, member: string, value: number) {
      const place = await at(model, lookup)
      if (!place) return null
      const { connection, table } = place
      const condition = connection.sql<boolean>`${place.condition} and ${table.column(member)} < ${value}`
      const { isChanged, row } = await updateIn({ ...place, condition }, table.write({ [member]: value }))
      if (row) return row
      return find(model, isChanged ? lookup : { ...lookup, [member]: value })
    },

    /** Changes a row whose member has a value. Gives whether there was one. The changes give the member another value. */
    async updateIf(model: ModelName, lookup: Lookup, [member, value]: readonly [string, number], changes: Row) {
      const place = await at(model, lookup)
      if (!place) return false
      const { connection, table } = place
      const condition = connection.sql<boolean>`${place.condition} and ${table.column(member)} = ${value}`
      return (await updateIn({ ...place, condition }, table.write(changes))).isChanged
    },

    /** Sets a member that is null, and no other. Of several calls at the same time, one gives true. */
    async fill(model: ModelName, lookup: Lookup, member: string, value: unknown): Promise<boolean> {
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

    /** Deletes a row and gives it. Of several calls at the same time, one gets the row, and the others get null. */
    async take<Name extends ModelName>(model: Name, lookup: Lookup) {
      const place = await at(model, lookup)
      if (!place) return null
      const { connection } = place
      if (connection.dialect.returning.delete) return takeIn(place)
      return connection.db.transaction().execute((db) => takeIn({ ...place, connection: { ...connection, db } }))
    },

    /** Deletes every row that matches. */
    async remove(model: ModelName, lookup: Lookup): Promise<void> {
      const place = await at(model, lookup)
      if (place) await deleteIn(place)
    },

    /** Deletes a user and all rows that belong to the user. */
    async takeUser(id: string) {
      const place = await at('users', { id })
      if (!place) return null
      const { connection } = place
      const owned: Place[] = []
      for (const model of MODEL_NAMES.filter((name) => MODELS[name].ofUser)) {
        // Databases made by Auth.js have no foreign keys, and often no table for passkeys.
        const rows = await at(model, { userId: id }).catch(ifMissing)
        if (rows) owned.push(rows)
      }
      const records = await at('records', { owner: id }).catch(ifMissing)
      if (records) owned.push(records)
      return connection.db.transaction().execute(async (db) => {
        const transaction = { ...connection, db }
        for (const rows of owned) await deleteIn({ ...rows, connection: transaction })
        return takeIn({ ...place, connection: transaction })
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

/** The look-up that finds a row after the change; null when it is the same as before. */
function changedPlace(lookup: Lookup, changes: Row): Lookup | null {
  const changed = Object.keys(lookup).filter((member) => changes[member] !== undefined)
  if (changed.length === 0) return null
  return { ...lookup, ...Object.fromEntries(changed.map((member) => [member, changes[member]])) }
}

/** Gives nothing if the table does not exist. A table that cannot be used may have rows of the user. */
function ifMissing(error: unknown): null {
  if (error instanceof MissingTable) return null
  throw error
}
