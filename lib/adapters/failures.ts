import { isError } from '../kernel/describe-value.js'
import { AdapterError, AuthError, type AuthErrorCause, textMember } from '../kernel/errors.js'
import { isInstalled } from '../kernel/packages.js'
import type { ExpiredCounts } from './adapter.js'

/*
 * What a program has to know about a failure of a store. Each fact is a member of the error's `cause`, which is also in
 * the log. Only this file knows the names of these members.
 */

/** The options that say how long a part of a store may take. */
const TIMEOUT_OPTIONS = ['storeTimeout', 'queryTimeout', 'commandTimeout'] as const
export type TimeoutOption = (typeof TIMEOUT_OPTIONS)[number]

/** A limit that was exceeded. */
interface ExceededLimit {
  readonly option: TimeoutOption
  readonly milliseconds: number
  /** The method of the adapter that was called, if it is known. */
  readonly method?: string
}

/**
 * The error of a call that took longer than an option allows. Its `cause` has the option with its limit in seconds, and
 * the method if there is one.
 *
 * @param what did not happen, such as `The database gave no answer`
 */
export const timeoutError = (what: string, limit: ExceededLimit): AdapterError =>
  new AdapterError(`${what} within ${inSeconds(limit)} (${limit.option}).`, limitMembers(limit))

/** The error of a server to which no connection could be made in time. The limit may be shorter than the option. */
export const unreachableError = (server: string, limit: ExceededLimit): AdapterError =>
  new AdapterError(`${server} could not be reached within ${inSeconds(limit)}.`, limitMembers(limit))

const inSeconds = ({ milliseconds }: ExceededLimit): string =>
  `${milliseconds / 1000} ${milliseconds === 1000 ? 'second' : 'seconds'}`

const limitMembers = ({ option, milliseconds, method }: ExceededLimit): AuthErrorCause => ({
  ...(method !== undefined && { method }),
  [option]: milliseconds / 1000,
})

/** Whether an error says that one of Latchkey's own limits was exceeded. */
const isOwnTimeout = (error: unknown): boolean =>
  error instanceof AdapterError && TIMEOUT_OPTIONS.some((option) => error.cause !== undefined && option in error.cause)

/**
 * The error of a row that was refused, since there is a row with the same key already. Nothing was written.
 *
 * @param details further members of the cause
 */
export const duplicateError = (message: string, details: AuthErrorCause = {}): AdapterError =>
  new AdapterError(message, { ...details, duplicate: true })

export const isDuplicateError = (error: unknown): boolean => hasFact(error, 'duplicate')

/**
 * The error of a method that cannot work with this store. Nothing was written, and the caller must use other methods.
 */
export const unsupportedError = (message: string): AdapterError => new AdapterError(message, { unsupported: true })

export const isUnsupportedError = (error: unknown): boolean => hasFact(error, 'unsupported')

/** The error of a look-up that was not made, because nobody waits for its result any more. */
export const unwantedError = (): AdapterError =>
  new AdapterError('Nobody waits for the answer any more.', { unwanted: true })

export const isUnwantedError = (error: unknown): boolean => error instanceof AdapterError && hasFact(error, 'unwanted')

const hasFact = (error: unknown, name: string): boolean => error instanceof AuthError && error.cause?.[name] === true

/** The error of a deletion of many rows that failed after it had deleted some of them. */
export const partialDeletionError = (
  message: string,
  cause: AuthErrorCause | undefined,
  deleted: ExpiredCounts,
): AdapterError => new AdapterError(message, { ...cause, deleted })

/** The rows that were deleted before the failure; empty if the error does not have them. */
export const deletedBefore = (error: AuthError): Partial<ExpiredCounts> =>
  (error.cause?.['deleted'] ?? {}) as Partial<ExpiredCounts>

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
  if (!isError(error) || depth === DEPTH) return false
  if (saysTimeout(error)) return true
  if (!(error instanceof AdapterError)) return isTimeout(error.cause, depth + 1)
  return isOwnTimeout(error) || isTimeout(error.cause?.err, depth + 1)
}

const saysTimeout = (error: Error & { code?: unknown; errno?: unknown }): boolean =>
  CODES.has(error.code) || NUMBERS.has(error.errno) || error.name === 'TimeoutError' || MESSAGES.test(error.message)

/** Codes of drivers and ORMs that refuse a value: too long for its column, of a wrong form, or missing. */
const REFUSED_VALUE = new RegExp(
  '^(?:' +
    // PostgreSQL: data_exception, integrity_constraint_violation
    '22[0-9A-Z]{3}|23[0-9A-Z]{3}' +
    '|SQLITE_(?:CONSTRAINT|MISMATCH|TOOBIG|RANGE)\\w*' +
    '|ER_(?:DATA_|BAD_NULL|NO_DEFAULT_FOR|TRUNCATED_WRONG|WARN_DATA|WRONG_VALUE|INVALID_CHARACTER|INVALID_JSON|CONSTRAINT_|CHECK_CONSTRAINT|NO_REFERENCED)\\w*|WARN_DATA_TRUNCATED' +
    // Prisma
    '|P20(?:00|03|04|05|06|07|09|11|12|13|19|20|23|33)|PrismaClientValidationError' +
    // Mongoose; Sequelize
    '|ValidationError|CastError|Sequelize(?:Validation|ForeignKeyConstraint)Error' +
    ')$',
)
/** Two requests at the same time: the next try finds the row. */
const TAKEN = /^(?:23505|SQLITE_CONSTRAINT_(?:UNIQUE|PRIMARYKEY))$/

/**
 * Whether a store refused a value, in this error or in one of its causes. The same call fails again, however long
 * somebody waits. A duplicate row counts as no such value.
 */
export function isRefusedValue(error: unknown, isOfStore = false, depth = 0): boolean {
  if (!isError(error) || depth === DEPTH || isDuplicateError(error)) return false
  if (error instanceof AuthError)
    return isRefusedValue(error.cause?.err, isOfStore || error instanceof AdapterError, depth + 1)
  if (!isOfStore) return false
  const names = [textMember(error, 'code'), textMember(error, 'name')]
  if (names.some((name) => REFUSED_VALUE.test(name) && !TAKEN.test(name))) return true
  return isRefusedValue(error.cause, isOfStore, depth + 1)
}

/**
 * Whether a store failed or gave no answer in time, in this error or in one of its causes. The same call may succeed
 * soon. A missing method of an adapter, a duplicate row and a refused value are no outages: waiting does not change
 * them.
 */
export function isOutage(error: unknown, depth = 0): boolean {
  if (!(error instanceof AuthError) || depth === DEPTH) return false
  const { cause } = error
  if (cause === undefined || isDuplicateError(error) || isUnsupportedError(error)) return false
  if (isRefusedValue(error)) return false
  if (isOutage(cause.err, depth + 1)) return true
  return error instanceof AdapterError && (cause.err !== undefined || isTimeout(error))
}

/*
 * A driver is an optional peer, which is imported when it is first used. Each import is written out, and stands directly
 * in a `try`: bundlers then take it for one that may fail, and do not stop where the driver is not installed.
 */

/**
 * Called when an adapter is made, so that a driver that is missing stops the start and not the first sign-in.
 *
 * @throws {AdapterError} when the driver is not installed
 */
export function requireDriver(name: string): void {
  if (!isInstalled(name)) throw notInstalled(name)
}

const notInstalled = (name: string) => new AdapterError(`The package "${name}" is not installed: npm install ${name}`)

/** What the import of a driver fails with: an {@link AdapterError} that says what to install, where it is missing. */
export function driverFault(name: string, error: unknown): unknown {
  if (!isMissing(error)) return error
  return notInstalled(name)
}

/** Node and webpack give a code. Vite only says it, and ncc leaves a `require` where there is none. */
const isMissing = (error: unknown): boolean =>
  isError(error) &&
  (textMember(error, 'code').endsWith('MODULE_NOT_FOUND') ||
    /^Could not resolve |^require is not defined/.test(textMember(error, 'message')))

/** @throws {AdapterError} when there is no row */
export function requireRow<Row>(row: Row | null, otherwise: string): Row {
  if (!row) throw new AdapterError(otherwise)
  return row
}
