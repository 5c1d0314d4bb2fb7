import type { Connection } from '../connect.js'
import type { Column, Index } from '../dialects/dialect.js'
import type { LaterIndexes, NamedTable } from './planned-tables.js'
import type { Step } from './step.js'

/** An index that a table needs. */
interface PlannedIndex {
  readonly members: readonly string[]
  readonly isUnique: boolean
}

/**
 * The indexes that a table lacks.
 *
 * @param columns of the table as it is now; empty when the migration makes it
 */
export async function planIndexes(
  connection: Connection,
  table: NamedTable,
  columns: readonly Column[],
): Promise<Step[]> {
  return planMissing(connection, table, columns, neededIndexes(table, columns.length === 0))
}

/** Those of further indexes that a table lacks. */
export const planLaterIndexes = (
  connection: Connection,
  table: NamedTable,
  columns: readonly Column[],
  indexes: LaterIndexes,
): Promise<Step[]> =>
  planMissing(
    connection,
    table,
    columns,
    indexes.map((members) => ({ members, isUnique: false })),
  )

async function planMissing(
  connection: Connection,
  table: NamedTable,
  columns: readonly Column[],
  needed: readonly PlannedIndex[],
): Promise<Step[]> {
  if (needed.length === 0) return []
  const { db, dialect } = connection
  const isNew = columns.length === 0
  const present = await dialect.indexesOf(db, table.place)
  const unusable = isNew ? [] : await dialect.unusableIndexesOf(db, table.place)
  const isConcurrent = !isNew && (await dialect.canIndexConcurrently(db, table.place))
  // No index can be made on columns of some types. Without the index the rows are found all the same, only slower.
  const withoutIndex = new Set<string | null>(
    columns.filter(({ type }) => !dialect.canIndex(type)).map(({ name }) => name),
  )
  return needed.flatMap(({ members, isUnique }) => {
    if (members.some((member) => table.columnOf(member) === null)) return []
    if (!isUnique && members.some((member) => withoutIndex.has(table.columnOf(member)))) return []
    const names = members.map((member) => table.requireColumn(member))
    if (!isUnique && !dialect.fitsIndex(names.map((name) => columns.find((column) => column.name === name)))) return []
    if (present.some((index) => covers(index, names, isUnique))) return []
    const step = createIndex(connection, table, { names, isUnique, isNew, isConcurrent })
    const name = indexName(table, names, isUnique)
    const leftover = unusable.find((index) => index.name === name)
    if (!leftover) return [step]
    const summary = `remove the unfinished index ${name} of ${table.place.table}`
    return [{ summary, statement: leftover.drop, concurrent: { place: table.place, name } }, step]
  })
}

function neededIndexes({ plan: { key, unique, indexes } }: NamedTable, isNew: boolean): PlannedIndex[] {
  // A new table has its primary key.
  const uniques = isNew ? unique : [key, ...unique]
  return [
    ...uniques.map((members) => ({ members, isUnique: true })),
    ...indexes.map((member) => ({ members: [member], isUnique: false })),
  ]
}

const covers = (index: Index, names: readonly string[], isUnique: boolean): boolean =>
  isUnique ? index.unique && isSameSet(index.columns, names) : names.every((name, at) => index.columns[at] === name)

const isSameSet = (one: readonly string[], other: readonly string[]) =>
  one.length === other.length && one.every((name) => other.includes(name))

const indexName = ({ place }: NamedTable, names: readonly string[], isUnique: boolean): string =>
  `${place.table}_${names.join('_')}_${isUnique ? 'key' : 'idx'}`.slice(0, 60)

interface IndexFacts {
  readonly names: readonly string[]
  readonly isUnique: boolean
  readonly isNew: boolean
  readonly isConcurrent: boolean
}

function createIndex({ sql }: Connection, table: NamedTable, facts: IndexFacts): Step {
  const { place, reference } = table
  const { names, isUnique, isNew, isConcurrent } = facts
  const name = indexName(table, names, isUnique)
  const head = ['create', ...(isUnique ? ['unique'] : []), 'index', ...(isConcurrent ? ['concurrently'] : [])].join(' ')
  const list = sql.join(names.map((column) => sql.id(column)))
  return {
    summary: `create ${isUnique ? 'unique index' : 'index'} on ${place.table} (${names.join(', ')})`,
    statement: sql`${sql.raw(head)} ${sql.id(name)} on ${reference} (${list})`,
    ...(isConcurrent && { concurrent: { place, name } }),
    ...(!isNew && { locks: { place, blocks: 'writes' }, onlineAs: 'index' }),
    ...(!isNew && isUnique && { unique: { table: reference, columns: names } }),
  }
}
