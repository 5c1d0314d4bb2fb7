import type { AuthConfig, ConfigFunction } from '../../config/options.js'
import { keepOutOfSharedCaches, varyByVisitor } from '../../kernel/answer-headers.js'
import { serializeCookie } from '../../kernel/cookies.js'
import { AuthError } from '../../kernel/errors.js'
import { checkSource } from '../../sessions/check-call-options.js'
import { createRequestSession, type RequestSession } from '../web/framework-session.js'
import { cookieHeaderAfter, eventRequest, responseHeaders, withoutForwarded } from '../web/headers.js'
import { prepareWebAuth, type WebAuth } from '../web/index.js'
import type { HookWork } from './client.js'
import {
  answerWith,
  factsOf,
  HOOK_WORK,
  isBuilding,
  isDataRequest,
  type QwikEvent,
  type QwikHandlerEvent,
} from './event.js'

/** A handler of requests, as Qwik City's `RequestHandler`. */
export type QwikHandler = (event: QwikHandlerEvent) => Promise<void>

/** The two handlers of a configuration. */
export interface QwikHandlers {
  /**
   * Serves the mount, reads the session of every other request, and renews it when it is time. Export it from
   * `src/routes/plugin@auth.ts`.
   */
  readonly onRequest: QwikHandler
  /**
   * Lets only those requests pass that the `authorized` callback lets pass, by default those of people who are signed in.
   * Export it as `onRequest` from another plugin, for every page, or from a layout, for its pages.
   */
  readonly guard: QwikHandler
}

/**
 * The options of Latchkey, or a function that returns them for an event. A function without parameters is called once,
 * because `@auth/qwik` takes one. Any other function should return the same object for the same tenant each time.
 */
export type QwikAuthSource = AuthConfig | ConfigFunction<QwikEvent>

/**
 * @param work what the hooks do in requests of these handlers
 * @throws {InvalidConfiguration} when there is no configuration
 */
export function handlersOf(source: QwikAuthSource, work: HookWork): QwikHandlers {
  checkSource(source, DEFAULTS.call)
  const prepared = prepareLater(source)

  async function onRequest(event: QwikHandlerEvent): Promise<void> {
    event.sharedMap.set(HOOK_WORK, work)
    if (isBuilding(event)) {
      event.sharedMap.set('session', null)
      return
    }
    const auth = await prepared(event)
    if (isMount(event, auth)) answerWith(event, await serve(event, auth))
    await startEventSession(event, auth, work).read()
  }

  async function guard(event: QwikHandlerEvent): Promise<void> {
    event.sharedMap.set(HOOK_WORK, work)
    if (isBuilding(event)) {
      const { callbacks } = typeof source === 'function' ? await source(event) : source
      if ((await callbacks?.authorized?.({ auth: null, request: event.request })) === true) return
      // Qwik City makes a file only of a page with status 200, and no guard stands in front of a file.
      answerWith(event, plain(401))
    }
    const auth = await prepared(event)
    if (isMount(event, auth)) return
    // The address of the page, also for a request of its data.
    const request = eventRequest(event.request, event.url.href)
    const { response } = await startEventSession(event, auth, work).change((visitor) => visitor.guard(), request)
    if (response !== null) answerWith(event, isDataRequest(event) ? plain(refusalOf(response)) : response)
  }

  return { onRequest, guard }
}

const DEFAULTS = { call: 'QwikAuth(config)', foldsCase: false } as const

/**
 * The configuration is resolved when the first request comes: Qwik City loads the plugins when it builds the application,
 * and then there may be no secret.
 */
function prepareLater(source: QwikAuthSource) {
  let prepared: Promise<ReturnType<typeof prepareWebAuth<QwikEvent>>> | undefined
  const prepare = async (event: QwikEvent) =>
    prepareWebAuth(typeof source === 'function' && source.length === 0 ? await source(event) : source, DEFAULTS)
  return async (event: QwikEvent): Promise<WebAuth> => {
    prepared ??= prepare(event)
    try {
      return await (await prepared)(event)
    } catch (error) {
      prepared = undefined
      throw error
    }
  }
}

/** Whether a request is for the mount. A rewrite never leads to it, and its pages have no data. */
const isMount = (event: QwikEvent, auth: WebAuth): boolean =>
  !isDataRequest(event) && auth.isServed(new URL(event.request.url).pathname)

const serve = (event: QwikEvent, auth: WebAuth): Promise<Response> =>
  auth.serve(new Request(event.request, { headers: withoutForwarded(event.request) }), factsOf(event))

/** The status for the script of Qwik City, which then opens the page itself, and the guard sends the visitor to sign in. */
const refusalOf = ({ status }: Response): number => (status >= 400 ? status : 401)

/** Without JSON, which the script would read as the data of the page, also when it only fetches them in advance. */
const plain = (status: number) =>
  new Response('Open the page itself.', {
    status,
    headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'private, no-store' },
  })

/** The session of one event, of the configuration whose `onRequest` began it. */
interface EventSession extends Pick<RequestSession, 'read' | 'change' | 'visitor'>, Pick<HookWork, 'serialize'> {
  readonly auth: WebAuth
}

/** The session of each event, by the values that Qwik City keeps for the request. */
const eventSessions = new WeakMap<QwikEvent['sharedMap'], EventSession>()

/**
 * The session of an event, which `onRequest` has begun.
 *
 * @throws {AuthError} when no `onRequest` of Latchkey ran before
 */
export function eventSessionOf({ sharedMap }: QwikEvent): EventSession {
  const known = eventSessions.get(sharedMap)
  if (!known) throw new AuthError(NOT_STARTED)
  return known
}

/** The session of an event for a configuration; another `onRequest` of the same request gets the same one. */
export function startEventSession(event: QwikEvent, auth: WebAuth, { serialize }: HookWork): EventSession {
  const known = eventSessions.get(event.sharedMap)
  if (known?.auth === auth) return known
  const started = { ...createEventSession(event, auth), auth, serialize }
  eventSessions.set(event.sharedMap, started)
  return started
}

function createEventSession(event: QwikEvent, auth: WebAuth): RequestSession {
  const headers = responseHeaders(event.headers)
  let isPrivate = false

  // Before anything is read, because the answer to a fault depends on the visitor, too.
  varyByVisitor(headers)
  // Pages say how their answer is cached after the session was read: the layout of a new application does it.
  beforeAnswer(event, () => isPrivate && keepOutOfSharedCaches(headers))

  const requestSession: RequestSession = createRequestSession({
    requestAuth: (request = eventRequest(event.request)) =>
      auth.forRequest(request, {
        ...factsOf(event),
        cookies: cookieHeaderAfter(event.request.headers.get('cookie'), [...requestSession.cookies.values()]),
      }),
    canSetCookies: () => !event.headersSent,
    renews: true,
    setCookie(cookie) {
      isPrivate = true
      const text = serializeCookie(cookie)
      // With all attributes: the options of Qwik City's cookies lack some.
      event.cookie.set(cookie.name, text.slice(text.indexOf('=') + 1))
    },
    onSession(session) {
      if (session !== null) isPrivate = true
      event.sharedMap.set('session', session)
    },
    tooLate: TOO_LATE,
  })
  return requestSession
}

/** Does something when the headers are about to be sent. Qwik City has no hook for it. */
function beforeAnswer(event: QwikEvent & { getWritableStream?: () => unknown }, work: () => void): void {
  const { getWritableStream } = event
  if (!getWritableStream) return
  Object.assign(event, {
    getWritableStream() {
      if (!event.headersSent) work()
      return getWritableStream()
    },
  })
}

const NOT_STARTED =
  'The session of this request is not known: export `onRequest` of QwikAuth(config) from src/routes/plugin@auth.ts.'

const TOO_LATE =
  'The answer has begun, so no cookie can be set: sign in, sign out and update the session in an action or in ' +
  '`onRequest`, not while the page is rendered.'
