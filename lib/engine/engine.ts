import type { ResponseInternal } from '../kernel/answer.js'
import { loadOnce, type MaybePromise } from '../kernel/awaitable.js'
import type { Incoming } from '../kernel/incoming.js'
import type { RequestContext } from '../kernel/request-context.js'
import { type CurrentReading, currentReading } from '../sessions/session.js'
import type { Config } from '../sign-in/config.js'
import type { Redirection } from '../sign-in/outcome.js'
import type { Mount } from '../sign-in/visit.js'
import type { SubmitOptions } from './routes.js'

/** One resolved configuration at work. */
export interface Engine {
  readonly config: Config
  /** Answers a request to the mount. Never throws. */
  handle(incoming: Incoming, mount: Mount): Promise<ResponseInternal>
  /**
   * Does what a form of the mount does when it is posted, for code of the application: a sign-in, a callback of
   * credentials, a sign-out. The CSRF token is left to the framework; where the request comes from is checked
   * ({@link checkSender}).
   *
   * @param incoming the request that the form would send
   * @param options the request in whose place the form is submitted
   * @throws {AuthError} what a visitor would see on a page; it is in the log
   */
  submit(incoming: Incoming, mount: Mount, options: SubmitOptions): Promise<Redirection>
  /**
   * Reads the session of a request, with its ids, without routing and without a web request. If nothing has to be waited
   * for, it returns no promise. It does not renew the session, for callers that cannot send a cookie. It emits the `session` event. It
   * rejects with an {@link AuthError} if a fault prevents the reading: after a fault it is unknown whether somebody is signed
   * in.
   */
  readSession(request: RequestContext): MaybePromise<CurrentReading>
  /** As {@link readSession}, but renews the session if its `updateAge` is over. */
  renewSession(request: RequestContext): MaybePromise<CurrentReading>
  /**
   * As {@link renewSession}, but also updates the session: the callbacks get `data` as they get the data of a client's update.
   */
  updateSession(request: RequestContext, data: unknown): MaybePromise<CurrentReading>
}

/** Actions and pages are loaded with the first request to the mount: many processes only read sessions. */
const loadServing = loadOnce(() => import('./serve.js'))

/** Creates the engine of a resolved configuration. */
export function createEngine(config: Config): Engine {
  const sessionsFor = ({ origin }: RequestContext) => config.schemeFor(origin).sessions
  const emit = config.emitsSessions ? config.emit : null
  return {
    config,
    async handle(incoming, mount) {
      const { serve } = await loadServing()
      return serve(incoming, mount, config)
    },
    async submit(incoming, mount, options) {
      const { submit } = await loadServing()
      return submit(incoming, mount, config, options)
    },
    readSession: (request) => currentReading(sessionsFor(request).read(request), request, emit),
    renewSession: (request) => currentReading(sessionsFor(request).renew(request), request, emit),
    updateSession: (request, data) => currentReading(sessionsFor(request).update(request, data), request, emit),
  }
}
