import { AdapterError } from '../errors.js'
import { isOwnTimeout, timeoutError } from './failures.js'

/**
 * How long it may take to make a connection to a store, in milliseconds, unless the application has set another limit.
 * It is less than the time limit of a call.
 */
export const CONNECT_MS = 3000

/**
 * The error of a method of the adapter that gave no answer in time. All callers that notice this use the same error.
 */
export const noAnswerOf = (method: string, milliseconds: number): AdapterError =>
  timeoutError(`The adapter's ${method}() gave no answer`, { option: 'storeTimeout', milliseconds, method })

/** Codes that stores and drivers have for a statement, a lock, or a connection that took too long. */
const CODES: ReadonlySet<unknown> = new Set([
  '57014', // PostgreSQL: query_canceled, by statement_timeout
  '55P03', // PostgreSQL: lock_not_available, by lock_timeout
  'ER_QUERY_TIMEOUT', // MySQL: max_execution_time
  'ER_LOCK_WAIT_TIMEOUT',
  'PROTOCOL_SEQUENCE_TIMEOUT', // mysql2
  'SQLITE_BUSY',
  'ETIMEDOUT',
])
/**
 * The numbers of the same errors of MySQL (3024) and MariaDB (1969): drivers have no name for the number of MariaDB.
 */
const NUMBERS: ReadonlySet<unknown> = new Set([1969, 3024])
/**
 * The texts of failures without a code. An error for the log has lost the number of MariaDB, and errors by the limits
 * of `pg` and `redis` have no code.
 */
const MESSAGES =
  /max_statement_time exceeded|Query read timeout|timeout exceeded when trying to connect|(Connection|Socket|Command) timeout\b|\((queryTimeout|commandTimeout)\)\.$/
const DEPTH = 5

/**
 * Whether a call of a store failed because it took too long. The limit may be one of Latchkey's options, or one of the
 * driver or the server. The store may have done the work, or may do it later. Another call may take as long.
 */
export function isTimeout(error: unknown, depth = 0): boolean {
  if (!(error instanceof Error) || depth === DEPTH) return false
  if (saysTimeout(error)) return true
  if (!(error instanceof AdapterError)) return isTimeout(error.cause, depth + 1)
  return isOwnTimeout(error) || isTimeout(error.cause?.err, depth + 1)
}

const saysTimeout = (error: Error & { code?: unknown; errno?: unknown }): boolean =>
  CODES.has(error.code) || NUMBERS.has(error.errno) || error.name === 'TimeoutError' || MESSAGES.test(error.message)
