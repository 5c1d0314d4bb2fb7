import type { Connection } from './connect.js'
import { lengthAfter } from './migrations/plan-keys.js'
import { MODEL_NAMES, MODELS, type ModelName, type SqlNames } from './models.js'
import { findUnfitColumns, type KeyColumn } from './unfit-keys.js'

/** A fault of a table that no migration corrects. */
export interface TableFinding {
  readonly table: string
  readonly column: string
  /** What is wrong, and what to do, for the person who administers the database. */
  readonly message: string
}

/** Faults of the key columns of existing tables that no migration corrects, because their owner must decide how. */
export async function findUnmendedKeys(connection: Connection, names: SqlNames): Promise<TableFinding[]> {
  const { dialect } = connection
  return (await findUnfitColumns(connection, names, MODEL_NAMES.flatMap(keysOf))).flatMap((key) => {
    const { column, place, minLength, isShort } = key
    if (dialect.alterKey(column, lengthAfter(key))) return []
    const faults = [
      ...(column.isExact
        ? []
        : [
            'takes texts for one that differ in capitals, accents or blanks, so two people may count as one: give it a binary collation',
          ]),
      ...(isShort ? [`holds ${column.length} characters, and needs ${minLength}: widen it`] : []),
    ]
    const message = `${place.table}.${column.name} ${faults.join('; it ')}.`
    return [{ table: place.table, column: column.name, message }]
  })
}

/** Fewer bytes than the columns hold that Latchkey makes for tokens in MySQL. */
const TOKEN_LENGTH = 60_000

/** Columns of existing tables that are too short for tokens, which Latchkey may store encrypted. */
export async function findShortTokens(connection: Connection, names: SqlNames): Promise<TableFinding[]> {
  const tokens = ['access_token', 'refresh_token', 'id_token'].map(
    (member): KeyColumn => ({ model: 'accounts', table: MODELS.accounts.table, member, minLength: TOKEN_LENGTH }),
  )
  const found = await findUnfitColumns(connection, names, tokens)
  return found
    .filter(({ isShort }) => isShort)
    .map(({ column, place }) => ({
      table: place.table,
      column: column.name,
      message: `${place.table}.${column.name} holds ${column.length} characters, and tokens can be longer: give it the type text.`,
    }))
}

/**
 * The columns by which rows of a table are found and whose values people outside may choose. Ids of users are chosen by
 * the store, and other tables refer to them.
 */
const keysOf = (model: ModelName): KeyColumn[] => {
  const { table, key, unique, fields } = MODELS[model]
  return [...key, ...unique.flat()]
    .filter((member) => fields[member]?.kind !== 'id')
    .map((member) => ({ model, table, member, minLength: fields[member]?.atLeast ?? 0 }))
}
