import type { Dialect, SqlTag } from './dialect.js'
import { groupIndexes } from './group-indexes.js'

/** SQLite 3.35 and newer. */
export function sqlite(sql: SqlTag): Dialect {
  return {
    name: 'sqlite',
    returning: { insert: true, update: true, delete: true },
    types: {
      id: 'text',
      key: 'text',
      email: 'text',
      account: 'text',
      credential: 'text',
      text: 'text',
      date: 'text',
      integer: 'integer',
      boolean: 'integer',
    },
    tableSuffix: '',

    async columnsOf(db, { table }) {
      const { rows } = await sql<{ name: string; type: string; preset: unknown; pk: number; hidden: number }>`
        select name, type, dflt_value as preset, pk, hidden from pragma_table_xinfo(${table})`.execute(db)
      const singleKey = rows.filter(({ pk }) => pk > 0).length === 1
      return rows.map(({ name, type, preset, pk, hidden }) => ({
        name,
        type: type.toLowerCase(),
        definition: type || 'text',
        // "integer primary key" is the row's own number.
        filled: preset !== null || (singleKey && pk > 0 && type.toLowerCase() === 'integer'),
        writable: hidden === 0,
        // SQLite takes texts of any length, and does not tell a column's collation.
        length: null,
        isExact: true,
      }))
    },

    async indexesOf(db, { table }) {
      const { rows } = await sql<{ index: string; column: string; unique: number }>`
        select list.name as "index", info.name as "column", list."unique" as "unique"
        from pragma_index_list(${table}) as list, pragma_index_info(list.name) as info
        where list.partial = 0 and not exists (select 1 from pragma_index_info(list.name) where name is null)
        order by list.seq, info.seqno`.execute(db)
      const key = await sql<{ name: string }>`
        select name from pragma_table_info(${table}) where pk > 0 order by pk`.execute(db)
      const indexes = groupIndexes(rows.map((row) => ({ ...row, unique: row.unique === 1 })))
      // The key of an "integer primary key" table is not in the list.
      return key.rows.length > 0 ? [...indexes, { columns: key.rows.map(({ name }) => name), unique: true }] : indexes
    },

    unusableIndexesOf: async () => [],
    canIndexConcurrently: async () => false,
    alterKey: () => null,
    isDate: ({ type }) => /datetime|timestamp/.test(type),
    equals: (column, value) => sql<boolean>`${column} = ${value}`,
    readDate: (column) => column,
    writeDate: (date, { type }) => (type.includes('int') ? date.getTime() : date.toISOString()),
    // Drivers bind no booleans: better-sqlite3 refuses them, and libsql ends the process.
    writeBoolean: (value) => (value ? 1 : 0),
  }
}
