import type { RawBuilder } from 'kysely'
import { AdapterError } from '../../../errors.js'
import { inTransaction, isWithoutTransactions } from '../transactions.js'
import { type Batch, type Column, type Database, type Dialect, EARLIEST_END, type SqlTag } from './dialect.js'
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
  return mysql(sql, { returning: isMariadbWithReturning(version), skipsLocked: canSkipLocked(version) })
}

/** `insert … returning` came with MariaDB 10.5, `delete … returning` before it; MySQL has neither. */
export const isMariadbWithReturning = (version: string): boolean => isMariadbFrom(version, 10, 5)

/** `for update skip locked` came with MySQL 8.0.1 and MariaDB 10.6. TiDB, which passes for MySQL, has none. */
export const canSkipLocked = (version: string): boolean =>
  /mariadb/i.test(version) ? isMariadbFrom(version, 10, 6) : Number.parseInt(version, 10) >= 8 && !/tidb/i.test(version)

function isMariadbFrom(version: string, major: number, minor: number): boolean {
  // Some MariaDB servers put "5.5.5-" in front of their version, for the sake of old replicas.
  const match = /^(?:5\.5\.5-)?(\d+)\.(\d+)\..*mariadb/i.exec(version)
  if (!match) return false
  const [hasMajor, hasMinor] = [Number(match[1]), Number(match[2])]
  return hasMajor > major || (hasMajor === major && hasMinor >= minor)
}

type ColumnFact = 'name' | 'type' | 'charset' | 'collation' | 'extra' | 'length' | 'nullable' | 'preset' | 'comment'

/** A column, with what its definition goes on with where it tells all texts apart; null where that would lose what else the definition says. */
type MysqlColumn = Column & { readonly exactly?: string | null }

/** MySQL 8 and MariaDB. */
export function mysql(
  sql: SqlTag,
  { returning, skipsLocked }: { readonly returning: boolean; readonly skipsLocked: boolean },
): Dialect {
  return {
    name: 'mysql',
    returning: { insert: returning, update: false, delete: returning },

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

    canIndex: (type) => !/text$|blob$/.test(type),
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
      // An index finds what is near; the moment itself, which no clock that is turned back changes, decides.
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

    // Looked for without a lock: a search that locks would lock all that it looks at.
    async deleteSome({ db, table, key, condition, limit, order, end }) {
      const columns = key.map((column, index) => sql`${column} as ${sql.id(`key${index}`)}`)
      const chosen = sql.join([...columns, sql`${end} as ${sql.id('end')}`])
      const remove = skipsLocked ? deleteUnlocked : deleteInHalves
      for (let window = limit; ; window += limit) {
        const { rows } = await sql<KeyRow>`
          select ${chosen} from ${table} where ${condition}
          ${order ? sql`order by ${order}` : sql``} limit ${sql.lit(window)}`.execute(db)
        const deleted = await remove(sql, { db, table, key, condition, rows })
        const found = rows.length - (window - limit)
        if (deleted > 0 || found < limit || rows.length === 0)
          return { found, deleted, ends: rows.map((row) => row['end']) }
        // Somebody is at work on all of them: there may be others behind them.
      }
    },
  }
}

/** A row's key, as `key0` and so on. */
type KeyRow = Record<string, unknown>

/** Rows that were found a moment ago, and are to be deleted if they still match. */
interface Found extends Pick<Batch, 'db' | 'table' | 'key' | 'condition'> {
  readonly rows: readonly KeyRow[]
}

const areRows = (sql: SqlTag, key: Found['key'], rows: readonly KeyRow[]): RawBuilder<boolean> => {
  const each = rows.map((row) => {
    const parts = key.map((column, index) => sql`${column} = ${row[`key${index}`]}`)
    return sql`(${sql.join(parts, sql` and `)})`
  })
  return sql<boolean>`(${sql.join(each, sql` or `)})`
}

/** Deletes those that nobody else is at work on. Gives how many. */
async function deleteUnlocked(sql: SqlTag, found: Found): Promise<number> {
  const { db, table, key, condition, rows } = found
  if (rows.length === 0) return 0
  const columns = sql.join(key.map((column, index) => sql`${column} as ${sql.id(`key${index}`)}`))
  return inTransaction(db, async (transaction) => {
    const locked = await sql<KeyRow>`
      select ${columns} from ${table} where ${areRows(sql, key, rows)} and ${condition}
      for update skip locked`.execute(transaction)
    return deleteRows(sql, { ...found, db: transaction, rows: locked.rows })
  }).catch((error: unknown) => {
    if (isWithoutTransactions(error)) return deleteRows(sql, found)
    throw error
  })
}

/** Does so on a server that cannot skip what is locked: where it refuses several, it is asked for each half of them. */
async function deleteInHalves(sql: SqlTag, found: Found): Promise<number> {
  const { db, table, key, condition, rows } = found
  if (rows.length === 0) return 0
  try {
    return await inTransaction(db, async (transaction) => {
      await sql`
        select 1 from ${table} where ${areRows(sql, key, rows)} and ${condition} for update nowait`.execute(transaction)
      return deleteRows(sql, { ...found, db: transaction })
    })
  } catch (error) {
    if (isWithoutTransactions(error)) return deleteRows(sql, found)
    if (!isLocked(error)) throw error
    if (rows.length === 1) return 0
    const half = Math.ceil(rows.length / 2)
    const first = await deleteInHalves(sql, { ...found, rows: rows.slice(0, half) })
    return first + (await deleteInHalves(sql, { ...found, rows: rows.slice(half) }))
  }
}

async function deleteRows(sql: SqlTag, { db, table, key, condition, rows }: Found): Promise<number> {
  let deleted = 0
  // One by one: a statement that looks for many may read the whole table, and wait for rows that are none of them.
  for (const row of rows) {
    const deletion = sql`delete from ${table} where ${areRows(sql, key, [row])} and ${condition}`
    const { numAffectedRows } = await deletion.execute(db)
    deleted += Number(numAffectedRows ?? 0)
  }
  return deleted
}

/** What MariaDB and MySQL say to `nowait`. */
const isLocked = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && /^ER_LOCK_(?:WAIT_TIMEOUT|NOWAIT)$/.test(String(error.code))

/** Gives what undoes it. A server that knows no limit goes without. */
async function limitStatements(sql: SqlTag, db: Database, limitMs: number): Promise<() => Promise<void>> {
  const set = async (ms: number) => {
    await sql.raw(setStatementLimit(ms)).execute(db)
  }
  const before = await sql<{ ms: unknown }>`select ${sql.raw(STATEMENT_LIMIT_MS)} as ${sql.id('ms')}`
    .execute(db)
    .then(({ rows }) => Number(rows[0]?.ms))
    .catch(() => null)
  if (before === null || Number.isNaN(before)) return async () => {}
  await set(limitMs === Number.POSITIVE_INFINITY ? 0 : Math.ceil(limitMs))
  return () => set(before)
}

/** How long a statement may take in this session. Each of the two servers takes the other's part for a comment. */
const STATEMENT_LIMIT_MS = '/*!50708 @@session.max_execution_time *//*M!100101 @@session.max_statement_time * 1000 */'

/** Sets that. MySQL has it for `select` alone. */
export const setStatementLimit = (ms: number): string =>
  `set session /*!50708 max_execution_time=${ms} *//*M!100101 max_statement_time=${ms / 1000} */`
/** More than any clock is turned by at once. */
const LARGEST_TURN_MS = 3 * 60 * 60 * 1000

const isNumber = (type: string) => /^(?:bigint|decimal|double)/.test(type)

const isText = (type: string) => /^(?:varchar|char|\w*text)/.test(type)

const ISO_DATE = '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]+)?Z$'

const MILLISECONDS = '^[0-9]{12,15}$'
