import type { RawBuilder } from 'kysely'
import { type Column, type Dialect, EARLIEST_END, groupIndexes, type SqlTag } from './dialect.js'

/** SQLite 3.35 and newer. */
export function sqlite(sql: SqlTag): Dialect {
  return {
    name: 'sqlite',
    returning: { insert: true, update: true, delete: true },
    skipsDuplicates: true,

    async columnsOf(db, { table }) {
      const { rows } = await sql<Record<'name' | 'type', string> & Record<'preset' | 'pk' | 'hidden', unknown>>`
        select name, type, dflt_value as preset, pk, hidden from pragma_table_xinfo(${table})`.execute(db)
      // An application may have its database give numbers as BigInt.
      const isKey = (pk: unknown) => Number(pk) > 0
      const singleKey = rows.filter(({ pk }) => isKey(pk)).length === 1
      return rows.map(({ name, type, preset, pk, hidden }) => ({
        name,
        type: type.toLowerCase(),
        definition: type || 'text',
        // "integer primary key" is the row's own number.
        filled: preset !== null || (singleKey && isKey(pk) && type.toLowerCase() === 'integer'),
        writable: Number(hidden) === 0,
        // SQLite accepts texts of any length, and does not name the collation of a column.
        length: null,
        isExact: true,
      }))
    },

    async indexesOf(db, { table }) {
      const { rows } = await sql<{ index: string; column: string; unique: unknown }>`
        select list.name as "index", info.name as "column", list."unique" as "unique"
        from pragma_index_list(${table}) as list, pragma_index_info(list.name) as info
        where list.partial = 0 and not exists (select 1 from pragma_index_info(list.name) where name is null)
        order by list.seq, info.seqno`.execute(db)
      const key = await sql<{ name: string }>`
        select name from pragma_table_info(${table}) where pk > 0 order by pk`.execute(db)
      const indexes = groupIndexes(rows.map((row) => ({ ...row, unique: Number(row.unique) === 1 })))
      // The key of an "integer primary key" table is not in the list.
      return key.rows.length > 0 ? [...indexes, { columns: key.rows.map(({ name }) => name), unique: true }] : indexes
    },

    isDate: ({ type }) => /datetime|timestamp/.test(type),
    equals: (column, value) => sql<boolean>`${column} = ${value}`,
    readDate: (column) => column,
    writeDate: (date, { type }) => (type.includes('int') ? date.getTime() : date.toISOString()),
    // Drivers bind no booleans: better-sqlite3 refuses them, and libsql ends the process.
    writeBoolean: (value) => (value ? 1 : 0),

    endsBetween(column, definition, from, before) {
      const end = endOf(sql, column, definition)
      return sql<boolean>`${column} < ${notAfter(before, definition)} and ${end} >= ${from.getTime()} and ${end} < ${before.getTime()}`
    },
    isNoEnd(column, definition) {
      const end = endOf(sql, column, definition)
      const outside = sql`(${column} < ${notAfter(new Date(), definition)} or ${column} >= '3')`
      return sql<boolean>`(${column} is null or (${outside} and coalesce(${end}, 0) < ${EARLIEST_END.getTime()}))`
    },
    // The driver runs one statement at a time, and no time limit can end it.
    withStatementLimit: (db, _limitMs, action) => action(db),
    clock: sql`cast(strftime('%s', 'now') as integer) * 1000`,

    async deleteSome({ db, table, key, condition, limit, order }) {
      const keys = sql.join(key)
      const { numAffectedRows } = await sql`
        delete from ${table} where (${keys}) in (
          select ${keys} from ${table} where ${condition} ${order ? sql`order by ${order}` : sql``}
          limit ${sql.lit(limit)})
        and ${condition}`.execute(db)
      const deleted = Number(numAffectedRows ?? 0)
      return { found: deleted, deleted, ends: [] }
    },
  }
}

const DAY_MS = 24 * 60 * 60 * 1000

/**
 * The value of a column as milliseconds since 1970, or null. In SQLite each value has its own type, which may differ
 * from that of its column. A date is a number or a text. A text without a time zone is in UTC, as everywhere in the
 * adapter.
 */
function endOf(sql: SqlTag, column: RawBuilder<unknown>, { type }: Column): RawBuilder<unknown> {
  const number = sql`typeof(${column}) in ('integer', 'real') then ${column}`
  if (type.includes('int')) return sql`case when ${number} end`
  return sql`case when ${number}
    when ${column} glob '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9][T ]*' then cast(strftime('%s', ${column}) as integer) * 1000
    when length(${column}) between 12 and 15 and ${column} not glob '*[^0-9]*' then cast(${column} as integer) end`
}

/**
 * An upper bound that can use an index: if a date is some days later than another one, its text is later, too. Numbers
 * come before all texts.
 */
const notAfter = (moment: Date, { type }: Column): number | string =>
  type.includes('int') ? moment.getTime() : new Date(moment.getTime() + 2 * DAY_MS).toISOString()
