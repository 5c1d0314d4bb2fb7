import type {
  AdapterAccount,
  AdapterAuthenticator,
  AdapterSession,
  AdapterTokenSession,
  AdapterUser,
  SessionDetails,
  VerificationToken,
} from '../adapter.js'

/** What a column holds; each dialect has a type for it. */
export type Kind = 'id' | 'key' | 'email' | 'account' | 'credential' | 'text' | 'date' | 'integer' | 'boolean'

export interface Field {
  readonly kind: Kind
  /** The column must be there and is `not null` in tables that Latchkey makes. */
  readonly required?: true
  /** The column must be there, and may be empty. */
  readonly expected?: true
  /** The fewest characters that its column must hold. */
  readonly atLeast?: number
  /** The tables of Auth.js have no such column. Without a value it is left out of what is read. */
  readonly added?: true
}

/** One of the six tables, in the names of the adapter contract. */
export interface Model {
  /** The table's name in Auth.js's SQL adapters. */
  readonly table: string
  readonly fields: Readonly<Record<string, Field>>
  readonly key: readonly string[]
  /** Groups of fields that no two rows may share, apart from the key. */
  readonly unique: readonly (readonly string[])[]
  /** Further fields by which rows are looked up, such as the expiry, by which expired rows are found. */
  readonly indexes: readonly string[]
  /** Rows belong to a user and are deleted with the user. */
  readonly ofUser: boolean
  /** Columns without a value are left out of what is read, rather than given as null. */
  readonly omitsNull?: true
}

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
}

const text: Field = { kind: 'text' }
const requiredText: Field = { kind: 'text', required: true }
const requiredId: Field = { kind: 'id', required: true }
const requiredKey: Field = { kind: 'key', required: true }
const requiredDate: Field = { kind: 'date', required: true }
const addedText: Field = { kind: 'text', added: true }
const addedDate: Field = { kind: 'date', added: true }

/** What a user sees of a session in the list of their sessions. */
const SESSION_DETAILS: Readonly<Record<keyof SessionDetails, Field>> = {
  createdAt: addedDate,
  lastSeenAt: addedDate,
  userAgent: addedText,
  network: addedText,
  kind: addedText,
  name: addedText,
  scope: addedText,
  instance: addedText,
  provider: { kind: 'key', added: true },
  subject: { kind: 'key', added: true },
  sid: { kind: 'key', added: true },
}

/** The tables, users first: the others refer to them. */
export const MODELS: Readonly<Record<ModelName, Model>> = {
  users: {
    table: 'users',
    fields: { id: requiredId, name: text, email: { kind: 'email' }, emailVerified: { kind: 'date' }, image: text },
    key: ['id'],
    unique: [['email']],
    indexes: [],
    ofUser: false,
  },
  accounts: {
    table: 'accounts',
    fields: {
      userId: requiredId,
      type: requiredText,
      provider: requiredKey,
      providerAccountId: { kind: 'account', required: true },
      refresh_token: text,
      access_token: text,
      expires_at: { kind: 'integer' },
      id_token: text,
      scope: text,
      session_state: text,
      token_type: text,
      tokenLease: addedText,
    },
    key: ['provider', 'providerAccountId'],
    unique: [],
    indexes: ['userId'],
    ofUser: true,
    omitsNull: true,
  },
  sessions: {
    table: 'sessions',
    fields: {
      // A prefix and a digest. The columns that the documentation of Auth.js suggests are longer; those of some
      // applications have 64 characters.
      sessionToken: { ...requiredKey, atLeast: 71 },
      userId: requiredId,
      expires: requiredDate,
      authenticatedAt: addedDate,
      ...SESSION_DETAILS,
    },
    key: ['sessionToken'],
    unique: [],
    indexes: ['userId', 'expires'],
    ofUser: true,
  },
  verificationTokens: {
    table: 'verification_token',
    fields: {
      identifier: { kind: 'email', required: true },
      token: { ...requiredKey, atLeast: 64 },
      expires: requiredDate,
    },
    key: ['identifier', 'token'],
    unique: [],
    indexes: ['expires'],
    ofUser: false,
  },
  authenticators: {
    table: 'authenticators',
    fields: {
      credentialID: { kind: 'credential', required: true },
      userId: requiredId,
      providerAccountId: requiredText,
      credentialPublicKey: requiredText,
      counter: { kind: 'integer', required: true },
      credentialDeviceType: requiredText,
      credentialBackedUp: { kind: 'boolean', required: true },
      transports: text,
      name: addedText,
      createdAt: addedDate,
      lastUsedAt: addedDate,
      userHandle: addedText,
      aaguid: addedText,
      userVerified: { kind: 'boolean', added: true },
      attestationObject: addedText,
    },
    key: ['credentialID'],
    unique: [],
    indexes: ['userId'],
    ofUser: true,
  },
  tokenSessions: {
    table: 'token_sessions',
    fields: {
      id: { ...requiredKey, atLeast: 64 },
      // No id of the table of users: users may be in another store, or in none.
      userId: requiredKey,
      expires: requiredDate,
      // Without this column, a revoked session would count.
      revokedAt: { kind: 'date', expected: true },
      tokenIssuedAt: { kind: 'date', expected: true },
      ...SESSION_DETAILS,
    },
    key: ['id'],
    unique: [],
    indexes: ['userId', 'expires'],
    ofUser: false,
  },
}

export const MODEL_NAMES = Object.keys(MODELS) as ModelName[]

/** Where the tables are and what they are called. */
export interface SqlNames {
  /** PostgreSQL schema, or MySQL database, of the tables; by default the one that the connection is in. */
  schema?: string
  /**
   * Table names, when they differ from `users`, `accounts`, `sessions`, `verification_token`, `authenticators` and
   * `token_sessions`.
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
