import type { Connection } from './connect.js'
import type { Column, TablePlace } from './dialects/dialect.js'
import { columnName, type ModelName, type SqlNames } from './models.js'

/** A column by which rows are found. */
export interface KeyColumn {
  readonly model: ModelName
  /** The name of the table, unless the application chooses another. */
  readonly table: string
  readonly member: string
  /** The fewest characters that the column must hold. */
  readonly minLength: number
}

/** A key column in which different texts are equal, or which is too short for its values. */
export interface UnfitColumn extends KeyColumn {
  readonly place: TablePlace
  readonly column: Column
  readonly isShort: boolean
}

/** Which of the key columns of existing tables are unfit. Columns that the database computes itself are left out. */
export async function findUnfitColumns(
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
