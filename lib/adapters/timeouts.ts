import { AdapterError } from '../errors.js'

/** The options that say how long something of a store may take. */
const OPTIONS = ['storeTimeout', 'queryTimeout', 'commandTimeout'] as const
export type TimeoutOption = (typeof OPTIONS)[number]

/**
 * The error of what took longer than an option allows. Its `cause` has the option with its limit in seconds, and the
 * method where one is given.
 *
 * @param what did not happen, such as `The database gave no answer`
 */
export function timeoutError(
  what: string,
  { option, milliseconds, method }: { option: TimeoutOption; milliseconds: number; method?: string },
): AdapterError {
  const seconds = milliseconds / 1000
  const unit = seconds === 1 ? 'second' : 'seconds'
  const cause = { ...(method !== undefined && { method }), [option]: seconds }
  return new AdapterError(`${what} within ${seconds} ${unit} (${option}).`, cause)
}

/** The error of a method of the adapter that gave nothing in time. It is one and the same, whoever notices it. */
export const noAnswerOf = (method: string, milliseconds: number): AdapterError =>
  timeoutError(`The adapter's ${method}() gave no answer`, { option: 'storeTimeout', milliseconds, method })

/** What stores and drivers say of a statement, a lock, or a connection that took too long. */
const CODES: ReadonlySet<unknown> = new Set([
  '57014', // PostgreSQL: query_canceled, by statement_timeout
  '55P03', // PostgreSQL: lock_not_available, by lock_timeout
  'ER_QUERY_TIMEOUT', // MySQL: max_execution_time
  'ER_LOCK_WAIT_TIMEOUT',
  'PROTOCOL_SEQUENCE_TIMEOUT', // mysql2
  'SQLITE_BUSY',
  'ETIMEDOUT',
])
/** The same of MySQL (3024) and MariaDB (1969), by number: drivers know the latter by no name. */
const NUMBERS: ReadonlySet<unknown> = new Set([1969, 3024])
/**
 * The number of MariaDB is lost where an error is stripped for the log. `pg` and `redis` give their own limits no code.
 */
const MESSAGES =
  /max_statement_time exceeded|Query read timeout|timeout exceeded when trying to connect|(Connection|Socket|Command) timeout\b|\((queryTimeout|commandTimeout)\)\.$/
const DEPTH = 5

/**
 * Whether a call of a store failed because it took too long, by whichever limit: one of Latchkey's options, the
 * driver's, or the server's. It may have been done, or be done later, and asking once more may take as long.
 */
export function isTimeout(error: unknown, depth = 0): boolean {
  if (!(error instanceof Error) || depth === DEPTH) return false
  if (saysTimeout(error)) return true
  if (!(error instanceof AdapterError)) return isTimeout(error.cause, depth + 1)
  const { cause } = error
  return cause !== undefined && (OPTIONS.some((option) => option in cause) || isTimeout(cause.err, depth + 1))
}

const saysTimeout = (error: Error & { code?: unknown; errno?: unknown }): boolean =>
  CODES.has(error.code) || NUMBERS.has(error.errno) || error.name === 'TimeoutError' || MESSAGES.test(error.message)
