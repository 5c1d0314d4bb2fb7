import type { PlannedAdditions } from './planned-tables.js'

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
