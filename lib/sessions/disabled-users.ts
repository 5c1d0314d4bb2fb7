import { AccessDenied } from '../errors.js'

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
