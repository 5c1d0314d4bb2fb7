import { keepOutOfSharedCaches, varyByVisitor } from '../../kernel/answer-headers.js'
import { serializeCookie } from '../../kernel/cookies.js'
import { AuthError } from '../../kernel/errors.js'
import { cookieHeaderAfter, withoutForwarded } from '../request-headers.js'
import { createRequestSession, type RequestSession } from '../request-session.js'
import type { WebAuth, WebRequest } from '../web/index.js'
import { responseHeaders } from '../web/response-cookies.js'
import { factsOf, type QwikEvent } from './event.js'

/** The session of one event, of the configuration whose `onRequest` began it. */
interface EventSession extends Pick<RequestSession, 'read' | 'change' | 'visitor'> {
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
export function startEventSession(event: QwikEvent, auth: WebAuth): EventSession {
  const known = eventSessions.get(event.sharedMap)
  if (known?.auth === auth) return known
  const started = createEventSession(event, auth)
  eventSessions.set(event.sharedMap, started)
  return started
}

function createEventSession(event: QwikEvent, auth: WebAuth): EventSession {
  const { method, signal, url } = event.request
  const own: WebRequest = { headers: withoutForwarded(event.request), method, signal, url }
  const headers = responseHeaders(event.headers)
  let isPrivate = false

  // Before anything is read, because the answer to a fault depends on the visitor, too.
  varyByVisitor(headers)
  // Pages say how their answer is cached after the session was read: the layout of a new application does it.
  beforeAnswer(event, () => isPrivate && keepOutOfSharedCaches(headers))

  const requestSession: RequestSession = createRequestSession({
    requestAuth: (request = own) =>
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
  const { read, change, visitor } = requestSession
  return { auth, read, change, visitor }
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
