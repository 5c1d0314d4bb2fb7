import type { MaybePromise } from '../awaitable.js'
import type { Config } from '../config/config.js'
import { actionContext } from '../context/action-context.js'
import { checkCsrfToken } from '../context/csrf-token.js'
import { type Mount, type MountRequest, readRequest } from '../context/read-request.js'
import { AuthError, withoutDetails } from '../errors.js'
import { NO_FIELDS } from '../http/body.js'
import type { CookieChange } from '../http/cookies.js'
import type { Incoming } from '../http/incoming.js'
import type { RequestContext } from '../http/request-context.js'
import type { ResponseInternal } from '../http/response-internal.js'
import { noteSubject } from '../logger.js'
import type { Session, SessionReading } from '../sessions/session.js'
import { matchRoute } from './match-route.js'
import { outcomeOfError } from './outcome-of-error.js'
import { respond } from './respond.js'
import { type AuthAction, findRoute, type RouteFound } from './routes.js'

/** A session as routes see it, and the cookies that keep it alive. */
export interface SessionLookup {
  readonly session: Session | null
  readonly cookies: readonly CookieChange[]
  /**
   * When the visitor last proved who they are, milliseconds since the epoch; null when nobody is signed in, or it is
   * unknown.
   */
  readonly authenticatedAt: number | null
  /** Id of the user whose session it is; null when nobody is signed in, or the token names no user. */
  readonly userId: string | null
}

/** One resolved configuration at work. */
export interface Engine {
  readonly config: Config
  /** Answers a request to the mount. Never throws. */
  handle(incoming: Incoming, mount: Mount): Promise<ResponseInternal>
  /**
   * Reads the session of a request without routing and without a web request. If nothing has to be waited for, it returns
   * no promise. It does not renew the session, for callers that cannot send a cookie. It emits the `session` event. It
   * rejects with an {@link AuthError} if a fault prevents the reading: after a fault it is unknown whether somebody is signed
   * in.
   */
  readSession(request: RequestContext): MaybePromise<SessionLookup>
  /** As {@link readSession}, but renews the session if its `updateAge` is over. */
  renewSession(request: RequestContext): MaybePromise<SessionLookup>
  /**
   * As {@link renewSession}, but also updates the session: the callbacks get `data` as they get the data of a client's update.
   */
  updateSession(request: RequestContext, data: unknown): MaybePromise<SessionLookup>
}

/** Creates the engine of a resolved configuration. */
export function createEngine(config: Config): Engine {
  const sessionsFor = (origin: string) => config.schemeFor(origin).sessions
  // For most requests of a guard nothing has to be waited for, and then there is no promise.
  const emitSession = (reading: MaybePromise<SessionReading>): MaybePromise<SessionLookup> => {
    if (reading instanceof Promise) return reading.then(emitSession)
    const emission = reading.message && config.emit('session', reading.message)
    return emission ? emission.then(() => reading) : reading
  }
  return {
    config,
    async handle(incoming, mount) {
      const request = readRequest(incoming, mount, config)
      const found = findRoute(request.path, mount.basePath)
      try {
        return await answer(request, found)
      } catch (error) {
        return answerFailure(error, request, found.action)
      }
    },
    readSession: (request) => emitSession(sessionsFor(request.origin).read(request)),
    renewSession: (request) => emitSession(sessionsFor(request.origin).renew(request)),
    updateSession: (request, data) => emitSession(sessionsFor(request.origin).update(request, data)),
  }
}

async function answer(request: MountRequest, found: RouteFound): Promise<ResponseInternal> {
  const { action, provider, needsCsrf } = matchRoute(request, found)
  noteSubject(found.action, provider?.settings.id)
  const fields = request.method === 'POST' ? await request.incoming.fields() : NO_FIELDS
  if (needsCsrf) checkCsrfToken(request, fields)
  return respond(await action(actionContext(request, fields, provider)), request)
}

/** The answer if even the page of the failure cannot be made. */
async function answerFailure(
  error: unknown,
  request: MountRequest,
  action: AuthAction | null,
): Promise<ResponseInternal> {
  try {
    return await respond(outcomeOfError(error, request, action), request)
  } catch (second) {
    const { logger } = request.config
    logger.error(new AuthError('The page of a failure could not be made.', { err: withoutDetails(second) }))
    return { status: 500, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: 'Something went wrong.' }
  }
}
