import type { MaybePromise } from '../kernel/awaitable.js'
import { RecentSignInRequired, RequestRefused } from '../kernel/errors.js'
import type { RequestContext } from '../kernel/request-context.js'
import { anything, flag, type Shape, seconds } from '../kernel/shape.js'
import { checkCallOptions } from '../sessions/check-call-options.js'
import { refusedWhileActing, requireRecent } from '../sessions/may-be-used.js'
import type { CurrentReading } from '../sessions/session.js'
import type { SessionManager } from '../sessions/session-manager.js'
import { isSameUser } from '../users/stored-users.js'
import type { Config } from './config.js'
import { lacksFactor } from './leading-to-sign-in.js'
import type { Sent, Visit } from './visit.js'

/** A request in which something is asked for on behalf of its visitor. The edges make it. */
export interface Caller {
  readonly config: Config
  readonly context: RequestContext
  /** Undefined where the framework does not say it. */
  readonly method: string | undefined
  /** Reads the session of the request. */
  read(): MaybePromise<CurrentReading>
  /** The request as hooks of providers get it. */
  visit(): Visit
}

/** A request whose session was read. */
export interface Asked extends Caller {
  readonly reading: CurrentReading
  readonly sessions: SessionManager
  /** @throws {RequestRefused} 401 if nobody is signed in, or the session names no user */
  userId(): string
}

/**
 * Something that people do with what is theirs. Here is what holds for it at every edge: in code of the application, for any
 * framework, and over HTTP.
 */
export interface Operation<Args extends readonly unknown[], Result> {
  /** The names of its arguments. The last one has the options, if there are any. */
  readonly parameters: readonly string[]
  /** Refuses options that the application has mistaken. */
  readonly check?: (options: unknown, call: string) => void
  /** Throws where the configuration keeps nothing of the kind: the developer learns that first. */
  readonly requires?: (config: Config) => unknown
  /** Whether it changes something: then a page of the application must have asked for it, and no link. */
  readonly changes?: true
  /** For what a stranger at an open browser must not do: what it is, for the log. */
  readonly recent?: Parameters<typeof requireRecent>[3]
  /** Whether it changes how somebody signs in: then whoever has two factors shows both. */
  readonly bothFactors?: true
  /** Whether a session that is not recent may do it all the same. */
  readonly letsPass?: (asked: Asked, ...args: Args) => boolean
  /** Whether it is for people who are not signed in, too. */
  readonly forAnybody?: true
  readonly run: (asked: Asked, ...args: Args) => Promise<Result>
}

/** The request of somebody, as listeners of facts get it. */
export const sentBy = ({ config, context }: Pick<Caller, 'config' | 'context'>): Sent => ({
  config,
  source: context.source,
  origin: context.origin,
  header: (name) => context.header(name),
  clientAddress: () => context.clientAddress?.(),
})

/** The proof that a page of the application sent the request. */
export interface FormProof {
  /**
   * The token of the form, from the `csrf` action. Without one, the browser itself must say that the request comes from
   * this origin (`Sec-Fetch-Site` or `Origin`), as all current ones do.
   */
  readonly csrfToken?: unknown
}

/** How recently somebody must have signed in who does what a stranger at their browser must not do. */
export interface RecentSignIn extends FormProof {
  /**
   * Seconds since the visitor last proved who they are, at most; `session.recentAuthAge` by default, also where it is
   * undefined: a quarter of an hour. With `Infinity` any time will do: right for a route that has just asked for the
   * password itself.
   */
  readonly maxAuthAge?: number
}

/** What a visitor sends is judged as theirs, by what asks for it; what the application says is checked. */
export const PROOF = { csrfToken: anything }
export const RECENT = { ...PROOF, maxAuthAge: seconds(1, { orInfinity: true }) }
export const REMOVAL = { ...RECENT, signsInOtherwise: flag }

/**
 * What is said of the name of an option of sessions. It is sometimes written by mistake in options of a call, which have the age
 * of a sign-in under another name.
 */
export const MISPLACED_MAX_AGE =
  'is unknown here. Did you mean `maxAuthAge`? How long a session lasts is `session.maxAge` of the configuration.'

/** @throws {RequestRefused} 401, always: "signed out" must not look like having nothing */
export function refuseSignedOut(): never {
  throw new RequestRefused(401, 'Sign in first.')
}

/** The check of options that need not be there. */
export const optional =
  (shape: Shape) =>
  (options: unknown, call: string): void =>
    options === undefined ? undefined : checkCallOptions(options, shape, call)

/** The check of options that must be there. */
export const required =
  (shape: Shape) =>
  (options: unknown, call: string): void =>
    checkCallOptions(options, shape, call)

/** Does something for a request that is known to come from a page of the application, such as a form with its token. */
export async function carryOut<Args extends readonly unknown[], Result>(
  { forAnybody, changes, recent, bothFactors, letsPass, run, requires, parameters }: Operation<Args, Result>,
  caller: Caller,
  args: Args,
): Promise<Result> {
  const { config, context } = caller
  requires?.(config)
  const reading = await caller.read()
  const sessions = config.schemeFor(context.origin).sessions
  const asked: Asked = { ...caller, reading, sessions, userId: () => String(reading.userId ?? refuseSignedOut()) }
  if (!forAnybody && reading.session === null) refuseSignedOut()
  if (changes && reading.actor) throw refusedWhileActing()
  if (recent !== undefined && !letsPass?.(asked, ...args)) {
    const { maxAuthAge } = (optionsIn(parameters, args) ?? {}) as RecentSignIn
    // A call that asks for no time comes from a route that has asked for a proof itself.
    if (maxAuthAge !== Number.POSITIVE_INFINITY) {
      requireRecent(reading, maxAuthAge ?? config.recentAuthAge, config.now, recent)
      if (bothFactors && (await lacksFactor(caller.visit()))) throw oneFactorShort(recent)
      // Another process may have ended the session, or this copy of it, a moment ago.
      const principal = await sessions.readPrincipal(context)
      if (reading.userId !== null && !(principal && isSameUser(principal, { id: reading.userId }))) refuseSignedOut()
    }
  }
  return run(asked, ...args)
}

/** What the application says of a call. */
export const optionsIn = (parameters: readonly string[], args: readonly unknown[]): unknown =>
  args[parameters.length - 1]

/**
 * Who is signed in, recently, in this browser, and with each factor that they have: for what neither a stranger at an open browser nor a
 * thief of a session or of a password must do.
 *
 * @param deed what they ask for, for the log: `to change their address`
 * @throws {RequestRefused} 401 if nobody is; {RecentSignInRequired} if they must sign in again, or show the other factor
 */
export async function ownerIn(visit: Visit, deed: string) {
  const signedIn = await recentOwnerIn(visit, deed)
  if (await lacksFactor(visit)) throw oneFactorShort(deed)
  return signedIn
}

/** The same, perhaps with one of two factors. */
export async function recentOwnerIn(visit: Visit, deed: string) {
  const signedIn = await (await visit.config.users()).signedIn(() => visit.readPrincipal())
  if (signedIn === null) refuseSignedOut()
  if (signedIn.mayAdd) return signedIn
  throw new RecentSignInRequired(
    `A user asked ${deed}, and signed in longer ago than session.recentAuthAge, in another browser, or nobody knows when.`,
  )
}

const oneFactorShort = (deed: string) =>
  new RecentSignInRequired(`A user asked ${deed}, and has shown one of their two factors.`)
