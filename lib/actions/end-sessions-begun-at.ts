import type { ProviderSession } from '../adapters/adapter.js'
import type { Visit } from '../context/visit.js'
import { ownerOfAccount } from '../sessions/jwt-claims.js'
import type { EndedElsewhere, LogoutCounts } from '../sessions/logout.js'
import { happened } from './happened.js'

/**
 * Ends all sessions that a logout at a provider is about, drops refresh tokens, and tells the application. It can be
 * called again after a failure: it then ends the rest.
 *
 * @param beganUntil as {@link ProviderLogout.beganUntil}
 * @throws {AuthError} when a session may not have ended
 */
export async function endSessionsBegunAt(
  { config, sessions, source }: Pick<Visit, 'config' | 'sessions' | 'source'>,
  at: ProviderSession,
  beganUntil: number,
): Promise<LogoutCounts> {
  const ended: EndedElsewhere[] = []
  const owner = await ownerOf(config, at)
  let counts: LogoutCounts
  try {
    counts = await sessions.revokeAllAt({ at, beganUntil, owner, userId: config.store && owner, source }, (session) =>
      ended.push(session),
    )
  } finally {
    for (const { message } of ended) await happened.ended({ config, source }, { message })
  }
  // The owner too: after a failure here, their sessions have ended already.
  const endedAt = { ...at, hasNewer: counts.left > 0 }
  if (owner !== null) await config.accountTokens.dropRefreshTokens(owner, endedAt)
  for (const { userId, subject = at.subject } of ended) {
    if (userId === owner && subject === at.subject) continue
    // A logout by `sid` alone does not name the account. The row of the session does.
    await config.accountTokens.dropRefreshTokens(userId, { ...endedAt, ...(subject !== undefined && { subject }) })
  }
  return counts
}

/** Who the subject is here; null if nobody is. */
async function ownerOf({ store }: Visit['config'], { provider, subject }: ProviderSession): Promise<string | null> {
  if (subject === undefined) return null
  const account = { provider, providerAccountId: subject }
  if (store === null) return ownerOfAccount(account)
  return (await store.getUserByAccount(account))?.id ?? null
}
