import type { MaybePromise } from '../kernel/awaitable.js'
import { AccessDenied } from '../kernel/errors.js'
import type { LogSource } from '../kernel/logger.js'
import type { RequestContext } from '../kernel/request-context.js'
import { BearerContext } from './bearer-context.js'
import type { Lifetime } from './lifetime.js'
import type { ClaimsChange, SessionRecord, SessionStore } from './session-store.js'

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
 * Why a session may not be used any more. `revoked`: it has ended, and the browser may already have the cookie of a newer
 * sign-in, so its cookie stays. `expired`: by its times. `nobody`: it is not one of this request, or its user, or the `jwt`
 * callback, says that nobody is signed in.
 */
export type Over = 'revoked' | 'expired' | 'nobody'

/** What is asked about the users of sessions. */
export interface UserRules {
  /** Whether the session of a disabled user does not count. */
  readonly refusesDisabledUsers: boolean
  /** Whether the address of a user is still unconfirmed; false if the user was deleted. Null if no users are stored. */
  readonly isStillUnconfirmed: ((userId: string, source: LogSource | undefined) => Promise<boolean>) | null
}

/**
 * Gives the session as it may be used now, or why it may not be used. It is another session than the one that was found if
 * its claims are other ones now. If nothing has to be waited for, there is no promise.
 *
 * @param time milliseconds since the epoch
 */
export type MayBeUsed<Found> = (
  request: RequestContext,
  found: Found,
  time: number,
  change: ClaimsChange,
) => MaybePromise<Found | Over>

/** The one rule that says whether a session that a store has found may still be used. */
export function createUseRule<Found extends SessionRecord>(
  store: SessionStore<Found>,
  lifetime: Pick<Lifetime, 'isExpired'>,
  { refusesDisabledUsers, isStillUnconfirmed }: UserRules,
): MayBeUsed<Found> {
  const askStore = async ({ source }: RequestContext, found: Found, change: ClaimsChange): Promise<Found | Over> => {
    // Somebody may have signed up with the address of another person. When that person confirms the address, the
    // session of the other one ends (ACCT-05).
    const { unconfirmed } = found
    if (unconfirmed !== undefined && isStillUnconfirmed && !(await isStillUnconfirmed(unconfirmed, source))) {
      return 'revoked'
    }
    return store.updateClaims ? ((await store.updateClaims(found, change)) ?? 'nobody') : found
  }

  return (request, found, time, change) => {
    // A token for a program must not become one of a browser.
    if (found.kind === 'token' && !(request instanceof BearerContext)) return 'nobody'
    if (store.isRevoked(found)) return 'revoked'
    if (lifetime.isExpired(found, time)) return 'expired'
    if (refusesDisabledUsers && found.user !== undefined && isDisabled(found.user)) return 'nobody'
    const asksUser = found.unconfirmed !== undefined && isStillUnconfirmed !== null
    const asksClaims = store.updateClaims !== undefined && store.isUpToDate?.(found) !== true
    return asksUser || asksClaims ? askStore(request, found, change) : found
  }
}
