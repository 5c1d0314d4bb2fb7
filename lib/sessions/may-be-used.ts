import type { MaybePromise } from '../kernel/awaitable.js'
import { CLOCK_DIFFERENCE_SECONDS } from '../kernel/claims.js'
import { AccessDenied, RecentSignInRequired, RequestRefused } from '../kernel/errors.js'
import type { LogSource } from '../kernel/logger.js'
import type { RequestContext } from '../kernel/request-context.js'
import type { Expiry, Lifetime } from './lifetime.js'
import type { Principal } from './session.js'
import { BearerContext } from './session-cookie.js'
import type { ClaimsChange, FoundSession, SessionStore } from './session-store.js'

/** A user with `session.refreshUser` who may not sign in, because of `disabled`, or because there is no such user any more. */
export class UserNotAdmitted extends AccessDenied {}

/** What databases without booleans, and text columns, have for "no". */
const NO: ReadonlySet<unknown> = new Set([undefined, null, false, 0, 0n, '', '0', 'f', 'false'])

/**
 * Whether the member `disabled` of a user says that the user is disabled. Every value means yes, such as the Date since
 * when, except those with which stores write "no": a value that nobody expected must not let a disabled user in.
 */
export function isDisabled(user: object): boolean {
  const { disabled } = user as { readonly disabled?: unknown }
  // A column of the type BIT(1) of MySQL is a Buffer.
  if (disabled instanceof Uint8Array) return disabled.some((byte) => byte !== 0)
  return !NO.has(typeof disabled === 'string' ? disabled.toLowerCase() : disabled)
}

/**
 * Refuses a user who is disabled. `session.refreshUser` turns this rule on.
 *
 * @throws {AccessDenied} the visitor sees the error page
 */
export function requireEnabled(user: object): void {
  if (isDisabled(user)) throw new UserNotAdmitted('The user is disabled.')
}

/**
 * Why a session may not be used any more. `ended`: the browser may already have the cookie of a newer sign-in, so its cookie
 * stays. `expired`: by its times. `nobody`: it is not one of this request, or its user, or the `jwt` callback, says that
 * nobody is signed in.
 */
export type Over = 'ended' | 'expired' | 'nobody'

/** A session that may be used, with the claims and the expiry that it has from now on. */
export interface Usable<Found> {
  readonly session: Found
  readonly expiry: Expiry
}

/** What is asked about the users of sessions. */
export interface UserRules {
  /** Whether the session of a disabled user does not count. */
  readonly refusesDisabledUsers: boolean
  /** Whether the address of a user is still unconfirmed; false if the user was deleted. Null if no users are stored. */
  readonly isStillUnconfirmed: ((userId: string, source: LogSource | undefined) => Promise<boolean>) | null
  /** Whether the sessions are those of administrators who act as the users, and no others. */
  readonly isActing?: boolean | undefined
}

/** How a session is used. */
export interface Access extends ClaimsChange {
  /** Whether a cookie can be sent, and the session therefore be renewed. */
  readonly mayWrite: boolean
}

/** The one rule that says whether a session that a store has found may still be used. */
interface UseRule<Found> {
  /** By what is known at once. */
  asLoaded(request: RequestContext, found: Found, access: Access, time: number): Usable<Found> | Over
  /**
   * After the user and the `jwt` callback were asked, if they have to be. Then it is another session than the one that was
   * found. If nothing has to be waited for, there is no promise.
   *
   * @param time milliseconds since the epoch
   */
  now(request: RequestContext, found: Found, access: Access, time: number): MaybePromise<Usable<Found> | Over>
}

/** @param timeNow milliseconds since the epoch, as the store can keep them */
export function createUseRule<Found extends FoundSession>(
  store: SessionStore<Found>,
  { expiryOf }: Pick<Lifetime, 'expiryOf'>,
  { refusesDisabledUsers, isStillUnconfirmed, isActing = false }: UserRules,
  timeNow: () => number,
): UseRule<Found> {
  const asLoaded: UseRule<Found>['asLoaded'] = (request, found, access, time) => {
    // A token for a program must not become one of a browser.
    if (found.kind === 'token' && !(request instanceof BearerContext)) return 'nobody'
    // Nor must the session of somebody who acts as the user become their own, in another cookie.
    if ((found.authentication?.act !== undefined) !== isActing) return 'nobody'
    if (store.hasEnded(found)) return 'ended'
    const expiry = expiryOf(found, time, access)
    if (expiry === null) return 'expired'
    if (refusesDisabledUsers && found.user !== undefined && isDisabled(found.user)) return 'nobody'
    return { session: found, expiry }
  }

  /** The session with the claims that were waited for. */
  const afterwards = (claimed: Found | null, access: Access): Usable<Found> | Over => {
    if (claimed === null) return 'nobody'
    const expiry = expiryOf(claimed, timeNow(), access)
    return expiry === null ? 'expired' : { session: claimed, expiry }
  }

  /**
   * Somebody may have signed up with the address of another person. When that person confirms the address, the session of
   * the other one ends (ACCT-05).
   */
  const ifUnconfirmed = async (stillUnconfirmed: Promise<boolean>, found: Found, access: Access) => {
    if (!(await stillUnconfirmed)) return 'ended'
    const claimed = store.updateClaims?.(found, access)
    return afterwards(claimed === undefined ? found : await claimed, access)
  }

  return {
    asLoaded,
    now(request, found, access, time) {
      const usable = asLoaded(request, found, access, time)
      if (typeof usable === 'string') return usable
      if (found.unconfirmed !== undefined && isStillUnconfirmed !== null) {
        return ifUnconfirmed(isStillUnconfirmed(found.unconfirmed, request.source), found, access)
      }
      return store.updateClaims?.(found, access)?.then((claimed) => afterwards(claimed, access)) ?? usable
    },
  }
}

/** For everything that changes how a user signs in, or what outlives the session, while somebody acts as them. */
export const refusedWhileActing = () =>
  new RequestRefused(403, 'You act as another user. What is theirs to decide is refused until you stop.', {}, 'acting')

/** For how many seconds a sign-in is recent, unless the application has set another number: a quarter of an hour. */
export const RECENT_AUTH_AGE = 15 * 60

/**
 * Whether somebody proved recently who they are. Sessions slide, so the session in an open browser may be old, and the
 * person in front of it may be a stranger. A sign-in is not recent if its time is not known, or is in the future: then
 * the clock was set back, and the sign-in would be recent for too long. Nor is it recent without the second factor of the person.
 *
 * @param maxAuthAge seconds; with `Infinity`, a sign-in of any time is recent
 * @param now gives milliseconds since the epoch
 */
export const isRecent = (shown: Shown, maxAuthAge: number, now: () => number): boolean =>
  shown.authentication?.factors !== 1 && wasShown(shown, maxAuthAge, now)

/** Seconds from a sign-in to the page to which it leads. */
export const A_MOMENT = 60

/**
 * Whether the second factor is all that a sign-in lacks to be recent: the browser has stood in for it, and the first was shown
 * recently.
 */
export const lacksFactorAlone = (shown: Shown, maxAuthAge: number, now: () => number): boolean =>
  shown.authentication?.factors === 1 && wasShown(shown, maxAuthAge, now)

type Shown = Pick<Principal, 'authenticatedAt' | 'authentication'>

function wasShown({ authenticatedAt }: Shown, maxAuthAge: number, now: () => number): boolean {
  if (maxAuthAge === Number.POSITIVE_INFINITY) return true
  if (authenticatedAt === null) return false
  const age = now() - authenticatedAt
  return age <= maxAuthAge * 1000 && age >= -CLOCK_DIFFERENCE_SECONDS * 1000
}

/**
 * Whether somebody may add a way to sign in, or keep all of them: the sign-in is recent, and was in this browser. Otherwise the
 * session may have been planted there, and the visitor would give another person a way into their account, or keep it.
 */
export const isRecentHere = (principal: Principal, maxAuthAge: number, now: () => number): boolean =>
  principal.signedInHere === true && isRecent(principal, maxAuthAge, now)

/**
 * Lets somebody do what a stranger at an open browser must not do.
 *
 * @param deed what was to be done, for the log
 * @throws {RecentSignInRequired} if they did not prove recently who they are: {@link isRecent}
 */
export function requireRecent(
  principal: Pick<Principal, 'authenticatedAt' | 'authentication'>,
  maxAuthAge: number,
  now: () => number,
  deed:
    | 'to end other sessions of theirs'
    | 'to get a token'
    | 'to remove a passkey'
    | 'to remove an account'
    | 'to change a password'
    | 'to get what is stored about them'
    | 'to remove a password',
): void {
  if (principal.authentication?.act) throw refusedWhileActing()
  if (isRecent(principal, maxAuthAge, now)) return
  throw new RecentSignInRequired(
    `A user asked ${deed}, and signed in longer ago than session.recentAuthAge or the call allows, or nobody knows when.`,
  )
}
