import { createKeyedLock } from './keyed-lock.js'

/**
 * Runs work that looks up an address, and perhaps creates a user with it, one after the other for each address. A store
 * without unique keys would otherwise get several users when several accounts come with one address at the same time.
 *
 * It is taken inside of the lock of the account, and the work must take no other lock: so two sign-ins never wait for
 * one another. The work must be short, and call no function of the application that may wait: everybody can claim an
 * address that is not theirs, and its owner would have to wait as well. For this reason, a sign-in with an account that
 * is linked already does not take it.
 *
 * @param email null for a sign-in without an address, which waits for nothing
 * @throws {AdapterError} when the work did not get its turn in time; then it does not run
 */
export type AddressLock = <T>(email: string | null | undefined, work: () => Promise<T>) => Promise<T>

/** @param waitMs milliseconds that work waits for its turn */
export function createAddressLock(waitMs: number): AddressLock {
  const withKey = createKeyedLock('address', waitMs)
  // Flows give one spelling of an address (ACCT-08), but an application may keep capitals in addresses for links.
  return (email, work) => (email ? withKey(email.toLowerCase(), work) : work())
}
