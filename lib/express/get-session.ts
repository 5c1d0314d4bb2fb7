import type { ConfigSource } from '../config/options.js'
import type { CurrentSession } from '../sessions/session.js'
import { engineOf } from './engine-of.js'
import type { MiddlewareRequest } from './middleware.js'
import { readSession } from './request-session.js'

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
): Promise<CurrentSession | null> {
  // Each `await` waits for a turn of the microtask queue, which takes longer than an answer from memory.
  const engine = engineOf(req, config, 'getSession(req, config)')
  const lookup = readSession(req, engine instanceof Promise ? await engine : engine)
  return (lookup instanceof Promise ? await lookup : lookup).session
}
