import { AdapterError, AuthError } from '../errors.js'
import { isTimeout } from './timeouts.js'

const DEPTH = 5

/**
 * Whether a store failed or gave no answer in time, here or in what caused this: the same may work in a moment. What an adapter lacks, and a row that is there
 * twice, do not pass by themselves.
 */
export function isOutage(error: unknown, depth = 0): boolean {
  if (!(error instanceof AuthError) || depth === DEPTH) return false
  const { cause } = error
  if (cause === undefined || cause['duplicate'] === true || cause['unsupported'] === true) return false
  if (isOutage(cause.err, depth + 1)) return true
  return error instanceof AdapterError && (cause.err !== undefined || isTimeout(error))
}
