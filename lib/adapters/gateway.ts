import { type MaybePromise, within } from '../kernel/awaitable.js'
import { AdapterError, MissingAdapterMethods, withoutDetails } from '../kernel/errors.js'
import { isFirstTime, type Log } from '../kernel/logger.js'
import type { Adapter } from './adapter.js'
import { exactAnswer } from './exact-rows.js'
import { noAnswerOf } from './failures.js'
import { ADAPTER_METHODS, acceptedArguments, type LookUpName, type LookUpOptions, signUpMethod } from './methods.js'

type Method = keyof Adapter
type Call<Name extends Method> = NonNullable<Adapter[Name]>

/** The arguments of the contract; look-ups of sessions take options after them. */
type Arguments<Name extends Method> = Name extends LookUpName
  ? [...Parameters<Call<Name>>, options?: LookUpOptions]
  : Parameters<Call<Name>>

/**
 * An adapter as the package uses it: each call passes {@link gateway}. Every method can be called. It gives what the
 * adapter gives, without a promise if the adapter gives none. A failure is always a promise that rejects with an
 * {@link AdapterError}, also where the adapter lacks the method.
 */
export type Store = {
  readonly [Name in Method]-?: (...args: Arguments<Name>) => MaybePromise<Awaited<ReturnType<Call<Name>>>>
} & {
  /** The adapter itself, for hooks of the application and for facts that are kept about it. */
  readonly adapter: Adapter
  /** Whether the adapter has a method now. An application may replace a method of its adapter at any time. */
  has(name: Method): boolean
}

/** Seconds that one call of an adapter may take, unless the application says otherwise. */
export const STORE_TIMEOUT = 5

interface StoreSettings {
  /** Seconds that one call may take; `Infinity` for no limit. */
  readonly timeout: number
  readonly logger: Pick<Log, 'warn'>
}

export function openStore(adapter: Adapter, settings: StoreSettings): Store {
  const calls = ADAPTER_METHODS.map((name) => [name, (...args: unknown[]) => gateway(adapter, settings, name, args)])
  const has = (name: Method) => methodOf(adapter, name) !== null
  return Object.freeze({ ...Object.fromEntries(calls), adapter, has })
}

/**
 * Every call of an adapter. What the adapter throws becomes the cause of an {@link AdapterError}, and so does an answer
 * that does not come in time; a later answer is ignored. A row that was not asked for counts as no row
 * ({@link exactAnswer}), and the log has one warning for each method of an adapter that gives such a row.
 */
function gateway(adapter: Adapter, settings: StoreSettings, name: Method, args: unknown[]): MaybePromise<unknown> {
  const refuse = (error: unknown) => Promise.reject(failureOf(name, error))
  const checked = (answer: unknown): MaybePromise<unknown> => {
    const accountOf = (given: unknown[]) => call(adapter, settings, 'getAccount', given)
    const accepted = exactAnswer({ name, answer, asked: args, adapter, accountOf })
    if (accepted === answer) return answer
    return accepted instanceof Promise ? accepted.then((it) => noted(answer, it)) : noted(answer, accepted)
  }
  const noted = (answer: unknown, accepted: unknown): unknown => {
    // Once for each adapter, not for each configuration: an application may make a configuration for each request.
    if (accepted !== answer && isFirstTime(adapter, `inexact-adapter ${name}`)) {
      settings.logger.warn('inexact-adapter', { method: name })
    }
    return accepted
  }
  try {
    const answer = call(adapter, settings, name, args)
    const outcome = answer instanceof Promise ? answer.then(checked) : checked(answer)
    return outcome instanceof Promise ? outcome.catch(refuse) : outcome
  } catch (error) {
    return refuse(error)
  }
}

/**
 * Calls the method, and waits no longer than the settings say. A promise in the answer may be the promise of another
 * library, and becomes a native one. An answer without a promise is given without a promise, and without a timer.
 */
function call(adapter: Adapter, { timeout }: StoreSettings, name: Method, args: unknown[]): MaybePromise<unknown> {
  const method = methodOf(adapter, name)
  if (method === null) throw new AdapterError(`The adapter has no ${name}().`, { method: name })
  const accepted = name === 'getSession' || name === 'getSessionAndUser' ? acceptedArguments(method, args) : args
  const answer = method.apply(adapter, accepted as unknown[])
  const isPromise = typeof (answer as { then?: unknown } | null | undefined)?.then === 'function'
  if (!isPromise) return answer
  const milliseconds = timeout * 1000
  return within(Promise.resolve(answer), milliseconds, () => noAnswerOf(name, milliseconds))
}

/** A sign-up in one step counts only while the application has replaced none of its steps. */
function methodOf(adapter: Adapter, name: Method): ((...args: unknown[]) => unknown) | null {
  const method = name === 'createUserWithAccount' ? signUpMethod(adapter) : adapter[name]
  return typeof method === 'function' ? (method as (...args: unknown[]) => unknown) : null
}

const failureOf = (method: Method, error: unknown): AdapterError =>
  error instanceof AdapterError
    ? error
    : new AdapterError(`The adapter's ${method}() failed.`, { err: withoutDetails(error), method })

/** The methods of a list that an adapter lacks. */
export const missingMethods = (adapter: Adapter, names: readonly Method[]): Method[] =>
  names.filter((name) => methodOf(adapter, name) === null)

/**
 * For a check before anything is removed, since a removal that stops half-way is worse than no removal.
 *
 * @param purpose what the methods are needed for, as the message says it
 * @throws {MissingAdapterMethods} when the adapter lacks one
 */
export function requireMethods({ adapter }: Store, names: readonly Method[], purpose: string): void {
  const missing = missingMethods(adapter, names)
  if (missing.length === 0) return
  throw new MissingAdapterMethods(`The adapter has no ${missing.join(', ')}, which ${purpose} needs.`)
}
