import type { Connection } from '../connect.js'
import type { Step } from '../ddl/runner.js'
import type { Column, TablePlace } from '../dialects/dialect.js'
import { columnName, MODEL_NAMES, MODELS, type ModelName, type SqlNames } from '../models.js'
import { qualifiedName } from '../table.js'
import type { KeyColumn } from './planned-tables.js'
import { WIDENED_LENGTH } from './released.js'

/** A key column in which different texts are equal, or which is too short for its values. */
export interface UnfitColumn extends KeyColumn {
  readonly place: TablePlace
  readonly column: Column
  readonly isShort: boolean
}

/** Which of the key columns of existing tables are unfit. Columns that the database computes itself are left out. */
async function findUnfitColumns(
  { db, dialect }: Connection,
  names: SqlNames,
  keys: readonly KeyColumn[],
): Promise<UnfitColumn[]> {
  const columnsByTable = new Map<ModelName, readonly Column[]>()
  const found: UnfitColumn[] = []
  for (const key of keys) {
    const place = { schema: names.schema, table: names.tables?.[key.model] ?? key.table }
    const columns = columnsByTable.get(key.model) ?? (await dialect.columnsOf(db, place))
    columnsByTable.set(key.model, columns)
    const name = columnName(key.model, key.member, names)
    const column = columns.find((column) => column.name === name)
    if (!column?.writable) continue
    const isShort = column.length !== null && column.length < key.minLength
    if (!column.isExact || isShort) found.push({ ...key, place, column, isShort })
  }
  return found
}

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

/**
 * Changes key columns of existing tables so that they tell all texts apart and hold what is stored in them. A column that takes "é" for "e" lets
 * the person with one address sign in as the person with the other. An adapter by somebody else may not notice that.
 */
export async function planKeys(connection: Connection, names: SqlNames, keys: readonly KeyColumn[]): Promise<Step[]> {
  const { dialect, sql } = connection
  const unfit = await findUnfitColumns(connection, names, keys)
  const models = [...new Set(keys.map(({ model }) => model))]
  return models.flatMap((model): Step[] => {
    const changes = unfit.flatMap((key) => {
      const clause = key.model === model ? dialect.alterKey(key.column, lengthAfter(key)) : null
      return clause ? [{ clause, place: key.place, summary: summarise(key) }] : []
    })
    const [first] = changes
    if (!first) return []
    // One statement for all columns of a table: the server may have to rebuild the table.
    const clauses = sql.join(changes.map(({ clause }) => clause))
    return [
      {
        summary: changes.map(({ summary }) => summary).join(', '),
        statement: sql`alter table ${qualifiedName(sql, first.place)} ${clauses}`,
        locks: { place: first.place, blocks: 'all' },
        onlineAs: 'alter',
      },
    ]
  })
}

/** The length that a column gets; null when its length is sufficient. */
const lengthAfter = ({ isShort }: UnfitColumn): number | null => (isShort ? WIDENED_LENGTH : null)

function summarise({ column, place, isShort }: UnfitColumn): string {
  const name = `${place.table}.${column.name}`
  const changes = [
    ...(column.isExact ? [] : [`tell all texts apart in ${name}`]),
    ...(isShort ? [`make room for ${WIDENED_LENGTH} characters in ${name}`] : []),
  ]
  return changes.join(' and ')
}
