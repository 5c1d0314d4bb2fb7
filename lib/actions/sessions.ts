import { ENDED_MEANWHILE, signInPageUrl, withParams } from '../context/action-urls.js'
import { json, jsonAfter, type Outcome, redirect, redirectAfter } from '../context/outcome.js'
import { rememberReturnTarget } from '../context/return-target.js'
import type { Action, Visit } from '../context/visit.js'
import {
  type AuthError,
  InvalidConfiguration,
  MissingAdapter,
  MissingAdapterMethods,
  RequestRefused,
} from '../errors.js'
import type { BodyFields } from '../http/body.js'
import type { CookieChange } from '../http/cookies.js'
import type { ListedSession } from '../sessions/listed-session.js'
import { requireRecent } from '../sessions/recent-auth.js'
import type { SessionReading } from '../sessions/session.js'
import { signOutHere } from './sign-out-here.js'

/** GET sessions: where the visitor is signed in, as JSON; 401 if nobody is signed in. */
export const listSessions: Action = async (visit) => {
  const list = await whereKept(() => visit.sessions.list(visit))
  if (list === null) return json({ message: SIGN_IN_FIRST }, [], 401)
  return json({ sessions: list.map(publicSession) })
}

/**
 * POST sessions/revoke: ends the session `id`, or all sessions but this one (`others`), or all of them (`all`). Whoever
 * ends another session than their own current one must have signed in recently: a stranger at an open browser must not be
 * able to sign its owner out everywhere.
 */
export const revokeSessions: Action = async (visit) => {
  const choice = readChoice(visit.fields)
  if (!visit.wantsPage) {
    const done = await revoke(visit, choice)
    if (done === null) throw new RequestRefused(401, SIGN_IN_FIRST)
    const { revoked, cookies, failure } = done
    if (failure) return failure
    return json({ revoked }, cookies, revoked === 0 && typeof choice === 'object' ? 404 : 200)
  }
  // Who must sign in again comes back to the page with the list.
  visit.keep.onFailure({ wayBack: await rememberReturnTarget(visit) })
  const returnTarget = await visit.returnTarget()
  const done = await revoke(visit, choice)
  if (done === null) return redirect(withParams(signInUrl(visit, returnTarget), ENDED_MEANWHILE, visit.origin))
  // Also if there is no such session any more: the page with the list does not show it, which is what the visitor wants.
  return done.failure ?? redirect(returnTarget, done.cookies)
}

/** The sign-in page, which leads back. Whoever submitted the form was signed out meanwhile, perhaps in another tab. */
const signInUrl = ({ urls, origin }: Visit, returnTarget: string): string =>
  signInPageUrl(urls.ownPage('signIn') ?? urls.action('signin'), returnTarget, origin)

/** Which sessions shall end: that with this id, all others, or all. */
type Choice = { readonly id: string } | 'others' | 'all'

/** @throws {RequestRefused} 400 if the fields do not say exactly which */
function readChoice({ id, others, all }: BodyFields): Choice {
  const choices: Choice[] = []
  if (typeof id === 'string') choices.push({ id })
  if (isTrue(others)) choices.push('others')
  if (isTrue(all)) choices.push('all')
  const given = [id, others, all].filter((value) => value !== undefined)
  const [choice] = choices
  if (choice === undefined || given.length !== 1) throw new RequestRefused(400, ONE_CHOICE)
  return choice
}

const isTrue = (value: unknown): boolean => value === true || value === 'true'

/** What has ended. */
interface Revoked {
  readonly revoked: number
  readonly cookies: readonly CookieChange[]
  /** The answer if the sign-out of this browser failed; null otherwise. */
  readonly failure: Outcome | null
}

/** Null when nobody is signed in. */
async function revoke(visit: Visit, choice: Choice): Promise<Revoked | null> {
  const { sessions } = visit
  const reading = await sessions.read(visit)
  if (reading.session === null) return null
  const isOwn = typeof choice === 'object' && choice.id === reading.id
  if (isOwn) return signOut(visit)
  const { recentAuthAge, now } = visit.config
  requireRecent(reading, recentAuthAge, now, 'to end other sessions of theirs')
  if (choice === 'all') return revokeAll(visit, reading)
  if (choice === 'others') {
    const revoked = await whereKept(() => sessions.revokeOthers(visit))
    if (revoked === null) return null
    return { revoked, cookies: [], failure: null }
  }
  const isRevoked = await whereKept(() => sessions.revokeById(visit, choice.id))
  if (isRevoked === null) return null
  // The same answer for the session of another user and for an id that nobody has.
  return { revoked: isRevoked ? 1 : 0, cookies: [], failure: null }
}

async function signOut(visit: Visit): Promise<Revoked> {
  const { isEnded, cookies, fault } = await signOutHere(visit, visit.config)
  return { revoked: isEnded ? 1 : 0, cookies, failure: fault && failedSignOut(visit, fault, cookies) }
}

function failedSignOut(visit: Visit, fault: AuthError, cookies: readonly CookieChange[]): Outcome {
  const redirection = redirectAfter(fault, visit, cookies)
  return visit.wantsPage ? redirection : jsonAfter(fault, redirection.to, cookies)
}

/** The others end first: if that fails, the visitor is still signed in and can try again. */
async function revokeAll(visit: Visit, { userId }: SessionReading): Promise<Revoked | null> {
  const { sessions } = visit
  const others = await whereKept(() => sessions.revokeOthers(visit))
  if (others === null) return null
  const { revoked, cookies, failure } = await signOut(visit)
  if (failure) return { revoked: others, cookies, failure }
  // A session that was not in the list, or that began meanwhile.
  visit.keep.always('session', cookies)
  const late = userId === null ? 0 : await sessions.revokeAllOf(userId)
  return { revoked: others + revoked + late, cookies, failure: null }
}

/**
 * Runs work that needs a list of sessions.
 *
 * @throws {RequestRefused} 404 if the configuration keeps none. Any visitor can ask, so this is no fault for the log
 */
async function whereKept<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw NOT_KEPT.some((type) => error instanceof type) ? new RequestRefused(404, NO_LIST) : error
  }
}

const NOT_KEPT = [InvalidConfiguration, MissingAdapter, MissingAdapterMethods]

/** What a browser gets of a session. The header of the other browser stays here. */
const publicSession = (session: ListedSession) => {
  const { id, isCurrent, kind, name, scope, createdAt, lastSeenAt, expires, browser, system, network } = session
  return { id, isCurrent, kind, name, scope, createdAt, lastSeenAt, expires, browser, system, network }
}

const SIGN_IN_FIRST = 'Sign in first.'
const ONE_CHOICE = 'Say which sessions to end: `id`, or `others=true`, or `all=true`, and only one of them.'
const NO_LIST =
  'No list of sessions is kept here. Session tokens need session.revocation, and stored sessions an adapter that lists them.'
