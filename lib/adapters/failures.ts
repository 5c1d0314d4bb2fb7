import { AdapterError, AuthError, type AuthErrorCause } from '../errors.js'
import type { ExpiredCounts } from './adapter.js'

/*
 * What a program has to know about a failure of a store. Each fact is a member of the error's `cause`, which is also in
 * the log. Only this file knows the names of these members.
 */

/** The options that say how long a part of a store may take. */
const TIMEOUT_OPTIONS = ['storeTimeout', 'queryTimeout', 'commandTimeout'] as const
export type TimeoutOption = (typeof TIMEOUT_OPTIONS)[number]

/** A limit that was exceeded. */
export interface ExceededLimit {
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
export const isOwnTimeout = (error: unknown): boolean =>
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
