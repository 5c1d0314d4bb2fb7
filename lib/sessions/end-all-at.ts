import { beganAt, MOST_LISTED, type ProviderSession, type SessionDetails } from '../adapters/adapter.js'
import { AuthError } from '../errors.js'
import type { Log } from '../logger.js'
import { endAll } from './end-all.js'
import type { EndedElsewhere, LogoutCounts, ProviderLogout } from './logout.js'
import type { IndexedSession, SessionIndex } from './session-index.js'
import { timeOf } from './stored-time.js'

/** Where a session began, as its row says; undefined if that is not known. */
export function providerSessionIn({ provider, subject, sid }: SessionDetails): ProviderSession | undefined {
  if (typeof provider !== 'string' || provider === '') return undefined
  return { provider, ...(typeof subject === 'string' && { subject }), ...(typeof sid === 'string' && { sid }) }
}

/**
 * Ends all sessions that a logout at a provider is about. A session whose `sid` has ended cannot have begun after that, so
 * a `sid` ends its sessions whatever the clocks say.
 *
 * @throws when a session may be there still that the logout names. Sessions that only may be meant, because their rows do
 *   not say so, can be hidden in a long list; then a warning says so.
 */
export async function endAllAt(
  index: SessionIndex,
  { at, beganUntil, owner, source }: ProviderLogout,
  onEnd: (ended: EndedElsewhere) => void,
  logger: Log,
): Promise<LogoutCounts> {
  const { provider, subject, sid } = at
  const left = new Set<string>()
  const hasBegun = ({ details, id }: IndexedSession) => {
    const isMeant = (sid !== undefined && details.sid === sid) || (timeOf(details.createdAt) ?? 0) <= beganUntil
    if (!isMeant) left.add(id)
    return isMeant
  }
  const note = (session: IndexedSession) => {
    const { userId, details } = session
    const { subject } = details
    onEnd({ userId, ...(typeof subject === 'string' && { subject }), message: index.messageOf(session) })
  }
  const warn = () => logger.warn('sessions-not-listed', { provider }, source)
  const end = (
    list: () => Promise<readonly IndexedSession[]>,
    fits: (details: SessionDetails) => boolean,
    whenHidden: () => void = warn,
  ) => {
    const isMeant = (session: IndexedSession) => fits(session.details) && hasBegun(session)
    const listed = async () => {
      const sessions = await list()
      // Sessions that stay fill the list of the store, so those that are to end may be hidden.
      if (sessions.length >= MOST_LISTED && !sessions.some(isMeant)) whenHidden()
      return sessions
    }
    return endAll(index, { list: listed, isMeant, onEnd: note })
  }
  // The rows are compared once more: the texts of some columns match without regard to case.
  let ended = await end(
    () => index.listByProvider(at),
    (details) => beganAt(details, at),
    () => {
      throw new AuthError(HIDDEN)
    },
  )
  if (subject === undefined) return { ended, left: left.size }
  if (sid !== undefined) {
    // The ID token of such a session had no sid, so it may be the one.
    ended += await end(
      () => index.listByProvider({ provider, subject }),
      (details) => beganAt(details, { provider, subject }) && details.sid == null,
    )
  } else if (owner !== null) {
    await index.endUnlisted?.(owner)
    ended += await end(
      () => index.list(owner),
      (details) => details.provider == null && details.kind !== 'token',
    )
  }
  return { ended, left: left.size }
}

const HIDDEN = 'The store lists so many sessions that stay that it does not list all that are to end.'
