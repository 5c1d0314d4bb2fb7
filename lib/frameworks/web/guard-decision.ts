import type { MaybePromise } from '../../kernel/awaitable.js'
import { comesWithBearer } from '../../kernel/bearer-token.js'
import { describeValue } from '../../kernel/describe-value.js'
import { AuthError, RequestRefused, withoutDetails } from '../../kernel/errors.js'
import { isFirstTime, type LogSource } from '../../kernel/logger.js'
import { object } from '../../kernel/object-shape.js'
import { call, listOf, type Shape } from '../../kernel/shape.js'
import type { Awaitable } from '../../providers/provider.js'
import { isRecent } from '../../sessions/may-be-used.js'
import { type CurrentReading, type CurrentSession, scopeShape } from '../../sessions/session.js'
import type { Config } from '../../sign-in/config.js'

/**
 * What a guard decides about a request: an answer other than `pass` comes from the guard, not from the route. `deny`:
 * the visitor has to sign in. `outdated`: the visitor has to sign in again, because the sign-in is too old. `forbid`: the
 * visitor is signed in, and may not do this. `out-of-scope`: the token of the request is not for this.
 */
export type Verdict = 'pass' | 'deny' | 'outdated' | 'forbid' | 'out-of-scope' | 'fault' | RequestRefused | Response

/** A request at a guard. */
export interface GuardedRequest {
  readonly config: Config
  /** The most seconds that may have passed since the last sign-in of the visitor. */
  readonly maxAuthAge: number
  /** Whether the request passes whoever sends it, so that the `authorized` callback is not asked. */
  readonly everybodyPasses?: boolean
  /** Whether a session fulfils the rules of the guard; null if it has none. */
  readonly checkRules: ((session: CurrentSession) => RulesAnswer) | null
  /** The request as it came, which lines of the log are about. */
  readonly source: LogSource
  /** A header's value, or undefined; `name` in lower case. */
  header(name: string): string | undefined
  /**
   * What the `authorized` callback is asked about: the request, once for each way in which the routes behind the guard
   * may read its path.
   *
   * @throws {RequestRefused} when the request cannot be judged
   */
  readings(): readonly Request[]
}

/**
 * Decides whether a request passes. After an error, no request passes. If the session is known at once and the
 * application has no `authorized` callback, as for most requests, there is no promise.
 *
 * @param lookup the session of the request, for the scope of the guard. A rejection is a fault
 */
export function decide(guarded: GuardedRequest, lookup: MaybePromise<CurrentReading>): MaybePromise<Verdict> {
  if (lookup instanceof Promise || !isBySession(guarded) || guarded.checkRules) return decideLater(guarded, lookup)
  return bySession(guarded, lookup)
}

async function decideLater(guarded: GuardedRequest, pending: MaybePromise<CurrentReading>): Promise<Verdict> {
  try {
    const lookup = await pending
    const verdict = await beforeRules(guarded, lookup)
    return verdict === 'pass' && guarded.checkRules ? await byRules(guarded, lookup) : verdict
  } catch (error) {
    return verdictOnError(error, guarded)
  }
}

async function beforeRules(guarded: GuardedRequest, lookup: CurrentReading): Promise<Verdict> {
  if (isBySession(guarded)) return bySession(guarded, lookup)
  if (lookup.restricted !== undefined) return 'out-of-scope'
  if (!isRecentEnough(guarded, lookup)) return lookup.session === null ? 'deny' : 'outdated'
  const verdict = await byCallback(guarded, lookup.session)
  // A program with a good token has nothing to sign in with.
  return verdict === 'deny' && lookup.session !== null && comesWithBearer(guarded) ? 'forbid' : verdict
}

/** Applies the rules of the guard, which are about people who are signed in: everybody else has to sign in first. */
async function byRules(
  { config, checkRules, source }: GuardedRequest,
  { session, restricted }: CurrentReading,
): Promise<Verdict> {
  if (restricted !== undefined) return 'out-of-scope'
  if (session === null) return 'deny'
  let answer: unknown
  try {
    answer = await checkRules?.(session)
  } catch (error) {
    throw new AuthError('The function `allow` of a guard threw.', { err: withoutDetails(error) })
  }
  if (answer === true) return 'pass'
  if (answer instanceof MissingRole && !answer.isShown && isFirstTime(config.logger, 'session-without-roles')) {
    config.logger.warn('session-without-roles', { wanted: answer.wanted, fix: NO_ROLES }, source)
  }
  config.logger.debug('A guard refused somebody who is signed in', reasonOf(answer), source)
  return 'forbid'
}

/** Why the rules refuse a session. The names of roles are those of the application; nothing else of the session is told. */
const reasonOf = (answer: unknown): object =>
  answer instanceof MissingRole
    ? { option: 'roles', wanted: answer.wanted, found: answer.found.slice(0, 20) }
    : { option: 'allow', answer: answer === false ? 'false' : describeValue(answer) }

const NO_ROLES =
  'The guard lets nobody pass whose session shows no role. Let the `session` callback return `user` with `role`, a text, or `roles`, a list of texts; null for nobody in particular.'

const isBySession = ({ config, everybodyPasses = false }: GuardedRequest): boolean =>
  everybodyPasses || config.callbacks.authorized === null

/** The verdict without the `authorized` callback. */
function bySession(guarded: GuardedRequest, lookup: CurrentReading): Verdict {
  if (guarded.everybodyPasses) return 'pass'
  if (lookup.session !== null) return isRecentEnough(guarded, lookup) ? 'pass' : 'outdated'
  return lookup.restricted === undefined ? 'deny' : 'out-of-scope'
}

const isRecentEnough = ({ config, maxAuthAge }: GuardedRequest, lookup: CurrentReading): boolean =>
  maxAuthAge === Number.POSITIVE_INFINITY || isRecent(lookup, maxAuthAge, config.now)

/**
 * Calls the `authorized` callback for each reading of the request. A request passes only if the callback lets it pass
 * every time.
 *
 * @throws {RequestRefused} when there is no reading
 */
async function byCallback(guarded: GuardedRequest, auth: CurrentSession | null): Promise<Verdict> {
  const { config } = guarded
  const verdicts: Verdict[] = []
  for (const request of guarded.readings()) {
    const result = await config.callbacks.authorized?.({ auth, request })
    verdicts.push(result instanceof Response ? result : result === true ? 'pass' : 'deny')
  }
  const denial = verdicts.find((verdict) => verdict !== 'pass')
  // The callback may know only one spelling of the path.
  if (denial !== undefined && verdicts.includes('pass') && isFirstTime(config, 'authorized-spelling')) {
    const fix =
      'The authorized callback decided differently on spellings of one path that can run the same route. Compare paths in lower case, decoded.'
    config.logger.warn('authorized-spelling', { fix }, guarded.source)
  }
  return denial ?? (verdicts.length > 0 ? 'pass' : 'deny')
}

function verdictOnError(error: unknown, { config, source }: GuardedRequest): Verdict {
  if (error instanceof RequestRefused) return error
  const isKnown = error instanceof AuthError
  const fault = isKnown ? error : new AuthError('The authorized callback threw.', { err: withoutDetails(error) })
  config.logger.error(fault, source)
  return 'fault'
}

/**
 * What a guard demands of the session of somebody who is signed in.
 *
 * @typeParam Request the request as the framework has it
 */
export interface SessionRules<Request> {
  /**
   * Whether this session may do what the request asks for. Only `true` lets it pass. It is called with each request that
   * would pass otherwise. If it throws, the request is answered with 503.
   *
   * Declared as a method, so that an application may declare the request of its framework as the type of `request`.
   */
  allow?(session: CurrentSession, request: Request): Awaitable<boolean>
  /**
   * One role, or several of which one is enough. The roles of a session are the text `session.user.role` and the texts in
   * the list `session.user.roles`. The `session` callback puts them there.
   */
  roles?: string | readonly string[]
  /**
   * What a session with a scope must be for: one word or several, with one blank between them (RFC 6749 §3.3). It must have
   * all of them. Without this option, no such session passes. Sessions without a scope, such as those of browsers, are not
   * restricted.
   */
  scope?: string
}

/** What a session lacks that has none of the roles that a guard asks for, for the log. */
class MissingRole {
  /** The roles of which one is enough. */
  readonly wanted: readonly string[]
  /** The roles that the session has. */
  readonly found: readonly string[]
  /** Whether the session has roles at all, perhaps none: an application that forgot to put them there lets nobody pass. */
  readonly isShown: boolean

  constructor(wanted: readonly string[], session: CurrentSession) {
    this.wanted = wanted
    this.found = rolesOf(session)
    this.isShown = showsRoles(session)
  }
}

/** What the rules beside `scope` say: true if a session fulfils them, or anything else if it does not. */
type RulesAnswer = Awaitable<boolean | undefined | MissingRole>

/** Whether a session fulfils the rules beside `scope`. */
export type CheckRules<Request> = (session: CurrentSession, request: Request) => RulesAnswer

const role: Shape<string> = {
  expected: 'the name of a role',
  fits: (value) => typeof value === 'string' && value.trim() !== '',
}

const severalRoles = listOf(role, 'roles')

/** A missing rule would open the guard, so a rule that is present and undefined is refused. */
const roles: Shape<string | string[]> = {
  expected: 'a role, or a list of at least one role',
  fits: (value) => role.fits(value) || (Array.isArray(value) && value.length > 0),
  inside: (value, path) => (Array.isArray(value) ? (severalRoles.inside?.(value, path) ?? []) : []),
  remedy: (value) => (Array.isArray(value) ? ' The list is empty.' : ''),
  isLimit: true,
}

/** The shapes of {@link SessionRules}. */
export const SESSION_RULES = { allow: { ...call, isLimit: true }, roles, scope: scopeShape } as const

/** How a session is read that a guard has not judged. */
export type SessionRead = Pick<SessionRules<never>, 'scope'>

export const SESSION_READ = object<SessionRead>({ scope: scopeShape })

/** The check of some rules; null if there are none. `scope` is not among them: it decides which session there is. */
export function checkOfRules<Request>(rules: SessionRules<Request>): CheckRules<Request> | null {
  const { allow, roles } = rules
  if (allow === undefined && roles === undefined) return null
  const wanted = roles === undefined ? null : new Set(typeof roles === 'string' ? [roles] : roles)
  return (session, request) => {
    if (wanted !== null) {
      if (!rolesOf(session).some((role) => wanted.has(role))) return new MissingRole([...wanted], session)
    }
    return allow === undefined ? true : allow(session, request)
  }
}

/** The members of a user that have roles, as the application gives them. */
const membersOf = ({ user }: CurrentSession) => (user ?? {}) as { readonly role?: unknown; readonly roles?: unknown }

const isText = (value: unknown): value is string => typeof value === 'string'

/** Null and an empty list say that somebody has no role. A text in `roles`, a list in `role` and objects say nothing. */
function showsRoles(session: CurrentSession): boolean {
  const { role, roles } = membersOf(session)
  return role === null || roles === null || isText(role) || (Array.isArray(roles) && roles.every(isText))
}

/** The roles of a session. Only texts count, so that a row with other values gives no role. */
function rolesOf(session: CurrentSession): readonly string[] {
  const { role, roles } = membersOf(session)
  return [role, ...(Array.isArray(roles) ? (roles as readonly unknown[]) : [])].filter(isText)
}
