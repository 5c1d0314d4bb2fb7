import type { Engine } from '../../engine/engine.js'
import { varyBy } from '../../kernel/answer-headers.js'
import { type MaybePromise, whenReady } from '../../kernel/awaitable.js'
import type { CookieChange } from '../../kernel/cookies.js'
import { appendCookies, removeCookies, setsCookies } from '../../kernel/node-response.js'
import { parseCookies } from '../../kernel/request-cookies.js'
import { type CurrentReading, type CurrentSession, nobody, readingForScope } from '../../sessions/session.js'
import { isSessionCookie } from '../../sessions/session-cookie.js'
import type { Config } from '../../sign-in/config.js'
import type { MiddlewareRequest, MiddlewareResponse } from './middleware.js'
import { requestContextOf } from './public-origin.js'

/** The session of a request as one engine read it, and whether the engine renewed it. */
interface RequestSession {
  readonly engine: Engine
  readonly lookup: MaybePromise<CurrentReading>
  readonly isRenewed: boolean
  /** The same of other engines, because several instances may read the session of one request. */
  readonly next: RequestSession | undefined
}

const requestSessions = new WeakMap<MiddlewareRequest, RequestSession>()

/** The session of a request as it is, for a caller that cannot send a cookie. */
export const readSession = (req: MiddlewareRequest, engine: Engine): MaybePromise<CurrentReading> =>
  lookUpSession(req, engine, 'read')

/**
 * The session and its cookies, read once for each request and engine. It rejects as the engine does, and throws if the
 * origin is unknown.
 *
 * @param how `renew` if the caller sends the cookies; `read` if it cannot, so that the session is not renewed
 */
function lookUpSession(req: MiddlewareRequest, engine: Engine, how: 'renew' | 'read'): MaybePromise<CurrentReading> {
  const first = requestSessions.get(req)
  for (let entry = first; entry; entry = entry.next) {
    if (entry.engine === engine && (entry.isRenewed || how === 'read')) return entry.lookup
  }
  const request = requestContextOf(req, engine.config)
  const lookup = how === 'renew' ? engine.renewSession(request) : engine.readSession(request)
  requestSessions.set(req, { engine, lookup, isRenewed: how === 'renew', next: first })
  return lookup
}

/** Replaces the remembered session of the request with the result of an update. */
export function rememberSession(req: MiddlewareRequest, engine: Engine, lookup: CurrentReading): void {
  requestSessions.set(req, { engine, lookup, isRenewed: true, next: requestSessions.get(req) })
}

/**
 * Nobody is signed in any more, for the rest of the request. The caller deletes the cookies.
 *
 * @param res absent, or answered already, if no cookie can be sent any more
 * @param origin the public origin
 */
export function forgetSession(
  req: MiddlewareRequest,
  res: MiddlewareResponse | undefined,
  engine: Engine,
  origin: string,
): void {
  rememberSession(req, engine, nobody())
  if (!res) return
  if (!res.headersSent) takeBackSession(res, engine.config, origin)
  res.locals = Object.assign(res.locals ?? {}, { session: null })
}

/** Puts the session into `res.locals`, and its cookies into the answer. */
export function attachSession(
  req: MiddlewareRequest,
  res: MiddlewareResponse,
  engine: Engine,
): MaybePromise<CurrentReading> {
  if (engine.config.acceptsBearer) varyBy(res, 'Authorization')
  const lookup = lookUpSession(req, engine, 'renew')
  return lookup instanceof Promise ? attachLater(res, lookup) : attach(res, lookup)
}

const attachLater = async (res: MiddlewareResponse, lookup: Promise<CurrentReading>) => attach(res, await lookup)

/** As {@link attachSession}, for a guard: the session of a token with a scope is there only if the guard asks for that scope. */
export function attachForScope(
  req: MiddlewareRequest,
  res: MiddlewareResponse,
  engine: Engine,
  scope: string | undefined,
): MaybePromise<CurrentReading> {
  return whenReady(attachSession(req, res, engine), (reading) => {
    const shown = readingForScope(reading, scope)
    if (shown === reading) return reading
    // What follows the guard gets the session that the guard accepted.
    rememberSession(req, engine, shown)
    return attach(res, shown)
  })
}

function attach(res: MiddlewareResponse, lookup: CurrentReading): CurrentReading {
  // V8 looks up properties slowly on these objects, so as few as possible are touched.
  const locals = res.locals ?? newLocals(res)
  ;(locals as LocalsOfSession).session = lookup.session
  if (lookup.cookies.length > 0) appendCookies(res, lookup.cookies)
  return lookup
}

interface LocalsOfSession {
  session?: CurrentSession | null
}

function newLocals(res: MiddlewareResponse): object {
  const locals = {}
  res.locals = locals
  return locals
}

/**
 * Takes the session cookies back that were added to an answer before, as `authSession` does when it renews the session. A
 * renewed cookie may be in other pieces than the cookie of the request, and a sign-out deletes the pieces of the request:
 * the others would sign the browser in again.
 *
 * @param origin the public origin
 */
function takeBackSession(res: MiddlewareResponse, { schemeFor }: Config, origin: string): void {
  const { sessionToken } = schemeFor(origin).specs
  removeCookies(res, (name) => isSessionCookie(name, sessionToken))
}

/** As {@link takeBackSession}, if the changes of an answer begin a session or end the one of the request. */
export function takeBackReplaced(
  req: MiddlewareRequest,
  res: MiddlewareResponse,
  config: Config,
  origin: string,
  changes: readonly CookieChange[],
): void {
  if (!setsCookies(res)) return
  const { sessionToken } = config.schemeFor(origin).specs
  const own = changes.filter(({ name }) => isSessionCookie(name, sessionToken))
  const isDeleted = (name: string) => own.some((change) => change.name === name)
  const ofRequest = [...parseCookies(req.headers.cookie).keys()].filter((name) => isSessionCookie(name, sessionToken))
  // Pieces that are left over beside a whole cookie are deleted alone, and that ends no session.
  const replaces = own.some(({ value }) => value !== '') || (own.length > 0 && ofRequest.every(isDeleted))
  if (replaces) takeBackSession(res, config, origin)
}
