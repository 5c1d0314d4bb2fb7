import { timeoutError } from '../adapters/failures.js'
import { within } from '../kernel/awaitable.js'

/**
 * Runs work of one key one after the other, and work of different keys at the same time, in this process. The work learns
 * whether it had to wait.
 *
 * @throws {AdapterError} when the work did not get its turn in time; then it does not run
 */
type KeyedLock = <T>(key: string, work: (hasWaited: boolean) => Promise<T>) => Promise<T>

/**
 * @param what what sign-ins with one key have in common, for the message of the error: `account`
 * @param waitMs milliseconds that work waits for its turn. Without this limit, every sign-in behind one that hangs would wait until
 * all sign-ins before it had reached their own limits
 */
export function createKeyedLock(what: string, waitMs: number): KeyedLock {
  /** By key: settles when the last work that runs or waits has ended. */
  const ends = new Map<string, Promise<unknown>>()
  return (key, work) => {
    const before = ends.get(key)
    const run = before ? within(before, waitMs, tooLong(what, waitMs)).then(() => work(true)) : work(false)
    // If work gives up, the next one must still wait for the work that runs. The results are let go: otherwise each end would
    // hold those of all work before it, as long as somebody waits.
    const end = Promise.allSettled([before, run]).then(() => undefined)
    ends.set(key, end)
    end.then(() => {
      if (ends.get(key) === end) ends.delete(key)
    })
    return run
  }
}

const tooLong = (what: string, milliseconds: number) => () =>
  timeoutError(`Another sign-in with the same ${what} was not done`, { option: 'storeTimeout', milliseconds })

/**
 * Runs work that looks up an address, and perhaps creates a user with it, one after the other for each address. A store
 * without unique keys would otherwise get several users when several accounts come with one address at the same time.
 *
 * It is taken inside of the lock of the account, and the work must take no other lock: so two sign-ins never wait for
 * one another. The work must be short: everybody can claim an address that is not theirs, and its owner has to wait as
 * well. For this reason, a sign-in with an account that is linked already does not take it. Of the functions of the
 * application, only `signUp` may wait in here, since nobody else may become a user with the address after it was asked: a
 * slow one makes the other sign-ins with this address wait, each until its own limit.
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
