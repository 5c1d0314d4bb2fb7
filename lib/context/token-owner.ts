import type { Config } from '../config/config.js'
import { subjectOf } from '../crypto/session-claim.js'
import type { SessionReading } from '../sessions/session.js'
import { ownerOfSubject } from '../sessions/token-session-rows.js'

/** Whose tokens of accounts a session may use; null for nobody's. */
export function tokenOwnerOf(
  { userId, subject }: Pick<SessionReading, 'userId' | 'subject'>,
  { adapter }: Pick<Config, 'adapter'>,
): string | null {
  if (adapter) return userId === null ? null : String(userId)
  // No users are stored, so the tokens belong to the account with which the session began. A user whom `authorize()`
  // named may have an id that looks like the name of an account.
  if (subject === undefined || subject === null) return null
  return userId !== null && subject === subjectOf(String(userId)) ? null : ownerOfSubject(subject)
}
