import { type Dialect, EARLIEST_END, groupIndexes, inTransaction, type SqlTag, type TablePlace } from './dialect.js'

/** PostgreSQL 12 and newer. */
export function postgres(sql: SqlTag): Dialect {
  return {
    name: 'postgres',
    returning: { insert: true, update: true, delete: true },
    skipsDuplicates: true,

    async columnsOf(db, place) {
      // Numbers instead of booleans: an application may have replaced the parsers of pg.
      const { rows } = await sql<
        Record<'name' | 'type', string> & Record<'filled' | 'computed' | 'limit' | 'exact', unknown>
      >`
        select a.attname as name, format_type(a.atttypid, null) as type,
          (a.atthasdef or a.attidentity <> '')::int as filled, (a.attgenerated <> '')::int as computed,
          case when format_type(a.atttypid, null) like 'character%' and a.atttypmod > 4 then a.atttypmod - 4 end as limit,
          coalesce(c.collisdeterministic, true)::int as exact
        from pg_attribute a left join pg_collation c on c.oid = a.attcollation
        where a.attrelid = to_regclass(${regclass(place)}) and a.attnum > 0 and not a.attisdropped
        order by a.attnum`.execute(db)
      return rows.map(({ name, type, filled, computed, limit, exact }) => ({
        name,
        type: type.toLowerCase(),
        definition: type,
        filled: Number(filled) === 1,
        writable: Number(computed) === 0,
        length: limit === null ? null : Number(limit),
        isExact: Number(exact) === 1 && !/(?:^|[."])citext\b/.test(type),
      }))
    },

    async indexesOf(db, place) {
      const { rows } = await sql<{ index: string; column: string; unique: unknown }>`
        select i.indexrelid::text as index, a.attname as column, i.indisunique::int as unique
        from pg_index i
        cross join lateral unnest(i.indkey) with ordinality as k(number, position)
        join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.number
        where i.indrelid = to_regclass(${regclass(place)}) and k.position <= i.indnkeyatts
          and i.indpred is null and i.indexprs is null and i.indisvalid
        order by i.indexrelid, k.position`.execute(db)
      return groupIndexes(rows.map((row) => ({ ...row, unique: Number(row.unique) === 1 })))
    },

    async unusableIndexesOf(db, place) {
      const { rows } = await sql<{ schema: string; name: string }>`
        select n.nspname as schema, c.relname as name
        from pg_index i join pg_class c on c.oid = i.indexrelid join pg_namespace n on n.oid = c.relnamespace
        where i.indrelid = to_regclass(${regclass(place)}) and not i.indisvalid`.execute(db)
      return rows.map(({ schema, name }) => ({ name, drop: sql`drop index concurrently ${sql.id(schema, name)}` }))
    },

    async canIndexConcurrently(db, place) {
      const { rows } = await sql<{ kind: string }>`
        select relkind::text as kind from pg_class where oid = to_regclass(${regclass(place)})`.execute(db)
      // A table in partitions has no such index.
      return rows[0]?.kind === 'r'
    },

    // The owner chose a type or collation in which two texts can be equal, and other code may depend on it.
    // From character(n) to varchar(n) the server rewrites the table, and from varchar(n) to varchar(more) it does not.
    alterKey: ({ name, isExact, type }, length) =>
      isExact && length !== null && type.startsWith('character varying')
        ? sql`alter column ${sql.id(name)} type ${sql.raw(`varchar(${length})`)}`
        : null,
    isDate: ({ type }) => type.startsWith('timestamp'),
    equals: (column, value) => sql<boolean>`${column} = ${value}`,

    // The epoch of both kinds of timestamp depends neither on the session's time zone nor on the parsers set in the
    // driver.
    readDate: (column, { type }) =>
      type.startsWith('timestamp') ? sql`(extract(epoch from ${column}) * 1000)::float8` : column,

    // In UTC and as text: a `timestamp` column drops the zone, and pg would write a Date in the zone of this process.
    writeDate: (date, { type }) => (/int|numeric/.test(type) ? date.getTime() : date.toISOString()),
    writeBoolean: (value) => value,

    endsBetween(column, { type }, from, before) {
      if (type.startsWith('timestamp')) {
        return sql<boolean>`${column} >= ${from.toISOString()} and ${column} < ${before.toISOString()}`
      }
      if (isNumber(type)) return sql<boolean>`${column} >= ${from.getTime()} and ${column} < ${before.getTime()}`
      if (!isText(type)) return null
      // Texts of one form have the order of their times. A case checks its condition before it converts; an "and" may
      // convert first.
      return sql<boolean>`case
        when ${column} ~ ${ISO_DATE} then ${column} collate "C" >= ${from.toISOString()} and ${column} collate "C" < ${before.toISOString()}
        when ${column} ~ ${MILLISECONDS} then ${column}::bigint >= ${from.getTime()} and ${column}::bigint < ${before.getTime()}
        else false end`
    },
    isNoEnd(column, { type }) {
      if (type.startsWith('timestamp'))
        return sql<boolean>`(${column} is null or ${column} < ${EARLIEST_END.toISOString()})`
      if (isNumber(type)) return sql<boolean>`(${column} is null or ${column} < ${EARLIEST_END.getTime()})`
      if (!isText(type)) return sql<boolean>`true`
      return sql<boolean>`(${column} is null or (${column} !~ ${ISO_DATE} and ${column} !~ ${MILLISECONDS}))`
    },
    // In a transaction: the setting ends with the transaction, and behind a pooler all its statements go to one process
    // of the server.
    withStatementLimit: (db, limitMs, action) =>
      inTransaction(
        db,
        async (transaction) => {
          const limit = limitMs === Number.POSITIVE_INFINITY ? 0 : Math.ceil(limitMs)
          await sql`select set_config('statement_timeout', ${String(limit)}, true)`.execute(transaction)
          return action(transaction)
        },
        () => action(db),
      ),
    clock: sql`(extract(epoch from clock_timestamp()) * 1000)::float8`,

    // A row that another transaction uses is skipped, so that nobody waits. The condition is repeated because rows in
    // different partitions of a table can have the same ctid.
    async deleteSome({ db, table, condition, limit, order, end }) {
      const { rows } = await sql<{ end: unknown }>`
        delete from ${table} where ctid = any(array(
          select ctid from ${table} where ${condition} ${order ? sql`order by ${order}` : sql``}
          limit ${sql.lit(limit)} for update skip locked))
        and ${condition} returning ${end} as "end"`.execute(db)
      return { found: rows.length, deleted: rows.length, ends: rows.map((row) => row.end) }
    },
  }
}

const isNumber = (type: string) => /^(?:bigint|int8|numeric|double precision)/.test(type)

const isText = (type: string) => /^(?:text|character|varchar)/.test(type)

const ISO_DATE = '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?Z$'

const MILLISECONDS = '^\\d{12,15}$'

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`

/** A table as PostgreSQL's `to_regclass` takes it. */
export const regclass = ({ schema, table }: TablePlace) =>
  schema === undefined ? quoted(table) : `${quoted(schema)}.${quoted(table)}`
