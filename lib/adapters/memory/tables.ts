import type {
  AdapterAccount,
  AdapterAuthenticator,
  AdapterSession,
  AdapterUser,
  VerificationToken,
} from '../adapter.js'

/**
 * The keys of the rows that belong to one user. A deletion of the user finds them without a search. The user may be in
 * another store.
 */
interface OwnedKeys {
  readonly accounts: Set<string>
  readonly sessions: Set<string>
  readonly authenticators: Set<string>
}

/** All rows of a memory adapter. Accounts and verification tokens are under the key that `pairKey` makes. */
export interface Tables {
  readonly users: Map<string, AdapterUser>
  readonly userIdByEmail: Map<string, string>
  readonly accounts: Map<string, AdapterAccount>
  readonly sessions: Map<string, AdapterSession>
  readonly verificationTokens: Map<string, VerificationToken>
  readonly authenticators: Map<string, AdapterAuthenticator>
  /** By user id. */
  readonly ownedKeys: Map<string, OwnedKeys>
}

export const createTables = (): Tables => ({
  users: new Map(),
  userIdByEmail: new Map(),
  accounts: new Map(),
  sessions: new Map(),
  verificationTokens: new Map(),
  authenticators: new Map(),
  ownedKeys: new Map(),
})
