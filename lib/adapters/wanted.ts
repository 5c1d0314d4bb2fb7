import { AdapterError } from '../errors.js'

/** Whether anybody still waits for what is being looked up. */
export type IsWanted = () => boolean

let current: IsWanted | undefined

/**
 * Calls an adapter for somebody who may have left before their turn comes, as while all connections of a pool are busy. It is told beside the contract, so that
 * adapters which know nothing of it are called as ever; and for the call itself alone, not for what it does later.
 */
export function whileWanted<T>(isWanted: IsWanted, call: () => T): T {
  const before = current
  current = isWanted
  try {
    return call()
  } finally {
    current = before
  }
}

/** For a method of an adapter, first of all: whether its answer is still wanted, to be asked before a statement is sent. Undefined for a call that must be done. */
export const wanted = (): IsWanted | undefined => current

/** What a look-up fails with that was not made, since nobody waits for it any more. */
export const unwanted = () => new AdapterError('Nobody waits for the answer any more.', { unwanted: true })

export const isUnwanted = (error: unknown): boolean =>
  error instanceof AdapterError && error.cause?.['unwanted'] === true
