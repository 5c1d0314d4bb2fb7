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
  const { session, cookies, message, authenticatedAt, userId, id } = reading
  return { session: session && withIds(session, id, userId), cookies, message, authenticatedAt, userId, id }
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
  const lacksUserId = userId !== null && typeof user === 'object' && user !== null && user.id === undefined
  const named = lacksUserId ? { ...session, user: withMember(user, userId) } : session
  return (given === undefined ? withMember(named, id) : named) as CurrentSession
}

/** A copy with the member `id`. The object may belong to the application, so it does not change. */
function withMember<T extends object>(object: T, id: string | null): T {
  const prototype: unknown = Object.getPrototypeOf(object)
  if (prototype === Object.prototype || prototype === null) return { ...object, id }
  // An entity of a database library has its methods in its class.
  return Object.assign(Object.create(prototype as object), object, { id }) as T
}
