import type { Dialect } from '../dialects/dialect.js'
import type { ColumnKind } from './released.js'

/*
 * The column types of the tables that migrations make. Released migrations use them, so an entry never changes: another type is
 * another kind.
 */

const TEXT = 'text'
const TEXTS = { id: TEXT, key: TEXT, email: TEXT, account: TEXT, credential: TEXT, text: TEXT }

/** The type of each kind of column, by engine. */
export const COLUMN_TYPES: Readonly<Record<Dialect['name'], Readonly<Record<ColumnKind, string>>>> = {
  postgres: { ...TEXTS, date: 'timestamptz', integer: 'bigint', boolean: 'boolean' },
  mysql: {
    id: 'varchar(255)',
    key: 'varchar(255)',
    email: 'varchar(320)',
    // Provider account ids in any script, and ids of passkeys, which are long: an index holds 3072 bytes in all.
    account: 'varbinary(2048)',
    // At most 1023 bytes (WebAuthn §4), in base64. ASCII keeps the column within what an index can hold.
    credential: 'varchar(1400) character set ascii collate ascii_bin',
    text: TEXT,
    date: 'datetime(3)',
    integer: 'bigint',
    boolean: 'boolean',
  },
  sqlite: { ...TEXTS, date: TEXT, integer: 'integer', boolean: 'integer' },
}

/** The end of a `create table` statement, by engine. */
export const TABLE_SUFFIXES: Readonly<Record<Dialect['name'], string>> = {
  postgres: '',
  // The server's default collation does not tell "a" from "A": two accounts would be one.
  mysql: ' engine=InnoDB default charset=utf8mb4 collate=utf8mb4_bin',
  sqlite: '',
}
