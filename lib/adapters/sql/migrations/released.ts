import type {
  KeyColumn,
  LaterIndexes,
  PlannedAdditions,
  PlannedColumns,
  PlannedTable,
  PlannedTables,
} from './planned-tables.js'

/** The five tables of Auth.js's SQL adapters. Users come first: the other tables refer to them. Released; this never changes. */
export const TABLES: PlannedTables = {
  users: {
    table: 'users',
    columns: {
      id: { kind: 'id', required: true },
      name: { kind: 'text' },
      email: { kind: 'email' },
      emailVerified: { kind: 'date' },
      image: { kind: 'text' },
    },
    key: ['id'],
    unique: [['email']],
    indexes: [],
    ofUser: false,
  },
  accounts: {
    table: 'accounts',
    columns: {
      userId: { kind: 'id', required: true },
      type: { kind: 'text', required: true },
      provider: { kind: 'key', required: true },
      providerAccountId: { kind: 'account', required: true },
      refresh_token: { kind: 'text' },
      access_token: { kind: 'text' },
      expires_at: { kind: 'integer' },
      id_token: { kind: 'text' },
      scope: { kind: 'text' },
      session_state: { kind: 'text' },
      token_type: { kind: 'text' },
    },
    key: ['provider', 'providerAccountId'],
    unique: [],
    indexes: ['userId'],
    ofUser: true,
  },
  sessions: {
    table: 'sessions',
    columns: {
      sessionToken: { kind: 'key', required: true },
      userId: { kind: 'id', required: true },
      expires: { kind: 'date', required: true },
    },
    key: ['sessionToken'],
    unique: [],
    indexes: ['userId'],
    ofUser: true,
  },
  verificationTokens: {
    table: 'verification_token',
    columns: {
      identifier: { kind: 'email', required: true },
      token: { kind: 'key', required: true },
      expires: { kind: 'date', required: true },
    },
    key: ['identifier', 'token'],
    unique: [],
    indexes: [],
    ofUser: false,
  },
  authenticators: {
    table: 'authenticators',
    columns: {
      credentialID: { kind: 'credential', required: true },
      userId: { kind: 'id', required: true },
      providerAccountId: { kind: 'text', required: true },
      credentialPublicKey: { kind: 'text', required: true },
      counter: { kind: 'integer', required: true },
      credentialDeviceType: { kind: 'text', required: true },
      credentialBackedUp: { kind: 'boolean', required: true },
      transports: { kind: 'text' },
    },
    key: ['credentialID'],
    unique: [],
    indexes: ['userId'],
    ofUser: true,
  },
}

/** Names, dates and user handles of passkeys. Released; this never changes. */
export const PASSKEY_DETAILS: PlannedAdditions = {
  authenticators: {
    columns: {
      name: { kind: 'text' },
      createdAt: { kind: 'date' },
      lastUsedAt: { kind: 'date' },
      userHandle: { kind: 'text' },
      aaguid: { kind: 'text' },
      userVerified: { kind: 'boolean' },
      attestationObject: { kind: 'text' },
    },
  },
}

/** When the user of a session signed in. Released; this never changes. */
export const SIGN_IN_TIME: PlannedAdditions = {
  sessions: { columns: { authenticatedAt: { kind: 'date' } } },
}

/** How many characters a column can hold after it was widened. */
export const WIDENED_LENGTH = 255

/**
 * Columns by which rows are found and whose values people outside may choose. They must tell all texts apart, and hold what is stored in them.
 * Released; this never changes.
 */
export const EXACT_KEYS: readonly KeyColumn[] = [
  { model: 'users', table: 'users', member: 'email', minLength: 0 },
  { model: 'accounts', table: 'accounts', member: 'provider', minLength: 0 },
  { model: 'accounts', table: 'accounts', member: 'providerAccountId', minLength: 0 },
  { model: 'sessions', table: 'sessions', member: 'sessionToken', minLength: 71 },
  { model: 'verificationTokens', table: 'verification_token', member: 'identifier', minLength: 0 },
  { model: 'verificationTokens', table: 'verification_token', member: 'token', minLength: 64 },
  { model: 'authenticators', table: 'authenticators', member: 'credentialID', minLength: 0 },
]

/** Expired sessions and mailed links are found by an index. Released; this never changes. */
export const EXPIRY_INDEXES: PlannedAdditions = {
  sessions: { indexes: ['expires'] },
  verificationTokens: { indexes: ['expires'] },
}

/** What a user sees of their sessions. Released; this never changes. */
export const SESSION_DETAILS: PlannedColumns = {
  createdAt: { kind: 'date' },
  lastSeenAt: { kind: 'date' },
  userAgent: { kind: 'text' },
  network: { kind: 'text' },
  kind: { kind: 'text' },
  name: { kind: 'text' },
  scope: { kind: 'text' },
  instance: { kind: 'text' },
}

/**
 * Sessions whose tokens are in cookies. Their users may be in another store, so no column refers to the table of users.
 * Released; this never changes.
 */
export const TOKEN_SESSIONS = {
  tokenSessions: {
    table: 'token_sessions',
    columns: {
      id: { kind: 'key', required: true },
      userId: { kind: 'key', required: true },
      expires: { kind: 'date', required: true },
      revokedAt: { kind: 'date' },
      tokenIssuedAt: { kind: 'date' },
      ...SESSION_DETAILS,
    },
    key: ['id'],
    unique: [],
    indexes: ['userId', 'expires'],
    ofUser: false,
  },
} as const satisfies Readonly<Record<string, PlannedTable>>

/** The key of a table that somebody made for token sessions. Released; this never changes. */
export const TOKEN_SESSION_KEYS: readonly KeyColumn[] = [
  { model: 'tokenSessions', table: 'token_sessions', member: 'id', minLength: 64 },
]

/** While one process refreshes the tokens of an account, no other one does. Released; this never changes. */
export const TOKEN_LEASE: PlannedColumns = { tokenLease: { kind: 'text' } }

/**
 * At which provider a session began, and what it is called there. Sessions and token sessions have the same columns.
 * Released; this never changes.
 */
export const PROVIDER_SESSION: PlannedColumns = {
  provider: { kind: 'key' },
  subject: { kind: 'key' },
  sid: { kind: 'key' },
}

/** Sessions are found by their provider and either name. Released; this never changes. */
export const PROVIDER_SESSION_INDEXES: LaterIndexes = [
  ['provider', 'sid'],
  ['provider', 'subject'],
]
