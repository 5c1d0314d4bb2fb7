import type { CookieChange } from '../../kernel/cookies.js'
import { AuthError } from '../../kernel/errors.js'
import type { CurrentSession } from '../../sessions/session.js'
import { OPERATION_NAMES } from '../../visitor/operations.js'
import type { RequestAuth, SessionAnswer, SessionRevocation, Visitor, VisitorOfRequest, WebRequest } from './index.js'

/** What has changed: cookies, and the session if it is known afterwards. */
type SessionChange = Pick<SessionAnswer, 'cookies'> & Partial<Pick<SessionAnswer, 'session'>>

/** What the session of a request needs of the framework. */
interface RequestSessionSettings {
  /**
   * The operations for the request, with its cookies as they are now.
   *
   * @param request that of the framework, unless another one is judged in its place
   */
  requestAuth(request?: WebRequest): RequestAuth
  /** Whether the answer can still set a cookie. */
  canSetCookies(): boolean
  /** Whether a look-up may renew the session. False if the browser may never get the cookie. */
  readonly renews: boolean
  setCookie(cookie: CookieChange): void
  /** Called with every session that a look-up or a change gives. */
  onSession?(session: CurrentSession | null): void
  /** What the developer should do if a change comes too late for its cookies: the message of the error. */
  readonly tooLate: string
}

/** See {@link createRequestSession}. */
export type RequestSession = ReturnType<typeof createRequestSession>

/**
 * The session of one request, for all code that a framework runs for it. It remembers the session, so that code that runs
 * at the same time, as the functions that load the data of a page do, renews it once.
 */
export function createRequestSession(settings: RequestSessionSettings) {
  const cookies = new Map<string, CookieChange>()
  let found: Promise<CurrentSession | null> | undefined
  let last: Promise<unknown> = Promise.resolve()

  /** One after the other: a renewal that ends after a sign-out would set the old session again. */
  function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = last.then(work)
    last = result.catch(() => {})
    return result
  }

  function setCookies(changes: readonly CookieChange[]): void {
    for (const cookie of changes) {
      cookies.set(cookie.name, cookie)
      settings.setCookie(cookie)
    }
  }

  /**
   * Does what changes cookies, and sets them.
   *
   * @param request as that of {@link RequestSessionSettings.requestAuth}
   * @throws {AuthError} when the answer can set no cookie any more
   */
  function change<Answer extends SessionChange>(
    work: (auth: RequestAuth) => Promise<Answer>,
    request?: WebRequest,
  ): Promise<Answer> {
    found = undefined
    return inTurn(async () => {
      // In its turn, because the answer may be made while a change waits.
      if (!settings.canSetCookies()) throw new AuthError(settings.tooLate)
      const answer = await work(settings.requestAuth(request))
      setCookies(answer.cookies)
      if (answer.session !== undefined) {
        found = Promise.resolve(answer.session)
        settings.onSession?.(answer.session)
      }
      return answer
    })
  }

  return {
    /** The cookies that were changed, by name: a later change of a cookie replaces the earlier one. */
    cookies: cookies as ReadonlyMap<string, CookieChange>,
    change,
    /** What the visitor does with what is theirs, with the cookies as they are now. */
    visitor: (): VisitorOfRequest => visitorOf(settings.requestAuth(), (work) => change(work)),
    /** The session. It is renewed when it is time, as long as the answer can still set a cookie. */
    read(): Promise<CurrentSession | null> {
      if (settings.canSetCookies() && found) return found
      if (!settings.canSetCookies() || !settings.renews) return settings.requestAuth().getSession()
      const lookup = inTurn(async () => {
        const answer = await settings.requestAuth().renewSession()
        setCookies(answer.cookies)
        settings.onSession?.(answer.session)
        return answer.session
      })
      found = lookup
      lookup.catch(() => {
        if (found === lookup) found = undefined
      })
      return lookup
    },
    /** Waits for the look-ups and changes that have begun. It never rejects. */
    async settled(): Promise<void> {
      await last
    },
  }
}

/**
 * The operations for the visitor of a request. Of those, only the end of the session of the request changes cookies.
 *
 * @param change does what changes cookies, and sets them as the framework does it
 */
export function visitorOf(
  auth: RequestAuth,
  change: (work: (auth: RequestAuth) => Promise<SessionRevocation>) => Promise<SessionRevocation>,
): VisitorOfRequest {
  const operations = Object.fromEntries(OPERATION_NAMES.map((name) => [name, auth[name]])) as unknown as Visitor
  const { upgradeSession } = auth
  return {
    ...operations,
    upgradeSession,
    revokeSession: (id, options) => change((now) => now.revokeSession(id, options)),
  }
}
