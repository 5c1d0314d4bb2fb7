import type { MaybePromise } from '../kernel/awaitable.js'
import type { LogSource } from '../kernel/logger.js'
import { membersOf } from '../kernel/objects.js'
import type { RequestContext } from '../kernel/request-context.js'
import { type CurrentSession, messageOf, type Session, type SessionMessage, type SessionReading } from './session.js'

/** A session that was read for code of the application, whose session has the ids. */
export interface CurrentReading extends SessionReading {
  readonly session: CurrentSession | null
  readonly restricted?: CurrentReading | undefined
}

/** Calls the handler of the event `session`. */
type EmitSession = (
  name: 'session',
  message: SessionMessage,
  source: LogSource | undefined,
) => Promise<void> | undefined

/**
 * What was read, for code of the application: the session also has its id and the id of its user. The reading itself does
 * not change, because browsers and the `session` event get the session without ids.
 *
 * @param emit null if the application has no handler of the event
 */
export function currentReading(
  reading: MaybePromise<SessionReading>,
  request: RequestContext,
  emit: EmitSession | null,
): MaybePromise<CurrentReading> {
  if (reading instanceof Promise) return reading.then((read) => currentReading(read, request, emit))
  const message = emit && messageOf(reading.restricted ?? reading)
  const emission = message && emit?.('session', message, request.source)
  return emission ? emission.then(() => withCurrentSession(reading)) : withCurrentSession(reading)
}

function withCurrentSession(reading: SessionReading): CurrentReading {
  const { cookies, claims, authenticatedAt, userId, id, scope, restricted } = reading
  const session = currentSessionOf(reading)
  const current = { session, cookies, claims, authenticatedAt, userId, id, scope }
  return restricted === undefined ? current : { ...current, restricted: withCurrentSession(restricted) }
}

/**
 * The session of a reading, with the ids; null when nobody is signed in. What the `session` callback put under these names
 * stays. If it gave no user, there is none afterwards: code of the application may take a session with a user for one that
 * may do more.
 */
export function currentSessionOf({ session, id, userId, scope }: SessionReading): CurrentSession | null {
  if (session === null) return null
  const { id: given, user } = session as Session & { readonly id?: unknown }
  const current: { user?: object; scope?: string } = withId(session, given === undefined ? id : given)
  if (scope !== null && !('scope' in session)) current.scope = scope
  if (userId !== null && typeof user === 'object' && user !== null && user.id === undefined) {
    current.user = withId(user, userId)
  }
  return current as CurrentSession
}

/** A copy with an id. The object may belong to the application, so it does not change. */
function withId(object: object, id: unknown): object {
  const prototype: unknown = Object.getPrototypeOf(object)
  if (prototype === Object.prototype || prototype === null) return { ...object, id }
  // An entity of a database library has its methods in its class. The class may have a getter of the same name as a
  // member, so the members are defined and not assigned.
  const copy = Object.create(prototype as object) as object
  return Object.defineProperties(copy, Object.getOwnPropertyDescriptors({ ...membersOf(object), id }))
}
