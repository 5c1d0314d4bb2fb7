import type { CurrentSession, Session, SessionReading } from './session.js'

/** A session that was read for code of the application, whose session has the ids. */
export interface CurrentReading extends SessionReading {
  readonly session: CurrentSession | null
}

/**
 * What was read, for code of the application: the session also has its id and the id of its user. The reading itself does
 * not change, because browsers and the `session` event get the session without ids.
 */
export function currentReading(reading: SessionReading): CurrentReading {
  const { cookies, message, authenticatedAt, userId, id } = reading
  return { session: currentSessionOf(reading), cookies, message, authenticatedAt, userId, id }
}

/** The session of a reading, with the ids; null when nobody is signed in. */
export const currentSessionOf = ({ session, id, userId }: SessionReading): CurrentSession | null =>
  session && withIds(session, id, userId)

/**
 * What the `session` callback put under these names stays. If it gave no user, there is none afterwards: code of the
 * application may take a session with a user for one that may do more.
 */
function withIds(session: Session, id: string | null, userId: string | null): CurrentSession {
  const { id: given, user } = session as Session & { readonly id?: unknown }
  const added: { id?: string | null; user?: object } = given === undefined ? { id } : {}
  if (userId !== null && typeof user === 'object' && user !== null && user.id === undefined) {
    added.user = withMembers(user, { id: userId })
  }
  return withMembers(session, added) as CurrentSession
}

/** A copy with further members. The object may belong to the application, so it does not change. */
function withMembers(object: object, members: object): object {
  const prototype: unknown = Object.getPrototypeOf(object)
  if (prototype === Object.prototype || prototype === null) return { ...object, ...members }
  // An entity of a database library has its methods in its class.
  return Object.assign(Object.create(prototype as object), object, members)
}
