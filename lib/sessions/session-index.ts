import { beganAt, MOST_LISTED, type ProviderSession, type SessionDetails } from '../adapters/adapter.js'
import { AuthError, RequestRefused } from '../kernel/errors.js'
import type { Log } from '../kernel/logger.js'
import { timeOf } from './lifetime.js'
import type { SessionReading } from './session.js'
import type { EndedElsewhere, LogoutCounts, ProviderLogout, SignOutMessage } from './session-manager.js'

/** A session of a user, as a store lists it. */
export interface IndexedSession {
  /** Public id of the session. */
  readonly id: string
  /** The key of its row. It may be a credential, and stays in the store. */
  readonly key: string
  readonly userId: string
  readonly expires: Date
  readonly details: SessionDetails
}

/** What the index makes of a row. */
type RowIndexing<Row> = (row: Row) => Pick<IndexedSession, 'id' | 'key'> & {
  /** Milliseconds since the epoch; null for a session that is over. */
  readonly expires: number | null
}

/**
 * The sessions in the rows of this instance that are not over. Rows of other instances may have filled the list of the store,
 * so that it is not known whether there are more of this one.
 *
 * @throws {AuthError} in that case: nobody may believe that all sessions were shown, or have ended
 */
export function indexedSessions<Row extends SessionDetails & { readonly userId: string }>(
  rows: readonly Row[],
  isOwn: (row: Row) => boolean,
  time: number,
  index: RowIndexing<Row>,
): readonly IndexedSession[] {
  const own = rows.filter(isOwn)
  if (rows.length >= MOST_LISTED && own.length < rows.length) throw new AuthError(HIDDEN)
  return own.flatMap((row): IndexedSession[] => {
    const { id, key, expires } = index(row)
    if (expires === null || expires <= time) return []
    return [{ id, key, userId: row.userId, expires: new Date(expires), details: row }]
  })
}

const HIDDEN =
  'The user has so many sessions in other instances that the store does not list all of this one. End those first, or give each instance a store of its own.'

/** Live tokens for programs that one user may have. */
const MOST_ISSUED_TOKENS = 100

/** @throws {RequestRefused} 409 when a user has as many issued tokens as one may have */
export async function requireRoomForToken(index: SessionIndex, owner: string): Promise<void> {
  const tokens = (await index.list(owner)).filter(({ details }) => details.kind === 'token')
  if (tokens.length < MOST_ISSUED_TOKENS) return
  throw new RequestRefused(
    409,
    `A user has at most ${MOST_ISSUED_TOKENS} issued tokens. End one of them first.`,
    {},
    'full',
  )
}

/** The sessions of users, as a store has them. Each method rejects if the store fails. */
export interface SessionIndex {
  /**
   * Whose sessions the user of a session that was read may see and end. The store is asked anew: what this process knows
   * of the session may be older than its end in another process. Null if the session has ended.
   */
  ownerOf(found: Pick<SessionReading, 'id' | 'userId'>): Promise<string | null>
  /** Whose sessions those of a user are whose id the application knows. */
  ownerOfUser(userId: string): string
  /**
   * The sessions of a user in this instance which have neither expired nor been revoked; at most as many as the store
   * gives at a time.
   */
  list(owner: string): Promise<readonly IndexedSession[]>
  /**
   * The sessions of all users in this instance that began at a provider and have neither expired nor been revoked; at most
   * as many as the store gives at a time. The store may give others too.
   */
  listByProvider(at: ProviderSession): Promise<readonly IndexedSession[]>
  /**
   * Ends a session. Gives whether it was there, as far as the store says that.
   *
   * @throws when it may be there still
   */
  end(session: IndexedSession): Promise<boolean>
  /** The argument of the `signOut` event for a session that has ended without its browser. */
  messageOf(session: IndexedSession): SignOutMessage
  /**
   * Called before all sessions of a user, or all others, are listed and ended, for sessions that no list has. A session
   * that the store knows stays.
   */
  endUnlisted?(owner: string): Promise<void>
}

/**
 * How often sessions are listed to end them all. A store gives at most a thousand at a time. A session that begins, or goes
 * on under another id, meanwhile is found in the next round. Somebody who begins sessions without end must not keep the
 * call going for ever.
 */
const ROUNDS = 1000
/** How many sessions are ended at the same time. */
const PARALLEL = 25

interface EndingSessions {
  /** The sessions that the store gives at a time. */
  readonly list: () => Promise<readonly IndexedSession[]>
  /** Whether a listed session is to end. */
  readonly isMeant: (session: IndexedSession) => boolean
  /** Called for each session that has ended. */
  readonly onEnd?: (session: IndexedSession) => void
}

/**
 * Ends sessions, and those that have taken their place meanwhile. Gives how many.
 *
 * @throws when one of them may be there still; the others have ended
 */
export async function endAll(index: SessionIndex, { list, isMeant, onEnd }: EndingSessions): Promise<number> {
  const ended = new Set<string>()
  let count = 0
  for (let round = 0; round < ROUNDS; round += 1) {
    const sessions = (await list()).filter(isMeant)
    if (sessions.length === 0) return count
    if (sessions.some(({ id }) => ended.has(id))) throw new AuthError(STILL_LISTED)
    count += await endEach(index, sessions, onEnd)
    for (const { id } of sessions) ended.add(id)
  }
  throw new AuthError(ENDLESS)
}

/** Goes on after a failure. If all of a batch fail, the store is probably down. */
async function endEach(
  index: SessionIndex,
  sessions: readonly IndexedSession[],
  onEnd: EndingSessions['onEnd'],
): Promise<number> {
  let count = 0
  const failures: unknown[] = []
  for (let begun = 0; begun < sessions.length; begun += PARALLEL) {
    const batch = sessions.slice(begun, begun + PARALLEL)
    const outcomes = await Promise.allSettled(
      batch.map(async (session) => {
        const isEnded = await index.end(session)
        if (isEnded) onEnd?.(session)
        return isEnded
      }),
    )
    const failed = outcomes.filter((outcome) => outcome.status === 'rejected').map(({ reason }) => reason as unknown)
    failures.push(...failed)
    count += outcomes.filter((outcome) => outcome.status === 'fulfilled' && outcome.value).length
    if (failed.length === batch.length) break
  }
  if (failures.length > 0) throw failures[0]
  return count
}

const ENDLESS = 'Sessions of the user began faster than they were ended.'

const STILL_LISTED = 'The store still lists a session that it has ended.'

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
      throw new AuthError(HIDDEN_BY_OTHERS)
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

const HIDDEN_BY_OTHERS = 'The store lists so many sessions that stay that it does not list all that are to end.'
