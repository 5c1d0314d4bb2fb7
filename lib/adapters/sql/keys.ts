import type { Connection } from './connect.js'
import type { Column } from './dialects/dialect.js'
import { columnName, MODEL_NAMES, MODELS, type ModelName, type SqlNames, tableName } from './models.js'
import type { Step } from './schema.js'
import { tableReference } from './table.js'

/** What a column that is too short is widened to. */
const ROOM = 255

/** A column that rows are looked up by, and that takes two texts for one, or is too short for what is to be kept in it. */
interface UnfitKey {
  readonly model: ModelName
  readonly column: Column
  /** The characters that it must hold, where it holds fewer. */
  readonly atLeast: number | null
}

/** What a migration cannot mend. */
export interface TableFinding {
  readonly table: string
  readonly column: string
  /** What is wrong, and what to do, for whoever looks after the database. */
  readonly message: string
}

/**
 * What the key columns of tables that are there lack: that they tell all texts apart, and hold what is kept in them. A column that takes "é" for
 * "e" lets whoever has the one address in as whoever has the other; an adapter that somebody else wrote may not notice.
 */
export async function planKeys(connection: Connection, names: SqlNames): Promise<Step[]> {
  const { dialect, sql } = connection
  const unfit = await unfitKeys(connection, names)
  return MODEL_NAMES.flatMap((model): Step[] => {
    const table = tableName(model, names)
    const changes = unfit.flatMap((key) => {
      const clause = key.model === model ? dialect.alterKey(key.column, key.atLeast === null ? null : ROOM) : null
      return clause ? [{ clause, summary: summarise(table, key) }] : []
    })
    if (changes.length === 0) return []
    // All of a table in one statement: the server may have to rebuild it.
    const clauses = sql.join(changes.map(({ clause }) => clause))
    return [
      {
        summary: changes.map(({ summary }) => summary).join(', '),
        statement: sql`alter table ${tableReference(sql, model, names)} ${clauses}`,
        locks: { place: { schema: names.schema, table }, blocks: 'all' },
        onlineAs: 'alter',
      },
    ]
  })
}

function summarise(table: string, { column, atLeast }: UnfitKey): string {
  const place = `${table}.${column.name}`
  const changes = [
    ...(column.isExact ? [] : [`tell all texts apart in ${place}`]),
    ...(atLeast === null ? [] : [`make room for ${ROOM} characters in ${place}`]),
  ]
  return changes.join(' and ')
}

/** What the key columns of tables that are there lack, and {@link planKeys} leaves to the owner. */
export async function findUnfitKeys(connection: Connection, names: SqlNames): Promise<TableFinding[]> {
  const { dialect } = connection
  return (await unfitKeys(connection, names)).flatMap(({ model, column, atLeast }) => {
    if (dialect.alterKey(column, atLeast === null ? null : ROOM)) return []
    const table = tableName(model, names)
    const faults = [
      ...(column.isExact
        ? []
        : [
            'takes texts for one that differ in capitals, accents or blanks, so two people may count as one: give it a binary collation',
          ]),
      ...(atLeast === null ? [] : [`holds ${column.length} characters, and needs ${atLeast}: widen it`]),
    ]
    return [{ table, column: column.name, message: `${table}.${column.name} ${faults.join('; it ')}.` }]
  })
}

async function unfitKeys({ db, dialect }: Connection, names: SqlNames): Promise<UnfitKey[]> {
  const found: UnfitKey[] = []
  for (const model of MODEL_NAMES) {
    const columns = await dialect.columnsOf(db, { schema: names.schema, table: tableName(model, names) })
    for (const member of keysOf(model)) {
      const name = columnName(model, member, names)
      const column = columns.find((column) => column.name === name)
      if (!column?.writable) continue
      const { atLeast = 0 } = MODELS[model].fields[member] ?? {}
      const isShort = column.length !== null && column.length < atLeast
      if (!column.isExact || isShort) found.push({ model, column, atLeast: isShort ? atLeast : null })
    }
  }
  return found
}

/** Members that rows are looked up by and that somebody outside may choose. Ids of users are the store's own, and other tables refer to them. */
const keysOf = (model: ModelName): string[] => {
  const { key, unique, fields } = MODELS[model]
  return [...key, ...unique.flat()].filter((member) => fields[member]?.kind !== 'id')
}
