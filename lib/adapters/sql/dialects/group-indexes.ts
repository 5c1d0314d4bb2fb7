import type { Index } from './dialect.js'

/** Makes indexes from rows that have one column each, in the order of the columns. */
export function groupIndexes(
  rows: readonly { readonly index: string; readonly column: string; readonly unique: boolean }[],
): Index[] {
  const groups = new Map<string, { columns: string[]; unique: boolean }>()
  for (const { index, column, unique } of rows) {
    const group = groups.get(index)
    if (group) group.columns.push(column)
    else groups.set(index, { columns: [column], unique })
  }
  return [...groups.values()]
}
