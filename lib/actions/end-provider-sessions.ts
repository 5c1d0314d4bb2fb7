import { dropRefreshTokens } from '../accounts/drop-refresh-tokens.js'
import type { ProviderSession } from '../adapters/adapter.js'
import { adapterCalls } from '../adapters/adapter-calls.js'
import type { ActionContext } from '../context/action-context.js'
import { ownerOfAccount } from '../sessions/jwt-claims.js'
import type { EndedElsewhere } from '../sessions/provider-sessions.js'

/**
 * Ends all sessions that a logout at a provider is about, drops refresh tokens, and tells the application. It can be
 * called again after a failure: it then ends the rest.
 *
 * @param beganUntil sessions that began later stay, milliseconds since the epoch
 * @throws {AuthError} when a session may not have ended
 */
export async function endProviderSessions(
  { config, sessions }: Pick<ActionContext, 'config' | 'sessions'>,
  at: ProviderSession,
  beganUntil: number,
): Promise<void> {
  const ended: EndedElsewhere[] = []
  try {
    const owner = await ownerOf(config, at)
    await sessions.revokeAllAt({ at, beganUntil, owner }, (session) => ended.push(session))
  } finally {
    for (const { message } of ended) await config.emit('signOut', message)
  }
  for (const userId of new Set(ended.map((session) => session.userId))) {
    await dropRefreshTokens(config.adapter, userId, at, config.logger)
  }
}

/** Who the subject is here; null if nobody is. */
async function ownerOf(
  { adapter, logger }: ActionContext['config'],
  { provider, subject }: ProviderSession,
): Promise<string | null> {
  if (subject === undefined) return null
  const account = { provider, providerAccountId: subject }
  if (adapter === null) return ownerOfAccount(account)
  const users = adapterCalls(adapter, ['getUserByAccount'], 'signing out at a provider', logger)
  return (await users.getUserByAccount(account))?.id ?? null
}
