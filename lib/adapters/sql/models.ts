import type {
  AdapterAccount,
  AdapterAuthenticator,
  AdapterRecord,
  AdapterSession,
  AdapterTokenSession,
  AdapterUser,
  VerificationToken,
} from '../adapter.js'
import { AUTHENTICATION, type Model, RECORDS, TABLES_0008, withAdditions } from './migrations/released.js'

/** What Latchkey keeps, by the name that {@link SqlNames} uses; each kind has a table. */
export type ModelName = keyof RowOf

/** The rows of each table, as the adapter contract has them. */
export interface RowOf {
  users: AdapterUser
  accounts: AdapterAccount
  sessions: AdapterSession
  verificationTokens: VerificationToken
  authenticators: AdapterAuthenticator
  tokenSessions: AdapterTokenSession
  records: AdapterRecord
}

/** The tables as they are after the last migration. */
export const MODELS: Readonly<Record<ModelName, Model>> = {
  ...withAdditions(TABLES_0008, AUTHENTICATION),
  ...RECORDS,
}

export const MODEL_NAMES = Object.keys(MODELS) as ModelName[]

/** Where the tables are and what they are called. */
export interface SqlNames {
  /** PostgreSQL schema, or MySQL database, of the tables; by default the one that the connection is in. */
  schema?: string
  /**
   * Table names, when they differ from `users`, `accounts`, `sessions`, `verification_token`, `authenticators`,
   * `token_sessions` and `latchkey_records`.
   */
  tables?: Partial<Record<ModelName, string>>
  /**
   * Column names by member name, when they differ: `{ users: { emailVerified: 'email_verified' } }`.
   * `false` leaves a column of yours alone: it is neither read nor written.
   */
  columns?: Partial<Record<ModelName, Readonly<Record<string, string | false>>>>
}

/** The name of a model's table. */
export const tableName = (model: ModelName, names: SqlNames) => names.tables?.[model] ?? MODELS[model].table

/** The name of the column that holds a member; null if the column is neither read nor written. */
export function columnName(model: ModelName, member: string, names: SqlNames): string | null {
  const mapped = names.columns?.[model]?.[member]
  return mapped === false ? null : (mapped ?? member)
}

/** The member that a column holds; null if the column is neither read nor written. */
export function memberName(model: ModelName, column: string, names: SqlNames): string | null {
  const mapping = names.columns?.[model] ?? {}
  const member = Object.keys(mapping).find((name) => mapping[name] === column)
  if (member !== undefined) return member
  // If a member is in another column, or in none, it must not be read from the column that has its name.
  return Object.hasOwn(mapping, column) ? null : column
}
