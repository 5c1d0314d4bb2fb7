import { loadOnce, type MaybePromise } from '../awaitable.js'
import type { Config } from '../config/config.js'
import type { Mount } from '../context/read-request.js'
import type { CookieChange } from '../http/cookies.js'
import type { Incoming } from '../http/incoming.js'
import type { RequestContext } from '../http/request-context.js'
import type { ResponseInternal } from '../http/response-internal.js'
import type { Session, SessionReading } from '../sessions/session.js'

/** A session as routes see it, and the cookies that keep it alive. */
export interface SessionLookup {
  readonly session: Session | null
  readonly cookies: readonly CookieChange[]
  /**
   * When the visitor last proved who they are, milliseconds since the epoch; null when nobody is signed in, or it is
   * not known.
   */
  readonly authenticatedAt: number | null
  /** Id of the user whose session it is; null when nobody is signed in, or the token names no user. */
  readonly userId: string | null
}

/** One configuration at work. */
export interface Engine {
  readonly config: Config
  /** Answers a request to the mount. Never throws. */
  handle(incoming: Incoming, mount: Mount): Promise<ResponseInternal>
  /**
   * The session of a request, by the direct path: without routing, without a web request, and without a promise where
   * nothing has to be waited for. It is not renewed: for callers that cannot send a cookie. It emits the `session`
   * event. It rejects with an {@link AuthError} when the session cannot be read because of a fault; a fault never means
   * that nobody is signed in.
   */
  readSession(request: RequestContext): MaybePromise<SessionLookup>
  /** As {@link readSession}, and renews the session when it is time. */
  renewSession(request: RequestContext): MaybePromise<SessionLookup>
  /**
   * As {@link renewSession}, with something changed: `data` reaches the callbacks as that of a client's update does.
   */
  updateSession(request: RequestContext, data: unknown): MaybePromise<SessionLookup>
}

/** Actions and pages are loaded with the first request to the mount: many processes only read sessions. */
const loadServing = loadOnce(() => import('./serve.js'))

/** Puts a resolved configuration to work. */
export function createEngine(config: Config): Engine {
  const sessionsFor = (origin: string) => config.schemeFor(origin).sessions
  // Without a promise where nothing has to be waited for, as it is with most requests of a guard.
  const emitSession = (reading: MaybePromise<SessionReading>): MaybePromise<SessionLookup> => {
    if (reading instanceof Promise) return reading.then(emitSession)
    const emission = reading.message && config.emit('session', reading.message)
    return emission ? emission.then(() => reading) : reading
  }
  return {
    config,
    async handle(incoming, mount) {
      const { serve } = await loadServing()
      return serve(incoming, mount, config)
    },
    readSession: (request) => emitSession(sessionsFor(request.origin).read(request)),
    renewSession: (request) => emitSession(sessionsFor(request.origin).renew(request)),
    updateSession: (request, data) => emitSession(sessionsFor(request.origin).update(request, data)),
  }
}
