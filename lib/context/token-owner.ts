import type { Config } from '../config/config.js'
import { subjectOf } from '../crypto/session-claim.js'
import type { SessionReading } from '../sessions/session.js'
import { ownerOfSubject } from '../sessions/token-session-rows.js'

/** Whose tokens of accounts a session may use; null for nobody's. */
export function tokenOwnerOf(
  { userId, ownerDigest }: Pick<SessionReading, 'userId' | 'ownerDigest'>,
  { adapter }: Pick<Config, 'adapter'>,
): string | null {
  if (adapter) return userId === null ? null : String(userId)
  // No users are stored, so the tokens belong to the account with which the session began. A user whom `authorize()`
  // named may have an id that looks like the name of an account.
  if (ownerDigest === undefined || ownerDigest === null) return null
  return userId !== null && ownerDigest === subjectOf(String(userId)) ? null : ownerOfSubject(ownerDigest)
}

/**
 * For whom link requests are that a session asks for, and whose it may use; null for nobody. Without stored users, an id
 * is new at each sign-in, and the same person may sign out and in between the two.
 */
export const linkOwnerOf = (
  reading: Pick<SessionReading, 'userId' | 'ownerDigest'>,
  config: Pick<Config, 'adapter'>,
): string | null => {
  const { userId } = reading
  // An id of `authorize()` may look like the name of an account.
  return tokenOwnerOf(reading, config) ?? (userId === null ? null : `user ${userId}`)
}
