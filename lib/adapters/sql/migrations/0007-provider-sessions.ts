import type { LaterIndexes, PlannedColumns } from './planned-tables.js'

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
