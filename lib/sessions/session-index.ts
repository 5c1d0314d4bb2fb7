import { MOST_LISTED, type ProviderSession, type SessionDetails } from '../adapters/adapter.js'
import { AuthError, RequestRefused } from '../kernel/errors.js'
import type { SignOutMessage } from './logout.js'
import type { SessionReading } from './session.js'

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

/** Whether a row belongs to this instance, or there are no instances and the row names none. */
export const isOfInstance = (row: Pick<SessionDetails, 'instance'>, instance: string | undefined): boolean =>
  (row.instance ?? null) === (instance ?? null)

/**
 * The rows of this instance. Those of other instances may have filled the list of the store, so that it is not known
 * whether there are more of this one.
 *
 * @throws {AuthError} in that case: nobody may believe that all sessions were shown, or have ended
 */
export function rowsOfInstance<Row>(rows: readonly Row[], isOwn: (row: Row) => boolean): readonly Row[] {
  const own = rows.filter(isOwn)
  if (rows.length >= MOST_LISTED && own.length < rows.length) throw new AuthError(HIDDEN)
  return own
}

const HIDDEN =
  'The user has so many sessions in other instances that the store does not list all of this one. End those first, or give each instance a store of its own.'

/** Live tokens for programs that one user may have. */
const MOST_ISSUED_TOKENS = 100

/** @throws {RequestRefused} 409 when a user has as many issued tokens as one may have */
export async function requireRoomForToken(index: SessionIndex, owner: string): Promise<void> {
  const tokens = (await index.list(owner)).filter(({ details }) => details.kind === 'token')
  if (tokens.length < MOST_ISSUED_TOKENS) return
  throw new RequestRefused(409, `A user has at most ${MOST_ISSUED_TOKENS} issued tokens. End one of them first.`)
}

/** The sessions of users, as a store has them. Each method rejects if the store fails. */
export interface SessionIndex {
  /**
   * Whose sessions the user of a session that was read may see and end. The store is asked anew: what this process knows
   * of the session may be older than its end in another process. Null if the session has ended.
   */
  ownerOf(reading: SessionReading): Promise<string | null>
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
