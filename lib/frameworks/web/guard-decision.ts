import type { MaybePromise } from '../../kernel/awaitable.js'
import { comesWithBearer } from '../../kernel/bearer-token.js'
import { describeValue } from '../../kernel/describe-value.js'
import { AuthError, ownError, RequestRefused, withoutDetails } from '../../kernel/errors.js'
import { isFirstTime, type LogSource } from '../../kernel/logger.js'
import { object } from '../../kernel/object-shape.js'
import { call, limit, listOf, type Shape, secondsLimit } from '../../kernel/shape.js'
import type { Awaitable } from '../../providers/provider.js'
import { isAcr } from '../../sessions/authentication.js'
import { isRecent, lacksFactorAlone } from '../../sessions/may-be-used.js'
import { type CurrentReading, type CurrentSession, scopeShape } from '../../sessions/session.js'
import { type Config, SECOND_FACTOR_PAGE } from '../../sign-in/config.js'

/**
 * What a session lacks for a guard. `outdated`: the sign-in is too old. `one-factor`: a second factor. `weak`: the provider has not
 * said one of the values of `acr`.
 */
export type Lack = 'outdated' | 'one-factor' | 'weak'

export const isLack = (verdict: Verdict): verdict is Lack =>
  verdict === 'outdated' || verdict === 'one-factor' || verdict === 'weak'

/**
 * What a guard decides about a request: an answer other than `pass` comes from the guard, not from the route. `deny`:
 * the visitor has to sign in. What the session {@link Lack}s is asked for. `forbid`: the visitor is signed in, and may not do
 * this. `out-of-scope`: the token of the request is not for this.
 */
export type Verdict = 'pass' | 'deny' | Lack | 'forbid' | 'out-of-scope' | 'fault' | RequestRefused | Response

/** A request at a guard. */
export interface GuardedRequest<Source extends LogSource = LogSource> {
  readonly config: Config
  readonly rules: GuardRules<Source>
  /** Whether the request passes whoever sends it and fulfils the rules, so that the `authorized` callback is not asked. */
  readonly everybodyPasses?: boolean
  /** The request as it came, which lines of the log are about. */
  readonly source: Source
  /** The session of the request, once it was read; null or absent where nobody is signed in. */
  readonly session?: CurrentSession | null
  /** In capitals. */
  readonly method: string
  /** Path and query that were asked for. */
  readonly target: string
  /** Public origin; null when it is not known. */
  readonly origin: string | null
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
  if (lookup instanceof Promise || !isBySession(guarded) || hasRules(guarded)) return decideLater(guarded, lookup)
  return bySession(guarded, lookup)
}

async function decideLater(guarded: GuardedRequest, pending: MaybePromise<CurrentReading>): Promise<Verdict> {
  try {
    const lookup = await pending
    const verdict = await beforeRules(guarded, lookup)
    return hasRules(guarded) && (verdict === 'pass' || isLack(verdict))
      ? await byRules(guarded, lookup, verdict)
      : verdict
  } catch (error) {
    return verdictOnError(error, guarded)
  }
}

async function beforeRules(guarded: GuardedRequest, lookup: CurrentReading): Promise<Verdict> {
  if (isBySession(guarded)) return bySession(guarded, lookup)
  if (lookup.restricted !== undefined) return 'out-of-scope'
  const lack = lackOf(guarded, lookup)
  if (lack !== null) return lookup.session === null ? 'deny' : lack
  const verdict = await byCallback(guarded, lookup.session)
  // A program with a good token has nothing to sign in with.
  return verdict === 'deny' && lookup.session !== null && comesWithBearer(guarded) ? 'forbid' : verdict
}

const hasRules = ({ rules: { allow, roles } }: GuardedRequest): boolean => allow !== undefined || roles !== null

/**
 * Applies the rules of the guard, which are about people who are signed in: everybody else has to sign in first. Nobody is asked for a
 * proof that would not help them, because they do not have the role.
 *
 * @param verdict so far
 */
async function byRules(
  { config: { logger }, rules: { allow, roles }, source }: GuardedRequest,
  { session, restricted }: CurrentReading,
  verdict: 'pass' | Lack,
): Promise<Verdict> {
  if (restricted !== undefined) return 'out-of-scope'
  if (session === null) return 'deny'
  // The names of roles are those of the application; nothing else of the session is told.
  const forbid = (why: object) => {
    logger.debug('A guard refused somebody who is signed in', why, source)
    return 'forbid' as const
  }
  const found = rolesOf(session)
  if (roles !== null && !found.some((role) => roles.includes(role))) {
    // An application that forgot to put roles into the session lets nobody pass.
    if (!showsRoles(session) && isFirstTime(logger, 'session-without-roles')) {
      logger.warn('session-without-roles', { wanted: roles, fix: NO_ROLES }, source)
    }
    return forbid({ option: 'roles', wanted: roles, found: found.slice(0, 20) })
  }
  if (allow === undefined || verdict !== 'pass') return verdict
  let answer: unknown
  try {
    answer = await allow(session, source)
  } catch (error) {
    throw new AuthError('The function `allow` of a guard threw.', { err: withoutDetails(error) })
  }
  return answer === true
    ? 'pass'
    : forbid({ option: 'allow', answer: answer === false ? 'false' : describeValue(answer) })
}

const NO_ROLES =
  'The guard lets nobody pass whose session shows no role. Let the `session` callback return `user` with `role`, a text, or `roles`, a list of texts; null for nobody in particular.'

const isBySession = ({ config, everybodyPasses = false }: GuardedRequest): boolean =>
  everybodyPasses || config.callbacks.authorized === null

/** The verdict without the `authorized` callback. */
function bySession(guarded: GuardedRequest, lookup: CurrentReading): Verdict {
  if (lookup.session !== null) return lackOf(guarded, lookup) ?? 'pass'
  // Whoever is not signed in fulfils no demand.
  if (guarded.everybodyPasses && lackOf(guarded, lookup) === null) return 'pass'
  return lookup.restricted === undefined ? 'deny' : 'out-of-scope'
}

/**
 * What a session lacks; null for nothing. Another sign-in begins another session, so what only a sign-in gives is asked for first.
 * Whoever shows a second factor then proves who they are, so that the sign-in is recent, too. Where that is all that the sign-in lacks, the
 * first factor is not asked for again.
 */
function lackOf({ config, rules: { acr, factors, maxAuthAge } }: GuardedRequest, lookup: CurrentReading): Lack | null {
  const { authentication } = lookup
  if (acr !== null && !acr.some((value) => value === authentication?.acr)) return 'weak'
  if (factors !== undefined && authentication?.factors !== factors) return 'one-factor'
  if (maxAuthAge === Number.POSITIVE_INFINITY || isRecent(lookup, maxAuthAge, config.now)) return null
  const isAsked = config.services.get(SECOND_FACTOR_PAGE) !== undefined
  return isAsked && lacksFactorAlone(lookup, maxAuthAge, config.now) ? 'one-factor' : 'outdated'
}

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
  config.logger.error(ownError(error, 'The authorized callback threw.'), source)
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
  /**
   * `2` for two factors: whoever has shown one is asked for the second. `undefined` is refused, because a variable that is not set
   * must not open the guard.
   */
  factors?: 2
  /**
   * A value of `acr`, or several of which one is enough: how strongly a provider must say that it has identified the visitor
   * (OpenID Connect Core §2). Others are asked to sign in again, and the provider is asked for it with `acr_values`. Every
   * OpenID provider of the configuration can say it.
   */
  acr?: string | readonly string[]
  /**
   * Seconds since the visitor last proved who they are, at most; by default, and with `Infinity`, any time will do.
   * `maxAuthAge: undefined` is refused, because a variable that is not set must not open the guard. A visitor who
   * signed in before that is asked to do so again. This is for a page that changes how a user signs in. A visitor whose
   * sign-in time is not known does not pass: Auth.js began the session, or the store keeps no such time.
   */
  maxAuthAge?: number
}

const role: Shape<string> = {
  expected: 'the name of a role',
  fits: (value) => typeof value === 'string' && value.trim() !== '',
}

/** A challenge has several values between quotation marks, with blanks between them (RFC 9470 §3). */
const acrValue: Shape<string> = {
  expected: 'a value of acr: visible ASCII without " and \\, at most 255 characters',
  fits: (value) => isAcr(value) && !/["\\]/.test(value),
  isPublic: true,
}

/** One, or a list. A missing rule would open the guard, so a rule that is present and undefined is refused. */
const oneOrSeveral = (one: Shape<string>, expected: string, path: string): Shape<string | string[]> => ({
  expected,
  fits: (value) => one.fits(value) || (Array.isArray(value) && value.length > 0),
  inside: (value) => (Array.isArray(value) ? (listOf(one, path).inside?.(value, path) ?? []) : []),
  remedy: (value) => (Array.isArray(value) ? ' The list is empty.' : ''),
  isLimit: true,
})

const factors: Shape<2> = { expected: '2', fits: (value) => value === 2, isPublic: true, isLimit: true }

/** The shapes of {@link SessionRules}. */
export const SESSION_RULES = {
  allow: limit(call),
  roles: oneOrSeveral(role, 'a role, or a list of at least one role', 'roles'),
  scope: scopeShape,
  factors,
  acr: oneOrSeveral(acrValue, `${acrValue.expected}; or a list of at least one`, 'acr'),
  maxAuthAge: secondsLimit(1),
} as const

/** How a session is read that a guard has not judged. */
export type SessionRead = Pick<SessionRules<never>, 'scope'>

export const SESSION_READ = object<SessionRead>({ scope: scopeShape })

/** What a guard asks of a request, as its options say. */
export interface GuardRules<Source> extends Pick<SessionRules<Source>, 'allow' | 'scope' | 'factors'> {
  /** One of them is enough; null if the guard asks for none. */
  readonly roles: readonly string[] | null
  /** As {@link roles}. */
  readonly acr: readonly string[] | null
  /** The most seconds that may have passed since the last sign-in of the visitor. */
  readonly maxAuthAge: number
  /** Where a browser is sent to sign in; by default the sign-in page. */
  readonly signInUrl?: string | undefined
}

/**
 * The rules as they are now: what the application does with its options afterwards changes no guard. Each member is named, because a
 * spread or a rest leaves out what an instance of a class inherits, and a rule that is lost opens the guard.
 */
export const rulesOf = <Source>({
  allow,
  roles,
  scope,
  factors,
  acr,
  signInUrl,
  maxAuthAge = Number.POSITIVE_INFINITY,
}: SessionRules<Source> & Pick<GuardRules<Source>, 'signInUrl'>): GuardRules<Source> => ({
  ...(allow !== undefined && { allow }),
  ...(scope !== undefined && { scope }),
  ...(factors !== undefined && { factors }),
  acr: acr === undefined ? null : [acr].flat(),
  roles: roles === undefined ? null : [roles].flat(),
  maxAuthAge,
  signInUrl,
})

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
