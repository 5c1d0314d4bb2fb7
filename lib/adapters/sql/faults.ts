import { setTimeout } from 'node:timers/promises'
import { isError } from '../../kernel/describe-value.js'
import { AdapterError, errorInstead, stackFrames } from '../../kernel/errors.js'
import { duplicateError } from '../failures.js'

/** Codes of failures that undo the statement or transaction, so that it may be tried again. */
const TRANSIENT: ReadonlySet<unknown> = new Set([
  '40001', // PostgreSQL: serialization_failure
  '40P01', // PostgreSQL: deadlock_detected
  'ER_LOCK_DEADLOCK',
  'ER_CHECKREAD', // MariaDB: the row changed since the transaction began
  'SQLITE_BUSY',
  'SQLITE_BUSY_SNAPSHOT',
])
const DUPLICATE: ReadonlySet<unknown> = new Set([
  '23505', // PostgreSQL: unique_violation
  'ER_DUP_ENTRY',
  'SQLITE_CONSTRAINT_UNIQUE',
  'SQLITE_CONSTRAINT_PRIMARYKEY',
])
const ATTEMPTS = 6

/** The code that a driver gives the fault. */
export const codeOf = (error: unknown): unknown =>
  typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined

/** Whether an error says that another row has the same key, or the same value in a unique column. */
export const isDuplicate = (error: unknown): boolean =>
  DUPLICATE.has(codeOf(error)) || (isError(error) && error.message.startsWith('UNIQUE constraint failed'))

/**
 * Runs one method of the adapter, and tries again if the database asks for it. Errors become errors without values of
 * rows.
 *
 * @param name of the method
 * @param values that must not appear in an error
 */
export async function attempt<Result>(
  name: string,
  values: readonly unknown[],
  action: () => Promise<Result>,
): Promise<Result> {
  for (let attempts = 1; ; attempts++) {
    try {
      return await action()
    } catch (error) {
      if (TRANSIENT.has(codeOf(error)) && attempts < ATTEMPTS) {
        await setTimeout(Math.random() * 10 * 2 ** attempts)
        continue
      }
      throw toAdapterError(error, name, values)
    }
  }
}

/**
 * Makes an error for the log from what a driver threw: drivers repeat values in messages and keep whole statements in
 * members. `cause.duplicate` is true when a row with the same key is there already.
 */
export function toAdapterError(error: unknown, method: string, values: readonly unknown[] = []): AdapterError {
  if (error instanceof AdapterError) return error
  const err = withoutValues(error, values)
  const message = `${method}: ${err.message}`
  return isDuplicate(error) ? duplicateError(message, { err, method }) : new AdapterError(message, { err, method })
}

/** An error with only its message, stack and code. The values, and texts that databases put in quotes, are removed. */
function withoutValues(error: unknown, values: readonly unknown[]): Error {
  if (!isError(error)) return errorInstead(error)
  const code = codeOf(error)
  const said = error.message || (typeof code === 'string' ? code : error.name)
  const message = strikeOut(said, values)
  const bare = new Error(message)
  bare.name = error.name
  bare.stack = [`${error.name}: ${message}`, ...stackFrames(error)].join('\n')
  return typeof code === 'string' ? Object.assign(bare, { code }) : bare
}

function strikeOut(message: string, values: readonly unknown[]): string {
  const general = message
    // MySQL: Duplicate entry '…' for key 'users_email_key'
    .replace(/\bentry '.*'(?= for key '[^']*'$)/s, 'entry …')
    .replace(/\bnear '.*'(?= at line \d+$)/s, 'near …')
    // PostgreSQL: value "…" is out of range for type integer; invalid input syntax for type uuid: "…"
    .replace(/\bvalue "[^\n]*?"(?= is )/gs, 'value …')
    // MySQL: Incorrect datetime value: '…' for column …
    .replace(/: (["'])[^\n]*\1/gs, ': …')
  return textsIn(values).reduce((text, value) => text.replaceAll(value, '…'), general)
}

/** The values, longest first: if a value contains another one, it must be removed first, and as a whole. */
function textsIn(value: unknown, depth = 0): string[] {
  if (typeof value === 'string') return value.length > 2 ? [value] : []
  if (typeof value !== 'object' || value === null || depth > 3) return []
  return Object.values(value)
    .flatMap((member) => textsIn(member, depth + 1))
    .sort((a, b) => b.length - a.length)
}
