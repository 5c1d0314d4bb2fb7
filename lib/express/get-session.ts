import type { MaybePromise } from '../awaitable.js'
import type { ConfigSource } from '../config/options.js'
import type { Engine, SessionLookup } from '../engine/engine.js'
import { NodeRequestContext } from '../http/request-context.js'
import { withLogContext } from '../logger.js'
import type { Session } from '../sessions/session.js'
import { engineOf } from './engine-of.js'
import type { MiddlewareRequest } from './middleware.js'
import { requireOrigin } from './public-origin.js'

/** The session of a request as one engine read it, and whether the engine renewed it. */
interface RequestSession {
  readonly engine: Engine
  readonly lookup: MaybePromise<SessionLookup>
  readonly isRenewed: boolean
  /** The same of other engines, because several instances may read the session of one request. */
  readonly next: RequestSession | undefined
}

const requestSessions = new WeakMap<MiddlewareRequest, RequestSession>()

/**
 * The session of a request, or null if nobody is signed in. A second call for the same request does not read it again.
 *
 * Reads only: it sends no cookie, so sessions are renewed by `authSession` and `requireAuth`, and by the `session`
 * action.
 *
 * @throws {AuthError} when the configuration cannot work or the session cannot be read; a fault is never "signed out"
 */
export async function getSession(
  req: MiddlewareRequest,
  config: ConfigSource<MiddlewareRequest>,
): Promise<Session | null> {
  // Each `await` waits for a turn of the microtask queue, which takes longer than an answer from memory.
  const engine = engineOf(req, config, 'getSession(req, config)')
  const lookup = readSession(req, engine instanceof Promise ? await engine : engine)
  return (lookup instanceof Promise ? await lookup : lookup).session
}

/** The session of a request as it is, for a caller that cannot send a cookie. */
export const readSession = (req: MiddlewareRequest, engine: Engine): MaybePromise<SessionLookup> =>
  withLogContext(req, () => lookUpSession(req, engine, 'read'))

/**
 * The session and its cookies, read once for each request and engine. It rejects as the engine does, and throws if the
 * origin is unknown. Call it on behalf of the request, for the log.
 *
 * @param how `renew` if the caller sends the cookies; `read` if it cannot, so that the session is not renewed
 */
export function lookUpSession(
  req: MiddlewareRequest,
  engine: Engine,
  how: 'renew' | 'read',
): MaybePromise<SessionLookup> {
  const first = requestSessions.get(req)
  for (let entry = first; entry; entry = entry.next) {
    if (entry.engine === engine && (entry.isRenewed || how === 'read')) return entry.lookup
  }
  const lookup = readOrRenew(req, engine, how)
  requestSessions.set(req, { engine, lookup, isRenewed: how === 'renew', next: first })
  return lookup
}

/** Replaces the remembered session of the request with the result of an update. */
export function rememberSession(req: MiddlewareRequest, engine: Engine, lookup: SessionLookup): void {
  requestSessions.set(req, { engine, lookup, isRenewed: true, next: requestSessions.get(req) })
}

function readOrRenew(req: MiddlewareRequest, engine: Engine, how: 'renew' | 'read'): MaybePromise<SessionLookup> {
  const request = new NodeRequestContext(req, requireOrigin(req, engine.config))
  return how === 'renew' ? engine.renewSession(request) : engine.readSession(request)
}
