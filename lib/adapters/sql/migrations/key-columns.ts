import type { Connection } from '../connect.js'
import type { Step } from '../ddl/runner.js'
import type { Column, TablePlace } from '../dialects/dialect.js'
import { columnName, MODELS, type ModelName, type SqlNames } from '../models.js'
import { qualifiedName } from '../table.js'
import type { Tables } from './plan-tables.js'
import { type Model, WIDENED_LENGTH } from './released.js'

/** A column in which different texts are equal, or which is too short for its values. */
interface UnfitColumn {
  readonly place: TablePlace
  readonly column: Column
  readonly isShort: boolean
  /** The fewest characters that the column must hold. */
  readonly atLeast: number
}

/**
 * Which columns of an existing table are unfit. Columns that the database computes itself are left out.
 *
 * @param members each with the fewest characters that its column must hold
 */
async function findUnfitColumns(
  { db, dialect }: Connection,
  names: SqlNames,
  [model, { table }]: readonly [ModelName, Model],
  members: readonly (readonly [member: string, atLeast: number])[],
): Promise<UnfitColumn[]> {
  const place = { schema: names.schema, table: names.tables?.[model] ?? table }
  const columns = await dialect.columnsOf(db, place)
  return members.flatMap(([member, atLeast]) => {
    const name = columnName(model, member, names)
    const column = columns.find((column) => column.name === name)
    if (!column?.writable) return []
    const isShort = column.length !== null && column.length < atLeast
    return column.isExact && !isShort ? [] : [{ place, column, isShort, atLeast }]
  })
}

/**
 * The columns by which rows are found and whose values people outside may choose, as far as they are unfit. Ids of users
 * are chosen by the store, and other tables refer to them.
 */
async function findUnfitKeys(connection: Connection, names: SqlNames, tables: Tables): Promise<UnfitColumn[][]> {
  const found: UnfitColumn[][] = []
  for (const table of Object.entries(tables) as [ModelName, Model][]) {
    const { key, unique, fields } = table[1]
    const keys = [...key, ...unique.flat()].filter((member) => fields[member]?.kind !== 'id')
    const members = keys.map((member) => [member, fields[member]?.atLeast ?? 0] as const)
    found.push(await findUnfitColumns(connection, names, table, members))
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

const findingOf = ({ place: { table }, column: { name } }: UnfitColumn, fault: string): TableFinding => ({
  table,
  column: name,
  message: `${table}.${name} ${fault}.`,
})

/** Faults of the key columns of existing tables that no migration corrects, because their owner must decide how. */
export async function findUnmendedKeys(connection: Connection, names: SqlNames): Promise<TableFinding[]> {
  return (await findUnfitKeys(connection, names, MODELS)).flat().flatMap((key) => {
    const { column, atLeast, isShort } = key
    if (connection.dialect.alterKey?.(column, lengthAfter(key))) return []
    const faults = [
      ...(column.isExact
        ? []
        : [
            'takes texts for one that differ in capitals, accents or blanks, so two people may count as one: give it a binary collation',
          ]),
      ...(isShort ? [`holds ${column.length} characters, and needs ${atLeast}: widen it`] : []),
    ]
    return [findingOf(key, faults.join('; it '))]
  })
}

/** Fewer bytes than the columns hold that Latchkey makes for tokens in MySQL. */
const TOKEN_LENGTH = 60_000

/** Columns of existing tables that are too short for tokens, which Latchkey may store encrypted. */
export async function findShortTokens(connection: Connection, names: SqlNames): Promise<TableFinding[]> {
  const tokens = ['access_token', 'refresh_token', 'id_token'].map((member) => [member, TOKEN_LENGTH] as const)
  const found = await findUnfitColumns(connection, names, ['accounts', MODELS.accounts], tokens)
  return found
    .filter(({ isShort }) => isShort)
    .map((unfit) =>
      findingOf(unfit, `holds ${unfit.column.length} characters, and tokens can be longer: give it the type text`),
    )
}

/**
 * Changes key columns of existing tables so that they tell all texts apart and hold what is stored in them. A column that takes
 * "é" for "e" lets the person with one address sign in as the person with the other. An adapter by somebody else may not notice
 * that.
 */
export async function planKeys(connection: Connection, names: SqlNames, tables: Tables): Promise<Step[]> {
  const { dialect, sql } = connection
  return (await findUnfitKeys(connection, names, tables)).flatMap((unfit): Step[] => {
    const changes = unfit.flatMap((key) => {
      const clause = dialect.alterKey?.(key.column, lengthAfter(key))
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
