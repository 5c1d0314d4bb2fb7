import { isUnwantedError, unwantedError } from './failures.js'
import type { IsWanted } from './look-up-options.js'

export type { IsWanted } from './look-up-options.js'

let current: IsWanted | undefined

/**
 * Calls an adapter for somebody who may have left before their turn comes, as while all connections of a pool are busy.
 *
 * The adapter is told beside the contract. An argument would reach adapters made for Auth.js, which do not expect one.
 * It is told for the call itself alone, until the first `await` in it: see {@link wanted}.
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

/**
 * Whether the answer of the method that runs is still wanted; to be asked again before a statement is sent. A method
 * calls this first of all: after its first `await` it would hear of another call, or of none. Undefined for a call that
 * must be done.
 */
export const wanted = (): IsWanted | undefined => current

export const unwanted = unwantedError

export const isUnwanted = isUnwantedError
