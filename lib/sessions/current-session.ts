import { membersOf } from '../shapes/objects.js'
import type { CurrentSession, Session, SessionReading } from './session.js'

/** A session that was read for code of the application, whose session has the ids. */
export interface CurrentReading extends SessionReading {
  readonly session: CurrentSession | null
  readonly restricted?: CurrentReading | undefined
}

/**
 * What was read, for code of the application: the session also has its id and the id of its user. The reading itself does
 * not change, because browsers and the `session` event get the session without ids.
 */
export function currentReading(reading: SessionReading): CurrentReading {
  const { cookies, message, authenticatedAt, userId, id, scope, restricted } = reading
  const current = {
    session: currentSessionOf(reading),
    cookies,
    message,
    authenticatedAt,
    userId,
    id,
    scope,
  }
  return restricted === undefined ? current : { ...current, restricted: currentReading(restricted) }
}

/** The session of a reading, with the ids; null when nobody is signed in. */
export const currentSessionOf = ({ session, id, userId, scope }: SessionReading): CurrentSession | null =>
  session && withIds(session, { id, userId, scope })

/**
 * What the `session` callback put under these names stays. If it gave no user, there is none afterwards: code of the
 * application may take a session with a user for one that may do more.
 */
function withIds(
  session: Session,
  { id, userId, scope }: Pick<SessionReading, 'id' | 'userId' | 'scope'>,
): CurrentSession {
  const { id: given, user } = session as Session & { readonly id?: unknown }
  const added: { id?: string | null; user?: object; scope?: string } = given === undefined ? { id } : {}
  if (scope !== null && !('scope' in session)) added.scope = scope
  if (userId !== null && typeof user === 'object' && user !== null && user.id === undefined) {
    added.user = withMembers(user, { id: userId })
  }
  return withMembers(session, added) as CurrentSession
}

/** A copy with further members. The object may belong to the application, so it does not change. */
function withMembers(object: object, members: object): object {
  const prototype: unknown = Object.getPrototypeOf(object)
  if (prototype === Object.prototype || prototype === null) return { ...object, ...members }
  // An entity of a database library has its methods in its class. The class may have a getter of the same name as a
  // member, so the members are defined and not assigned.
  const copy = Object.create(prototype as object) as object
  return Object.defineProperties(copy, Object.getOwnPropertyDescriptors({ ...membersOf(object), ...members }))
}
