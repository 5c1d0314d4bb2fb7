import type { Connection } from '../connect.js'
import type { Step } from '../ddl/runner.js'
import type { SqlNames } from '../models.js'
import { planKeys } from './key-columns.js'
import { planColumns, planTables } from './plan-tables.js'
import { type PlannedTables, withAdditions } from './planned-tables.js'
import {
  EXACT_KEYS,
  EXPIRY_INDEXES,
  PASSKEY_DETAILS,
  PROVIDER_SESSION,
  PROVIDER_SESSION_INDEXES,
  SESSION_DETAILS,
  SIGN_IN_TIME,
  TABLES,
  TOKEN_LEASE,
  TOKEN_SESSION_KEYS,
  TOKEN_SESSIONS,
} from './released.js'

/** Compares a database with what a migration makes, and gives the steps that are missing. */
export type Plan = (connection: Connection, names: SqlNames) => Promise<Step[]>

/** The tables as they are after the fifth migration. */
export const TABLES_0005: PlannedTables = [PASSKEY_DETAILS, SIGN_IN_TIME, EXPIRY_INDEXES].reduce(withAdditions, TABLES)

const plan0005: Plan = (connection, names) => planTables(connection, names, TABLES_0005)

const planExactKeys: Plan = (connection, names) => planKeys(connection, names, EXACT_KEYS)

const plan0006: Plan = async (connection, names) => [
  ...(await planColumns(connection, names, 'sessions', TABLES_0005.sessions, SESSION_DETAILS)),
  ...(await planTables(connection, names, TOKEN_SESSIONS)),
  ...(await planKeys(connection, names, TOKEN_SESSION_KEYS)),
]

const plan0007: Plan = async (connection, names) => [
  ...(await planColumns(connection, names, 'accounts', TABLES_0005.accounts, TOKEN_LEASE)),
  ...(await planColumns(
    connection,
    names,
    'sessions',
    TABLES_0005.sessions,
    PROVIDER_SESSION,
    PROVIDER_SESSION_INDEXES,
  )),
  ...(await planColumns(
    connection,
    names,
    'tokenSessions',
    TOKEN_SESSIONS.tokenSessions,
    PROVIDER_SESSION,
    PROVIDER_SESSION_INDEXES,
  )),
]

/**
 * The migrations in order. The name of a released migration, and the tables that it makes, never change: they are literal data in the file of the
 * migration, apart from the models of today. A new table, column or index is a new migration with a plan of its own.
 *
 * The first five have the same plan for tables: in a database without tables the first one makes them all, and the others find nothing to do.
 */
export const MIGRATIONS: Readonly<Record<string, Plan>> = {
  '0001-tables': plan0005,
  '0002-passkey-details': plan0005,
  '0003-sign-in-time': plan0005,
  '0004-exact-keys': planExactKeys,
  '0005-expiry-indexes': plan0005,
  '0006-token-sessions': plan0006,
  '0007-provider-sessions': plan0007,
}
