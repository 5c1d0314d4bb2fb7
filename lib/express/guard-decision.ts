import type { MaybePromise } from '../awaitable.js'
import type { Engine, SessionLookup } from '../engine/engine.js'
import { AuthError, RequestRefused, withoutDetails } from '../errors.js'
import { requestForCallback } from '../http/incoming.js'
import { incomingFromNode } from '../http/node-request.js'
import { isRecent } from '../sessions/recent-auth.js'
import type { Session } from '../sessions/session.js'
import type { MiddlewareRequest, MiddlewareResponse } from './middleware.js'
import { originOf } from './public-origin.js'
import { attachSession } from './request-session.js'
import { routedTargets } from './routed-path.js'
import { warnOnce } from './warn-once.js'

/** What a guard decides about a request: an answer other than `pass` comes from the guard, not from the route. */
export type Verdict = 'pass' | 'refuse' | 'fault' | RequestRefused | Response

/** A verdict, and the engine that decided. */
export interface Decision {
  readonly engine: Engine
  readonly verdict: Verdict
}

/** A request at a guard. */
export interface GuardedRequest {
  readonly req: MiddlewareRequest
  readonly res: MiddlewareResponse
  readonly engine: Engine
  /** The most seconds that may have passed since the last sign-in of the visitor. */
  readonly maxAuthAge: number
}

/**
 * Decides whether a request passes. After an error, no request passes. If the session is known at once and the application
 * has no `authorized` callback, as for most requests, there is no promise.
 */
export function decide(guarded: GuardedRequest): MaybePromise<Decision> {
  const { req, res, engine } = guarded
  try {
    const lookup = attachSession(req, res, engine)
    return lookup instanceof Promise || engine.config.callbacks.authorized !== null
      ? decideLater(guarded, lookup)
      : { engine, verdict: bySession(guarded, lookup) }
  } catch (error) {
    return { engine, verdict: faultOf(error, engine) }
  }
}

async function decideLater(guarded: GuardedRequest, pending: MaybePromise<SessionLookup>): Promise<Decision> {
  const { engine } = guarded
  try {
    const lookup = await pending
    if (engine.config.callbacks.authorized === null) return { engine, verdict: bySession(guarded, lookup) }
    if (!isRecentEnough(guarded, lookup)) return { engine, verdict: 'refuse' }
    return { engine, verdict: await byCallback(guarded, lookup.session) }
  } catch (error) {
    return { engine, verdict: faultOf(error, engine) }
  }
}

/** The verdict if the application has no `authorized` callback. */
const bySession = (guarded: GuardedRequest, lookup: SessionLookup): Verdict =>
  lookup.session !== null && isRecentEnough(guarded, lookup) ? 'pass' : 'refuse'

const isRecentEnough = ({ engine, maxAuthAge }: GuardedRequest, lookup: SessionLookup): boolean =>
  maxAuthAge === Number.POSITIVE_INFINITY || isRecent(lookup, maxAuthAge, engine.config.now)

/**
 * Calls the `authorized` callback once for each way in which routes behind the guard may read the path. A request passes
 * only if the callback lets it pass every time.
 */
async function byCallback({ req, engine }: GuardedRequest, auth: Session | null): Promise<Verdict> {
  const { config } = engine
  const origin = originOf(req, config) ?? 'http://localhost'
  const incoming = incomingFromNode(req)
  const ask = async (target: string): Promise<Verdict> => {
    const request = requestForCallback({ ...incoming, target }, origin)
    const answer = await config.callbacks.authorized?.({ auth, request })
    return answer instanceof Response ? answer : answer === true ? 'pass' : 'refuse'
  }
  const [first = '/', ...others] = routedTargets(req)
  let verdict = await ask(first)
  for (const target of others) verdict = both(verdict, await ask(target), engine)
  return verdict
}

/** One verdict for two readings of a path. If they differ, the callback may know only one spelling of the path. */
function both(before: Verdict, now: Verdict, { config }: Engine): Verdict {
  if ((before === 'pass') === (now === 'pass')) return before
  warnOnce(config, 'authorized-spelling', {
    fix: 'The authorized callback decided differently on spellings of one path that can run the same route. Compare paths in lower case, decoded.',
  })
  return before === 'pass' ? now : before
}

function faultOf(error: unknown, { config }: Engine): Verdict {
  if (error instanceof RequestRefused) return error
  config.logger.error(
    error instanceof AuthError
      ? error
      : new AuthError('The authorized callback threw.', { err: withoutDetails(error) }),
  )
  return 'fault'
}
