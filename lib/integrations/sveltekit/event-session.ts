import { appendCookies, privateByDefault, type WebAuth, type WebRequest } from '../../web/index.js'
import { withoutForwarded } from '../request-headers.js'
import { createRequestSession, type RequestSession } from '../request-session.js'
import { factsOf, type SvelteKitEvent } from './event.js'

/** The session of one event, and the answer to the event. */
export interface EventSession extends Pick<RequestSession, 'read' | 'change'> {
  /**
   * The answer with all cookies that were changed. If the session was read or a guard has decided, no cache keeps it unless
   * the application says so. From now on nothing is renewed.
   */
  finish(response: Response): Promise<Response>
  /** The request ends without an answer of `resolve`, as when a later hook redirects. */
  abandon(): void
}

/**
 * @param auth the configuration at work
 * @param isHandled whether `handle` finishes the answer; without it, SvelteKit alone sets the cookies
 */
export function startEventSession(event: SvelteKitEvent, auth: WebAuth, isHandled: boolean): EventSession {
  const { method, signal, url } = event.request
  const own: WebRequest = { headers: withoutForwarded(event.request), method, signal, url }
  let isAnswered = false
  /** Whether the answer depends on who asks, as far as is known. */
  let isForVisitor = false

  const requestSession = createRequestSession({
    requestAuth: (request = own) => auth.forRequest(request, factsOf(event)),
    canSetCookies: () => !isAnswered,
    // What a sub-request sets may never reach the browser.
    renews: !event.isSubRequest,
    // SvelteKit gets to know the cookies too: for `event.fetch`, for `cookies.get`, and for redirects that a hook throws.
    setCookie({ name, value, options }) {
      try {
        event.cookies.set(name, value, { path: '/', ...options })
      } catch (error) {
        // SvelteKit has made its answer already, but `finish` waits and adds the cookie.
        if (!isHandled) throw error
      }
    },
    tooLate: TOO_LATE,
  })

  return {
    read() {
      isForVisitor = true
      return requestSession.read()
    },
    change(work, request) {
      isForVisitor = true
      return requestSession.change(work, request)
    },
    async finish(response) {
      await requestSession.settled()
      isAnswered = true
      const answer = isForVisitor ? privateByDefault(response) : response
      return appendCookies(answer, [...requestSession.cookies.values()])
    },
    abandon() {
      isAnswered = true
    },
  }
}

const TOO_LATE =
  'The answer has been made, so no cookie can be set: sign in, sign out and update the session before the page is ' +
  'rendered, not in a promise that a load function streams.'
