import { AdapterError } from '../../../errors.js'
import type { Column, Database, Dialect, SqlTag } from './dialect.js'
import { groupIndexes } from './group-indexes.js'

/** Asks the server what it is. */
export async function detectMysql(sql: SqlTag, db: Database): Promise<Dialect> {
  const { rows } = await sql<{ version: string; mode: string }>`
    select version() as version, @@session.sql_mode as mode`.execute(db)
  const { version = '', mode = '' } = rows[0] ?? {}
  // mysql2 puts values into the statement itself and escapes them with backslashes.
  if (mode.split(',').includes('NO_BACKSLASH_ESCAPES')) {
    throw new AdapterError(
      'The sql_mode NO_BACKSLASH_ESCAPES makes values unsafe to send: remove it from this connection.',
    )
  }
  return mysql(sql, { returning: isMariadbWithReturning(version) })
}

/** `insert … returning` came with MariaDB 10.5, `delete … returning` before it; MySQL has neither. */
export function isMariadbWithReturning(version: string): boolean {
  // Some MariaDB servers put "5.5.5-" in front of their version, for the sake of old replicas.
  const match = /^(?:5\.5\.5-)?(\d+)\.(\d+)\..*mariadb/i.exec(version)
  if (!match) return false
  const [major, minor] = [Number(match[1]), Number(match[2])]
  return major > 10 || (major === 10 && minor >= 5)
}

type ColumnFact = 'name' | 'type' | 'charset' | 'collation' | 'extra' | 'length' | 'nullable' | 'preset' | 'comment'

/** A column, with what its definition goes on with where it tells all texts apart; null where that would lose what else the definition says. */
type MysqlColumn = Column & { readonly exactly?: string | null }

/** MySQL 8 and MariaDB. */
export function mysql(sql: SqlTag, { returning }: { readonly returning: boolean }): Dialect {
  return {
    name: 'mysql',
    returning: { insert: returning, update: false, delete: returning },
    types: {
      id: 'varchar(255)',
      key: 'varchar(255)',
      email: 'varchar(320)',
      // Ids in any script, and those of passkeys, which are long: an index holds 3072 bytes in all.
      account: 'varbinary(2048)',
      // 1023 bytes at most (WebAuthn §4), in base64; ASCII keeps it within what an index can hold.
      credential: 'varchar(1400) character set ascii collate ascii_bin',
      text: 'text',
      date: 'datetime(3)',
      integer: 'bigint',
      boolean: 'boolean',
    },
    // The server's default collation takes "a" for "A": two accounts would be one.
    tableSuffix: ' engine=InnoDB default charset=utf8mb4 collate=utf8mb4_bin',

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

    unusableIndexesOf: async () => [],
    canIndexConcurrently: async () => false,

    isDate: ({ type }) => /^(?:datetime|timestamp)/.test(type),

    // The first half finds the row through the index; the second sees to case, accents and trailing blanks.
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
  }
}
