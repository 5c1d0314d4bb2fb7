import { type Column, type Database, type Dialect, EARLIEST_END, groupIndexes, type SqlTag } from './dialect.js'
import { deleteSome, limitStatements } from './mysql-statements.js'

type ColumnFact = 'name' | 'type' | 'charset' | 'collation' | 'extra' | 'length' | 'nullable' | 'preset' | 'comment'

/**
 * A column, with the rest of the definition that makes it distinguish all texts; null if other parts of its definition
 * would be lost.
 */
type MysqlColumn = Column & { readonly exactly?: string | null }

/** MySQL 8 and MariaDB. */
export function mysql(
  sql: SqlTag,
  { returning, skipsLocked }: { readonly returning: boolean; readonly skipsLocked: boolean },
): Dialect {
  return {
    name: 'mysql',
    returning: { insert: returning, update: false, delete: returning },
    skipsDuplicates: false,

    async columnsOf(db, { schema, table }) {
      const { rows } = await sql<Record<ColumnFact, string | null>>`
        select column_name as ${sql.id('name')}, column_type as ${sql.id('type')}, extra as ${sql.id('extra')},
          character_set_name as ${sql.id('charset')}, collation_name as ${sql.id('collation')},
          character_maximum_length as ${sql.id('length')}, is_nullable as ${sql.id('nullable')},
          column_default as ${sql.id('preset')}, column_comment as ${sql.id('comment')}
        from information_schema.columns
        where table_schema = coalesce(${schema ?? null}, database()) and table_name = ${table}
        order by ordinal_position`.execute(db)
      return rows.map((row): MysqlColumn => {
        const { name, type, charset, collation, extra, length, nullable, comment } = row
        // MariaDB writes the absence of a default value as NULL, MySQL leaves it out.
        const isPlain = !extra && !comment && (row.preset === null || row.preset === 'NULL')
        return {
          name: String(name),
          type: String(type).toLowerCase(),
          definition: charset && collation ? `${type} character set ${charset} collate ${collation}` : String(type),
          filled: /auto_increment/i.test(extra ?? ''),
          writable: !/(?:stored|virtual|persistent) generated/i.test(extra ?? ''),
          length: length === null ? null : Number(length),
          isExact: charset === null || /_bin$/i.test(collation ?? ''),
          exactly:
            charset && isPlain
              ? ` character set ${charset} collate ${charset}_bin${nullable === 'NO' ? ' not null' : ''}`
              : null,
        }
      })
    },

    alterKey(column, length) {
      const { exactly = null } = column as MysqlColumn
      if (exactly === null) return null
      const type = length === null ? column.type : `varchar(${length})`
      return sql`modify column ${sql.id(column.name)} ${sql.raw(type + exactly)}`
    },

    async indexesOf(db, { schema, table }) {
      const { rows } = await sql<Record<'index' | 'column' | 'duplicates' | 'prefix', string | number | null>>`
        select index_name as ${sql.id('index')}, column_name as ${sql.id('column')},
          non_unique as ${sql.id('duplicates')}, sub_part as ${sql.id('prefix')}
        from information_schema.statistics
        where table_schema = coalesce(${schema ?? null}, database()) and table_name = ${table}
        order by index_name, seq_in_index`.execute(db)
      // An index over the first characters of a column proves nothing about the whole.
      const partial = new Set(rows.filter(({ prefix }) => prefix !== null).map(({ index }) => index))
      return groupIndexes(
        rows.map(({ index, column, duplicates }) => ({
          index: String(index),
          column: String(column),
          unique: Number(duplicates) === 0 && !partial.has(index),
        })),
      )
    },

    fitsIndex: (columns) =>
      columns.every((column) => !/text$|blob$/.test(column?.type ?? '')) &&
      columns.reduce((sum, column) => sum + indexedBytes(column), 0) <= INDEX_BYTES,

    isDate: ({ type }) => /^(?:datetime|timestamp)/.test(type),

    // The first half finds the row through the index. The second half compares case, accents and trailing spaces.
    equals: (column, value) =>
      sql<boolean>`${column} = ${value} and cast(${column} as binary) = cast(${value} as binary)`,

    // As numbers, so that the time zones of the session, of the pool and of this process do not matter.
    readDate(column, { type }) {
      if (type.startsWith('datetime')) return sql`timestampdiff(microsecond, '1970-01-01 00:00:00', ${column}) / 1000`
      if (type.startsWith('timestamp')) return sql`unix_timestamp(${column}) * 1000`
      return column
    },

    writeDate(date, { type }) {
      if (type.startsWith('timestamp')) return sql`from_unixtime(${date.getTime() / 1000})`
      if (type.startsWith('datetime')) return date.toISOString().replace('T', ' ').replace('Z', '')
      return /int/.test(type) ? date.getTime() : date.toISOString()
    },
    writeBoolean: (value) => (value ? 1 : 0),

    async inUtc(db, action) {
      const within = async (one: Database) => {
        const { rows } = await sql<{ zone: string }>`select @@session.time_zone as ${sql.id('zone')}`.execute(one)
        await sql`set time_zone = '+00:00'`.execute(one)
        try {
          return await action(one)
        } finally {
          await sql`set time_zone = ${rows[0]?.zone ?? 'SYSTEM'}`.execute(one)
        }
      }
      return db.isTransaction ? within(db) : db.connection().execute(within)
    },

    endsBetween(column, definition, from, before) {
      const { type } = definition
      // The first conditions use an index and are a few hours too wide. The last one compares the moment itself, which
      // does not depend on changes of clocks.
      if (type.startsWith('timestamp')) {
        const first = this.writeDate(new Date(from.getTime() - LARGEST_TURN_MS), definition)
        const end = this.writeDate(new Date(before.getTime() + LARGEST_TURN_MS), definition)
        const moment = sql`unix_timestamp(${column})`
        return sql<boolean>`${column} >= ${first} and ${column} < ${end}
          and ${moment} >= ${from.getTime() / 1000} and ${moment} < ${before.getTime() / 1000}`
      }
      if (this.isDate(definition) || isNumber(type)) {
        const [first, end] = [this.writeDate(from, definition), this.writeDate(before, definition)]
        return sql<boolean>`${column} >= ${first} and ${column} < ${end}`
      }
      if (!isText(type)) return null
      return sql<boolean>`case
        when ${column} regexp ${ISO_DATE} then cast(${column} as binary) >= cast(${from.toISOString()} as binary)
          and cast(${column} as binary) < cast(${before.toISOString()} as binary)
        when ${column} regexp ${MILLISECONDS} then cast(${column} as signed) >= ${from.getTime()}
          and cast(${column} as signed) < ${before.getTime()}
        else false end`
    },
    isNoEnd(column, definition) {
      const { type } = definition
      if (this.isDate(definition) || isNumber(type)) {
        return sql<boolean>`(${column} is null or ${column} < ${this.writeDate(EARLIEST_END, definition)})`
      }
      if (!isText(type)) return sql<boolean>`true`
      return sql<boolean>`(${column} is null or not (${column} regexp ${ISO_DATE} or ${column} regexp ${MILLISECONDS}))`
    },
    withStatementLimit: (db, limitMs, action) =>
      db.connection().execute(async (connected) => {
        const restore = await limitStatements(sql, connected, limitMs)
        // A connection that is lost has lost its settings, too.
        return action(connected).finally(() => restore().catch(() => {}))
      }),
    clock: sql`timestampdiff(microsecond, '1970-01-01 00:00:00', utc_timestamp(3)) / 1000`,

    deleteSome: (batch) => deleteSome(sql, batch, skipsLocked),
  }
}

/** The most bytes of one row that an index of InnoDB holds, with the usual format of rows. */
const INDEX_BYTES = 3072

/** The most bytes that a value of a column can have. A character has up to four bytes. */
const indexedBytes = (column: Column | undefined): number =>
  (column === undefined ? 255 : (column.length ?? 2)) *
  (/binary|\b(?:ascii|latin1)\b/.test(column?.definition ?? '') ? 1 : 4)

/** More than clocks are ever changed at once. */
const LARGEST_TURN_MS = 3 * 60 * 60 * 1000

const isNumber = (type: string) => /^(?:bigint|decimal|double)/.test(type)

const isText = (type: string) => /^(?:varchar|char|\w*text)/.test(type)

const ISO_DATE = '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]+)?Z$'

const MILLISECONDS = '^[0-9]{12,15}$'
