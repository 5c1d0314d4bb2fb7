import type { PlannedAdditions } from './planned-tables.js'

/** Expired sessions and mailed links are found by an index. Released; this never changes. */
export const EXPIRY_INDEXES: PlannedAdditions = {
  sessions: { indexes: ['expires'] },
  verificationTokens: { indexes: ['expires'] },
}
