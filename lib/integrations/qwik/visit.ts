import { AuthError } from '../../errors.js'
import { type CookieChange, serializeCookie } from '../../http/cookies.js'
import { parseCookies } from '../../http/request-cookies.js'
import { keepOutOfSharedCaches, varyByVisitor } from '../../http/shared-caches.js'
import type { Session } from '../../sessions/session.js'
import type { RequestAuth, SessionAnswer, WebAuth, WebRequest } from '../../web/index.js'
import { responseHeaders } from '../../web/response-cookies.js'
import { factsOf, headersOf, type QwikEvent } from './event.js'

/** What has changed: cookies, and the session if it is known afterwards. */
type Change = Pick<SessionAnswer, 'cookies'> & Partial<Pick<SessionAnswer, 'session'>>

/** What happens to the session during one request: its loaders run at the same time and renew it once. */
export interface Visit {
  readonly auth: WebAuth
  /** The session. It is renewed when it is time, as long as the answer can still set a cookie. */
  session(): Promise<Session | null>
  /**
   * Does what changes cookies, and sets them.
   *
   * @param request by default that of the event
   * @throws {AuthError} when the answer has begun already
   */
  change<Answer extends Change>(work: (auth: RequestAuth) => Promise<Answer>, request?: WebRequest): Promise<Answer>
}

/** The visit of each request, by the values that Qwik City keeps for it. */
const visits = new WeakMap<QwikEvent['sharedMap'], Visit>()

/**
 * The visit of a request, which `onRequest` has begun.
 *
 * @throws {AuthError} when no `onRequest` of Latchkey ran before
 */
export function visitOf({ sharedMap }: QwikEvent): Visit {
  const visit = visits.get(sharedMap)
  if (!visit) throw new AuthError(NO_VISIT)
  return visit
}

/** Begins the visit of a request; another `onRequest` of it gets the same one. */
export function beginVisit(event: QwikEvent, auth: WebAuth): Visit {
  const known = visits.get(event.sharedMap)
  if (known?.auth === auth) return known
  const visit = startVisit(event, auth)
  visits.set(event.sharedMap, visit)
  return visit
}

function startVisit(event: QwikEvent, auth: WebAuth): Visit {
  const { method, signal, url } = event.request
  const own: WebRequest = { headers: headersOf(event), method, signal, url }
  /** By name: a later change of a cookie replaces the earlier one. */
  const changes = new Map<string, CookieChange>()
  const headers = responseHeaders(event.headers)
  let isPrivate = false
  let found: Promise<Session | null> | undefined
  let last: Promise<unknown> = Promise.resolve()

  // Before anything is read, because the answer to a fault depends on the visitor, too.
  varyByVisitor(headers)
  // Pages say how their answer is cached after the session was read: the layout of a new application does it.
  beforeAnswer(event, () => isPrivate && keepOutOfSharedCaches(headers))

  const authNow = (request = own) =>
    auth.forRequest(request, { ...factsOf(event), cookies: cookiesNow(event, changes.values()) })

  /** One after the other: a renewal that ends after a sign-out would set the old session again. */
  function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = last.then(work)
    last = result.catch(() => {})
    return result
  }

  function keep(cookies: readonly CookieChange[]): void {
    for (const cookie of cookies) {
      isPrivate = true
      changes.set(cookie.name, cookie)
      const text = serializeCookie(cookie)
      // With all attributes: the options of Qwik City's cookies lack some.
      event.cookie.set(cookie.name, text.slice(text.indexOf('=') + 1))
    }
  }

  function note(session: Session | null): Session | null {
    if (session !== null) isPrivate = true
    event.sharedMap.set('session', session)
    return session
  }

  return {
    auth,
    session() {
      if (event.headersSent) return authNow().getSession()
      if (found) return found
      const looking = inTurn(async () => {
        const { session, cookies } = await authNow().renewSession()
        keep(cookies)
        return note(session)
      })
      found = looking
      looking.catch(() => {
        if (found === looking) found = undefined
      })
      return looking
    },
    change(work, request) {
      found = undefined
      return inTurn(async () => {
        if (event.headersSent) throw new AuthError(TOO_LATE)
        const answer = await work(authNow(request))
        keep(answer.cookies)
        if (answer.session !== undefined) found = Promise.resolve(note(answer.session))
        return answer
      })
    },
  }
}

/** The cookies of the browser with those that this answer sets, as text of a `Cookie` header. */
function cookiesNow({ request }: QwikEvent, changes: Iterable<CookieChange>): string {
  const cookies = new Map(parseCookies(request.headers.get('cookie') ?? undefined))
  for (const { name, value, options } of changes) {
    if (options.maxAge === 0) cookies.delete(name)
    else cookies.set(name, value)
  }
  return [...cookies].map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('; ')
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

const NO_VISIT =
  'The session of this request is not known: export `onRequest` of QwikAuth(config) from src/routes/plugin@auth.ts.'

const TOO_LATE =
  'The answer has begun, so no cookie can be set: sign in, sign out and update the session in an action or in ' +
  '`onRequest`, not while the page is rendered.'
