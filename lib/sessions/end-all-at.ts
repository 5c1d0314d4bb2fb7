import type { ProviderSession, SessionDetails } from '../adapters/adapter.js'
import { MOST_LISTED } from '../adapters/most-listed.js'
import { beganAt } from '../adapters/provider-sessions.js'
import { AuthError } from '../errors.js'
import { endAll } from './end-all.js'
import type { EndedElsewhere, ProviderLogout } from './logout.js'
import type { IndexedSession, SessionIndex } from './session-index.js'
import { timeOf } from './stored-time.js'

/** Where a session began, as its row says; undefined if that is not known. */
export function providerSessionIn({ provider, subject, sid }: SessionDetails): ProviderSession | undefined {
  if (typeof provider !== 'string' || provider === '') return undefined
  return { provider, ...(typeof subject === 'string' && { subject }), ...(typeof sid === 'string' && { sid }) }
}

/** Ends all sessions that a logout at a provider is about. Gives how many. */
export async function endAllAt(
  index: SessionIndex,
  { at, beganUntil, owner }: ProviderLogout,
  onEnd: (ended: EndedElsewhere) => void,
): Promise<number> {
  const { provider, subject, sid } = at
  const hasBegun = ({ details }: IndexedSession) => (timeOf(details.createdAt) ?? 0) <= beganUntil
  const note = (session: IndexedSession) => {
    const { userId, details } = session
    const { subject } = details
    onEnd({ userId, ...(typeof subject === 'string' && { subject }), message: index.messageOf(session) })
  }
  const end = (list: () => Promise<readonly IndexedSession[]>, fits: (details: SessionDetails) => boolean) => {
    const isMeant = (session: IndexedSession) => hasBegun(session) && fits(session.details)
    return endAll(index, { list: async () => requireAll(await list(), isMeant), isMeant, onEnd: note })
  }
  // The rows are compared once more: the texts of some columns match without regard to case.
  let count = await end(
    () => index.listByProvider(at),
    (details) => beganAt(details, at),
  )
  if (subject === undefined) return count
  if (sid !== undefined) {
    // The ID token of such a session had no sid, so it may be the one.
    count += await end(
      () => index.listByProvider({ provider, subject }),
      (details) => beganAt(details, { provider, subject }) && details.sid == null,
    )
  } else if (owner !== null) {
    await index.endUnlisted?.(owner)
    count += await end(
      () => index.list(owner),
      (details) => details.provider == null && details.kind !== 'token',
    )
  }
  return count
}

/** @throws {AuthError} if sessions that stay fill the list of the store, so that those that are to end may be hidden */
function requireAll(sessions: readonly IndexedSession[], isMeant: (session: IndexedSession) => boolean) {
  if (sessions.length < MOST_LISTED || sessions.some(isMeant)) return sessions
  throw new AuthError('The store lists so many sessions that stay that it does not list all that are to end.')
}
