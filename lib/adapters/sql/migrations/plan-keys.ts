import type { Connection } from '../connect.js'
import type { SqlNames } from '../models.js'
import { qualifiedName } from '../table.js'
import { findUnfitColumns, type KeyColumn, type UnfitColumn } from '../unfit-keys.js'
import { WIDENED_LENGTH } from './released.js'
import type { Step } from './step.js'

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
export const lengthAfter = ({ isShort }: UnfitColumn): number | null => (isShort ? WIDENED_LENGTH : null)

function summarise({ column, place, isShort }: UnfitColumn): string {
  const name = `${place.table}.${column.name}`
  const changes = [
    ...(column.isExact ? [] : [`tell all texts apart in ${name}`]),
    ...(isShort ? [`make room for ${WIDENED_LENGTH} characters in ${name}`] : []),
  ]
  return changes.join(' and ')
}
