import { comesWithBearer } from '../kernel/bearer-token.js'
import { type CookieChange, clearCookie } from '../kernel/cookies.js'
import { type AuthError, MissingAdapterMethods, ownError, RequestRefused, SignOutError } from '../kernel/errors.js'
import type { RequestContext } from '../kernel/request-context.js'
import type { Authentication } from '../sessions/authentication.js'
import { ownReading } from '../sessions/session.js'
import { forEachSession, MAX_SESSION_COOKIES } from '../sessions/session-cookie.js'
import type { Config } from './config.js'
import type { CookieSpecs } from './cookies.js'
import { type Ended, pointsIn } from './feature.js'
import { happened } from './happened.js'
import { dropHeld } from './held-sign-in.js'
import { forgetNote } from './note.js'
import { sentBy } from './operation.js'
import { forgetOwnSignIn } from './own-sign-in.js'
import type { Visit } from './visit.js'

/** What came of the end of the session of a request. */
export interface EndedSession {
  /** Whether there was a session, and every session of the request has ended. */
  readonly isEnded: boolean
  /** Cookies to delete, also if there is a fault. */
  readonly cookies: readonly CookieChange[]
  /** Why a copy of the session may still work; it is in the log. Null if there is no such copy. */
  readonly fault: AuthError | null
}

/**
 * Ends the session of a request, or each one if it brought several, and tells the application. Every sign-out is this one,
 * whatever answers it: a page, a script, or a route of the application. It does not throw, so no caller keeps the cookies by
 * mistake.
 */
export async function signOutHere(request: RequestContext, config: Config): Promise<EndedSession> {
  const { specs } = config.schemeFor(request.origin)
  const isBearer = isWithBearer(request, config)
  // A sibling host may have planted a cookie that the browser sends before the visitor's own. Both sessions end.
  const requests = isBearer ? [request] : forEachSession(request, specs.sessionToken)
  const ends: EndedSession[] = []
  for (const each of requests.slice(0, MAX_SESSION_COOKIES)) ends.push(await endSession(each, config))
  const tooMany = requests.length > MAX_SESSION_COOKIES ? signedOutHereOnly(new Error(TOO_MANY), false) : null
  const faults = [...ends.map(({ fault }) => fault), tooMany].filter((fault) => fault !== null)
  for (const fault of faults) config.logger.error(fault, request.source)
  const [fault = null] = faults
  return {
    isEnded: ends.some(({ isEnded }) => isEnded) && fault === null,
    cookies: isBearer ? [] : [...(await cookiesOfVisitor(request, config, specs)), ...(ends[0]?.cookies ?? [])],
    fault,
  }
}

/**
 * Gives the session of a visitor another cookie, so that no copy of the earlier one counts, and with it what they have shown. If the store
 * fails at that, the session ends: what was changed before was to keep out whoever has a copy. An adapter that cannot do it keeps the
 * cookie.
 *
 * @param proved null for nothing
 */
export async function replaceCookie(visit: Visit, proved: Authentication | null): Promise<void> {
  try {
    visit.keep.always('session', (await visit.sessions.raise(visit, proved)) ?? [])
  } catch (error) {
    if (error instanceof MissingAdapterMethods || error instanceof RequestRefused) return
    visit.config.logger.error(error as AuthError, visit.source)
    visit.keep.always('session', (await signOutHere(visit, visit.config)).cookies)
  }
}

/** Ends the session of a request whose first session cookie counts. */
async function endSession(request: RequestContext, config: Config): Promise<EndedSession> {
  const whose = pointsIn(config).ended.length > 0 ? await ownerOf(request, config) : UNKNOWN
  const { cookies, ended, fault, isRetried = false } = await config.schemeFor(request.origin).sessions.revoke(request)
  if (ended) await happened.ended(sentBy({ config, context: request }), { message: ended, ...whose })
  return { isEnded: ended !== null, cookies, fault: fault ? signedOutHereOnly(fault, isRetried) : null }
}

const UNKNOWN = { kind: 'sign-out', userId: null, at: undefined } as const

/** Whose session ends. A program that ends its own token signs nobody out. */
async function ownerOf(request: RequestContext, config: Config): Promise<Omit<Ended, 'message'>> {
  try {
    const reading = await config.schemeFor(request.origin).sessions.read(request)
    const { kind, userId, providerSession: at } = ownReading(reading)
    const acted = reading.actor && { actedAs: String(reading.userId) }
    return { kind: kind === 'token' ? 'token-revoked' : 'sign-out', userId, at, ...acted }
  } catch (error) {
    config.logger.error(ownError(error, UNREAD), request.source)
    return UNKNOWN
  }
}

/** The cookies of such a request do not count, so they stay as they are. */
const isWithBearer = (request: RequestContext, config: Config) =>
  comesWithBearer({ config, header: (name) => request.header(name) })

/** In a shared browser, the remaining cookies must not show who was signed in. */
async function cookiesOfVisitor(
  { cookies, source }: RequestContext,
  config: Config,
  specs: CookieSpecs,
): Promise<readonly CookieChange[]> {
  const { csrf, transactions } = config
  // Who has the cookie of a sign-in that waits cannot go on with it.
  const held = await dropHeld({ config, cookies, specs }).catch((error: unknown) => {
    config.logger.error(ownError(error, STILL_HELD), source)
    return [clearCookie(specs.heldSignIn)]
  })
  const target = cookies.has(specs.callbackUrl.name) ? [clearCookie(specs.callbackUrl)] : []
  return [
    ...(csrf?.clear(cookies, specs.csrfToken) ?? []),
    ...target,
    ...transactions.clearAll({ cookies, specs }),
    ...forgetOwnSignIn({ cookies, specs }),
    ...forgetNote({ cookies, specs }),
    ...held,
  ]
}

const STILL_HELD =
  'A sign-in that waits for its second factor could not be ended by a sign-out. It ends within ten minutes.'
const UNREAD = 'The session of somebody who signs out could not be read, so their tokens are not revoked.'

const TOO_MANY = `The request brought more than ${MAX_SESSION_COOKIES} session cookies.`

const RETRIED =
  'Its deletion is tried again for ten minutes; until it succeeds, other processes accept a copy of the cookie.'
const NOT_RETRIED = 'That is not tried again: a copy of the cookie may be good until the session expires.'

/** The visitor and the log learn that a copy of the session may still work (LOGOUT-02). */
const signedOutHereOnly = (fault: Error, isRetried: boolean): SignOutError =>
  new SignOutError(
    `The session of somebody who signed out could not be ended. It is gone from their browser. ${isRetried ? RETRIED : NOT_RETRIED}`,
    { err: fault },
  )
