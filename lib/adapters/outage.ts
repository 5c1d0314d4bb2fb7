import { AdapterError, AuthError } from '../errors.js'
import { isDuplicateError, isUnsupportedError } from './failures.js'
import { isTimeout } from './timeouts.js'

const DEPTH = 5

/**
 * Whether a store failed or gave no answer in time, in this error or in one of its causes. The same call may succeed
 * soon. A missing method of an adapter and a duplicate row are no outages: waiting does not change them.
 */
export function isOutage(error: unknown, depth = 0): boolean {
  if (!(error instanceof AuthError) || depth === DEPTH) return false
  const { cause } = error
  if (cause === undefined || isDuplicateError(error) || isUnsupportedError(error)) return false
  if (isOutage(cause.err, depth + 1)) return true
  return error instanceof AdapterError && (cause.err !== undefined || isTimeout(error))
}
