import type { Config } from '../config/config.js'
import type { SessionReading } from '../sessions/session.js'
import { ownerOfSubject } from '../sessions/token-session-rows.js'

/** Whose tokens of accounts a session may use; null for nobody's. */
export function tokenOwnerOf(
  { userId, ownerDigest, providerSession }: TokenOwner,
  { store, providers }: Pick<Config, 'store' | 'providers'>,
): string | null {
  if (store) return userId === null ? null : String(userId)
  // No users are stored, so the tokens belong to the account with which the session began. A user whom `authorize()`
  // named has none, and in sessions of earlier versions the digest of their id may be that of an account.
  const { type } = providers.get(providerSession?.provider ?? '')?.settings ?? {}
  return ownerDigest && (type === 'oauth' || type === 'oidc') ? ownerOfSubject(ownerDigest) : null
}

/** What says whose tokens a session may use. */
export type TokenOwner = Pick<SessionReading, 'userId' | 'ownerDigest' | 'providerSession'>

/**
 * For whom link requests are that a session asks for, and whose it may use; null for nobody. Without stored users, an id
 * is new at each sign-in, and the same person may sign out and in between the two.
 */
export const linkOwnerOf = (reading: TokenOwner, config: Pick<Config, 'store' | 'providers'>): string | null => {
  const { userId } = reading
  // An id of `authorize()` may look like the name of an account.
  return tokenOwnerOf(reading, config) ?? (userId === null ? null : `user ${userId}`)
}
