import type { MaybePromise } from '../awaitable.js'
import { AdapterError, MissingAdapterMethods, withoutDetails } from '../errors.js'
import { isFirstTime, type Log } from '../logger.js'
import type { Adapter } from './adapter.js'
import { callMethod } from './call-method.js'
import { rowCheckOf } from './exact-rows.js'
import type { LookUpName, LookUpOptions } from './look-up-options.js'

type Method = keyof Adapter
type Call<Name extends Method> = NonNullable<Adapter[Name]>

/** The arguments of the contract; look-ups of sessions take options after them. */
type Arguments<Name extends Method> = Name extends LookUpName
  ? [...Parameters<Call<Name>>, options?: LookUpOptions]
  : Parameters<Call<Name>>

/**
 * Some methods of an adapter. Each exists, and gives what the adapter gives, without a promise if the adapter gives
 * none. A failure is always a promise that rejects with an {@link AdapterError}.
 */
export type AdapterCalls<Name extends Method> = {
  readonly [Key in Name]: (...args: Arguments<Key>) => MaybePromise<Awaited<ReturnType<Call<Key>>>>
}

/**
 * The methods of an adapter that one part of the package needs. A call of a method that the adapter lacks fails with an
 * error that names the method and its purpose. What an adapter throws becomes the cause of an {@link AdapterError}. A
 * row that was not asked for counts as no row ({@link rowCheckOf}); the log has one warning for each method that gives
 * such a row.
 *
 * @param purpose completes "… needs": `sign-in with an e-mail link`
 */
export function adapterCalls<const Names extends readonly Method[]>(
  adapter: Adapter,
  names: Names,
  purpose: string,
  logger: Pick<Log, 'warn'>,
): AdapterCalls<Names[number]> {
  const entries = names.map((name) => [name, callOf(adapter, name, purpose, logger)])
  return Object.fromEntries(entries) as AdapterCalls<Names[number]>
}

/** Once for each adapter, not for each configuration: an application may make a configuration for each request. */
function reportOnce(adapter: Adapter, name: Method, logger: Pick<Log, 'warn'>): void {
  if (isFirstTime(adapter, `inexact-adapter ${name}`)) logger.warn('inexact-adapter', { method: name })
}

function callOf(adapter: Adapter, name: Method, purpose: string, logger: Pick<Log, 'warn'>) {
  const check = rowCheckOf(name, adapter)
  const checked = (answer: unknown, asked: readonly unknown[]): MaybePromise<unknown> => {
    if (!check) return answer
    const accepted = check(answer, asked)
    return accepted instanceof Promise ? accepted.then((it) => reporting(answer, it)) : reporting(answer, accepted)
  }
  const reporting = (answer: unknown, accepted: unknown): unknown => {
    if (accepted !== answer) reportOnce(adapter, name, logger)
    return accepted
  }
  const failure = (error: unknown) =>
    error instanceof AdapterError
      ? error
      : new AdapterError(`The adapter's ${name}() failed.`, { err: withoutDetails(error), method: name })
  const refuse = (error: unknown) => Promise.reject(failure(error))
  return (...args: unknown[]): MaybePromise<unknown> => {
    if (typeof adapter[name] !== 'function') {
      const message = `The adapter has no ${name}(), which ${purpose} needs.`
      return Promise.reject(new AdapterError(message, { method: name }))
    }
    try {
      const answer = callMethod(adapter, name, args)
      const outcome = answer instanceof Promise ? answer.then((it) => checked(it, args)) : checked(answer, args)
      return outcome instanceof Promise ? outcome.catch(refuse) : outcome
    } catch (error) {
      return refuse(error)
    }
  }
}

/** The methods of a list that an adapter lacks. */
export const missingMethods = (adapter: Adapter, names: readonly Method[]): Method[] =>
  names.filter((name) => typeof adapter[name] !== 'function')

/**
 * For a check before anything is removed, since a removal that stops half-way is worse than no removal.
 *
 * @param purpose what the methods are needed for, as the message says it
 * @throws {MissingAdapterMethods} when the adapter lacks one
 */
export function requireMethods(adapter: Adapter, names: readonly Method[], purpose: string): void {
  const missing = missingMethods(adapter, names)
  if (missing.length === 0) return
  throw new MissingAdapterMethods(`The adapter has no ${missing.join(', ')}, which ${purpose} needs.`)
}
