import type { PlannedAdditions } from './planned-tables.js'

/** When the user of a session signed in. Released; this never changes. */
export const SIGN_IN_TIME: PlannedAdditions = {
  sessions: { columns: { authenticatedAt: { kind: 'date' } } },
}
