import type { MaybePromise } from '../awaitable.js'
import type { Adapter } from './adapter.js'
import { acceptedArguments } from './look-up-options.js'

type AnyMethod = (...args: unknown[]) => unknown

/**
 * Calls a method of an adapter, which must exist. A promise in the answer may be the promise of another library, and
 * becomes a native one. An answer without a promise is given without a promise.
 *
 * @param args the arguments of the contract, and options of a look-up, which the method is given if it takes them
 * @throws what the method throws
 */
export function callMethod(adapter: Adapter, name: keyof Adapter, args: unknown[]): MaybePromise<unknown> {
  const method = adapter[name] as AnyMethod
  const answer = method.apply(adapter, acceptedArguments(name, method, args))
  const isPromise = typeof (answer as { then?: unknown } | null | undefined)?.then === 'function'
  return isPromise ? Promise.resolve(answer) : answer
}
