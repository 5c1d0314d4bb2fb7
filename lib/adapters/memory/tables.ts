import type {
  AdapterAccount,
  AdapterAuthenticator,
  AdapterSession,
  AdapterTokenSession,
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
  readonly tokenSessions: Map<string, AdapterTokenSession>
  /**
   * The ids of token sessions that are not revoked, by user id. They are apart from {@link OwnedKeys}: a deletion of the
   * user leaves them.
   */
  readonly tokenSessionIds: Map<string, Set<string>>
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
  tokenSessions: new Map(),
  tokenSessionIds: new Map(),
  verificationTokens: new Map(),
  authenticators: new Map(),
  ownedKeys: new Map(),
})

/** The keys of the rows of one user, to be added to or taken from. */
export function ownedBy({ ownedKeys }: Pick<Tables, 'ownedKeys'>, userId: string): OwnedKeys {
  const owned = ownedKeys.get(userId) ?? {
    accounts: new Set(),
    sessions: new Set(),
    authenticators: new Set(),
  }
  ownedKeys.set(userId, owned)
  return owned
}
