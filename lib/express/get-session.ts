import { checkCallOptions } from '../config/check-call-options.js'
import type { ConfigSource } from '../config/options.js'
import { readingForScope } from '../sessions/restricted-reading.js'
import type { CurrentSession } from '../sessions/session.js'
import { SESSION_READ, type SessionRead } from '../web/session-rules.js'
import { watchForDrop } from './dropped-promise.js'
import { engineOf } from './engine-of.js'
import { SESSION_MEMBERS, watchForAwait } from './forgotten-await.js'
import type { MiddlewareRequest } from './middleware.js'
import { readSession } from './request-session.js'

const CALL = 'getSession(req, config)'

/**
 * The session of a request, or null if nobody is signed in. A second call for the same request does not read it again.
 *
 * Reads only: it sends no cookie, so sessions are renewed by `authSession` and `requireAuth`, and by the `session`
 * action.
 *
 * The session of an issued token with a scope is null here, unless a guard before has asked for its scope, or the options
 * do.
 *
 * @throws {AuthError} when the configuration cannot work or the session cannot be read; a fault is never "signed out"
 * @throws {InvalidConfiguration} when an option is unknown or of a wrong type
 */
export function getSession(
  req: MiddlewareRequest,
  config: ConfigSource<MiddlewareRequest>,
  options?: SessionRead,
): Promise<CurrentSession | null> {
  const session = watchForAwait(config, { call: CALL, members: SESSION_MEMBERS }, async () => {
    if (options !== undefined) checkCallOptions(options, SESSION_READ, CALL)
    // Each `await` waits for a turn of the microtask queue, which takes longer than an answer from memory.
    const engine = engineOf(req, config, CALL)
    const lookup = readSession(req, engine instanceof Promise ? await engine : engine)
    const reading = lookup instanceof Promise ? await lookup : lookup
    // What a guard has accepted stays accepted.
    if (reading.session !== null || options?.scope === undefined) return reading.session
    return readingForScope(reading, options.scope).session
  })
  return watchForDrop(session, config, CALL)
}
