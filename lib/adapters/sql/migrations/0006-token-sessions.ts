import type { KeyColumn } from '../unfit-keys.js'
import type { NewTables, PlannedColumns } from './planned-tables.js'

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
      createdAt: { kind: 'date' },
      lastSeenAt: { kind: 'date' },
      userAgent: { kind: 'text' },
      network: { kind: 'text' },
      kind: { kind: 'text' },
      name: { kind: 'text' },
      scope: { kind: 'text' },
      instance: { kind: 'text' },
    },
    key: ['id'],
    unique: [],
    indexes: ['userId', 'expires'],
    ofUser: false,
  },
} as const satisfies NewTables

/** The key of a table that somebody made for token sessions. Released; this never changes. */
export const TOKEN_SESSION_KEYS: readonly KeyColumn[] = [
  { model: 'tokenSessions', table: 'token_sessions', member: 'id', minLength: 64 },
]
