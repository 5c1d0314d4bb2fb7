import { told } from '../actions/session.js'
import { type MaybePromise, whenReady } from '../awaitable.js'
import type { Config } from '../config/config.js'
import { AuthError, withoutDetails } from '../errors.js'
import { FlowFailure } from '../flows/flow-failure.js'
import type { CookieChange } from '../http/cookies.js'
import type { Incoming } from '../http/incoming.js'
import type { RequestContext } from '../http/request-context.js'
import type { ResponseInternal } from '../http/response-internal.js'
import { noteSubject } from '../logger.js'
import type { Session } from '../sessions/session.js'
import { fail } from './fail.js'
import { type Matched, matchRoute, openContext } from './open-context.js'
import { type Arrival, type Place, readArrival } from './read-arrival.js'
import { respond } from './respond.js'

/** A session as routes see it, and the cookies that keep it alive. */
export interface SessionLookup {
  readonly session: Session | null
  readonly cookies: readonly CookieChange[]
  /** When the visitor last proved who they are, milliseconds since the epoch; null when nobody is signed in, or it is not known. */
  readonly authenticatedAt: number | null
  /** Id of the user whose session it is; null when nobody is signed in, or the token names no user. */
  readonly userId: string | null
}

/** One configuration at work. */
export interface Engine {
  readonly config: Config
  /** Answers a request to the mount. Never throws. */
  handle(incoming: Incoming, place: Place): Promise<ResponseInternal>
  /**
   * The session of a request, by the direct path: without routing, without a web request, and without a promise where nothing has to be
   * waited for. It is not renewed: for callers that cannot send a cookie. It rejects with an {@link AuthError} when the session cannot be
   * read because of a fault; a fault never means that nobody is signed in.
   */
  readSession(request: RequestContext): MaybePromise<SessionLookup>
  /** As {@link readSession}, and renews the session when it is time. */
  renewSession(request: RequestContext): MaybePromise<SessionLookup>
  /** As {@link renewSession}, with something changed: `data` reaches the callbacks as that of a client's update does. */
  updateSession(request: RequestContext, data: unknown): MaybePromise<SessionLookup>
}

/** Puts a resolved configuration to work. */
export function createEngine(config: Config): Engine {
  const sessionsFor = (origin: string) => config.schemeFor(origin).sessions
  return {
    config,
    async handle(incoming, place) {
      const arrival = readArrival(incoming, place, config)
      try {
        const matched = matchRoute(arrival, config)
        noteSubject(arrival.action, matched.provider?.provider.id)
        if (isSideEffectOfHead(arrival, matched)) return { status: 200, headers: { 'cache-control': 'no-store' } }
        return await answer(arrival, matched, config)
      } catch (error) {
        const { cause, cookies } = error instanceof FlowFailure ? error : { cause: error, cookies: [] }
        return await answerFailure(cause, arrival, cookies, config)
      }
    },
    readSession: (request) => told(config, sessionsFor(request.origin).read(request)),
    renewSession: (request) => told(config, sessionsFor(request.origin).renew(request)),
    updateSession: (request, data) => told(config, sessionsFor(request.origin).update(request, data)),
  }
}

function answer(arrival: Arrival, matched: Matched, config: Config): MaybePromise<ResponseInternal> {
  const outcome = whenReady(openContext(arrival, matched, config), matched.action)
  return whenReady(outcome, (outcome) => respond(outcome, arrival, config.renderer))
}

/** Even where the page of the failure cannot be made, there is an answer. */
async function answerFailure(error: unknown, arrival: Arrival, cleared: readonly CookieChange[], config: Config) {
  try {
    return await respond(fail(error, arrival, cleared, config.logger), arrival, config.renderer)
  } catch (second) {
    config.logger.error(new AuthError('The page of a failure could not be made.', { err: withoutDetails(second) }))
    return { status: 500, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: 'Something went wrong.' }
  }
}

/** A link checker that asks with HEAD must not use up what a visitor is about to follow. */
const isSideEffectOfHead = ({ incoming, action }: Arrival, { provider }: Matched) =>
  incoming.method === 'HEAD' && action === 'callback' && provider !== null
