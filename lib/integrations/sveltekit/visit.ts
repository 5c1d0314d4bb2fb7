import { AuthError } from '../../errors.js'
import type { CookieChange } from '../../http/cookies.js'
import type { CurrentSession } from '../../sessions/session.js'
import { appendCookies, privateByDefault, type RequestAuth, type SessionAnswer, type WebAuth } from '../../web/index.js'
import { factsOf, headersOf, type SvelteKitEvent } from './event.js'

/** What has changed: cookies, and the session if it is known afterwards. */
type Change = Pick<SessionAnswer, 'cookies'> & Partial<Pick<SessionAnswer, 'session'>>

/**
 * What happens to the session during one event. It keeps the session that it found, so that the load functions of a page,
 * which run at the same time, renew it once.
 */
export interface Visit {
  /** The session. It is renewed when it is time, as long as the answer can still set a cookie. */
  session(): Promise<CurrentSession | null>
  /**
   * Does what changes cookies, and sets them.
   *
   * @throws {AuthError} when the answer has been made already
   */
  change<Answer extends Change>(work: (auth: RequestAuth) => Promise<Answer>): Promise<Answer>
  /**
   * The answer with all cookies of the visit. If the session was read or a guard has decided, no cache keeps it unless the
   * application says so. From now on nothing is renewed.
   */
  finish(response: Response): Promise<Response>
  /** The request ends without an answer of `resolve`, as when a later hook redirects. */
  abandon(): void
}

/**
 * @param auth the configuration at work
 * @param handled whether `handle` finishes the visit; without it, SvelteKit alone sets the cookies
 */
export function startVisit(event: SvelteKitEvent, auth: WebAuth, handled: boolean): Visit {
  const { method, signal, url } = event.request
  const request = { headers: headersOf(event), method, signal, url }
  /** By name: a later change of a cookie replaces the earlier one. */
  const changes = new Map<string, CookieChange>()
  let found: Promise<CurrentSession | null> | undefined
  let last: Promise<unknown> = Promise.resolve()
  let isAnswered = false
  /** Whether the answer depends on who asks, as far as is known. */
  let isOfVisitor = false

  const authNow = () => auth.forRequest(request, factsOf(event))

  /** One after the other: a renewal that ends after a sign-out would set the old session again. */
  function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = last.then(work)
    last = result.catch(() => {})
    return result
  }

  /** SvelteKit gets to know the cookies too: for `event.fetch`, for `cookies.get`, and for redirects that a hook throws. */
  function keep(cookies: readonly CookieChange[]): void {
    for (const cookie of cookies) {
      changes.set(cookie.name, cookie)
      try {
        event.cookies.set(cookie.name, cookie.value, { path: '/', ...cookie.options })
      } catch (error) {
        // SvelteKit has made its answer already, but `finish` waits and adds the cookie.
        if (!handled) throw error
      }
    }
  }

  return {
    session() {
      isOfVisitor = true
      if (isAnswered) return authNow().getSession()
      if (found) return found
      // What a sub-request sets may never reach the browser.
      if (event.isSubRequest) return authNow().getSession()
      const looking = inTurn(async () => {
        const { session, cookies } = await authNow().renewSession()
        keep(cookies)
        return session
      })
      found = looking
      looking.catch(() => {
        if (found === looking) found = undefined
      })
      return looking
    },
    change(work) {
      if (isAnswered) return Promise.reject(new AuthError(TOO_LATE))
      isOfVisitor = true
      found = undefined
      return inTurn(async () => {
        const answer = await work(authNow())
        keep(answer.cookies)
        if (answer.session !== undefined) found = Promise.resolve(answer.session)
        return answer
      })
    },
    async finish(response) {
      await last
      isAnswered = true
      return appendCookies(isOfVisitor ? privateByDefault(response) : response, [...changes.values()])
    },
    abandon() {
      isAnswered = true
    },
  }
}

const TOO_LATE =
  'The answer has been made, so no cookie can be set: sign in, sign out and update the session before the page is ' +
  'rendered, not in a promise that a load function streams.'
