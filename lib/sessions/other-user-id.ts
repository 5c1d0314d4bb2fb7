import { isFirstTime, type Log, type LogSource } from '../logger.js'
import type { Session } from './session.js'
import { isOwnerOfSubject, ownerOfUser } from './token-session-rows.js'

/** Whose session it is, and what the application sees. */
interface ShownOwner {
  /** As the list of sessions has it; null if no list has the session. */
  readonly owner: string | null
  /** The user whom the session names; null if it names none. */
  readonly userId: string | null
  readonly session: Session
}

/**
 * Warns if the application sees another `user.id` than that by which all sessions of the user are found: it would end
 * nothing, and an administrator would not notice. The warning names no user.
 */
export function warnOfOtherUserId(
  { owner, userId, session }: ShownOwner,
  logger: Log,
  source: LogSource | undefined,
): void {
  if (owner === null || !session.user) return
  const { id } = session.user as { readonly id?: unknown }
  const shown = id ?? userId
  if (shown === null || [String(shown), ownerOfUser(String(shown))].includes(String(owner))) return
  // Without a store of users, each sign-in at a provider makes an id. docs/guides/sessions.md says what to do.
  if (id === undefined && isOwnerOfSubject(owner)) return
  if (isFirstTime(logger, 'other-user-id')) logger.warn('other-user-id', { fix: FIX }, source)
}

const FIX =
  'revokeAllSessions() ends nothing with the id that the application sees. Give it the id that the session began with: that of the stored user, or the first `sub` of the token. Show the same `user.id` in the session callback, and keep `sub` in the jwt callback.'
