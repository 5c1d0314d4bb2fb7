import { AdapterError, AuthError, textOf } from '../errors.js'
import { isDuplicateError, isUnsupportedError } from './failures.js'
import { isTimeout } from './timeouts.js'

const DEPTH = 5

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
  if (!(error instanceof Error) || depth === DEPTH || isDuplicateError(error)) return false
  if (error instanceof AuthError)
    return isRefusedValue(error.cause?.err, isOfStore || error instanceof AdapterError, depth + 1)
  if (!isOfStore) return false
  const names = [textOf(error, 'code'), textOf(error, 'name')]
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
