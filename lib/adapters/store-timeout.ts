import { within } from '../awaitable.js'
import type { Adapter } from './adapter.js'
import { ADAPTER_METHODS } from './adapter-methods.js'
import { callMethod } from './call-method.js'
import { acceptOptions } from './look-up-options.js'
import { signUpMethod } from './own-sign-up.js'
import { noAnswerOf } from './timeouts.js'

type Method = keyof Adapter

/** Seconds that one call of an adapter may take, unless the application says otherwise. */
export const STORE_TIMEOUT = 5

/**
 * By adapter and limit: the same adapter always gives the same object, so that facts about it can be kept by its
 * identity.
 */
const limited = new WeakMap<Adapter, Map<number, Adapter>>()

/**
 * An adapter whose calls fail with {@link noAnswerOf} when the store does not answer in time. A later answer is
 * ignored. The object has the methods that the adapter has at that moment. An answer without a promise is given without
 * a promise, and without a timer.
 *
 * @param seconds `Infinity` waits for ever: then the adapter itself is given
 */
export function withStoreTimeout(adapter: Adapter, seconds: number): Adapter {
  if (seconds === Number.POSITIVE_INFINITY) return adapter
  const known = limited.get(adapter) ?? new Map<number, Adapter>()
  limited.set(adapter, known)
  const made = known.get(seconds) ?? limit(adapter, seconds)
  known.set(seconds, made)
  return made
}

function limit(adapter: Adapter, seconds: number): Adapter {
  const methods = ADAPTER_METHODS.map((name) => {
    const call = limitedCall(adapter, name, seconds)
    acceptOptions({ [name]: call })
    return [name, { enumerable: true, get: () => (hasMethod(adapter, name) ? call : undefined) }]
  })
  return Object.defineProperties({}, Object.fromEntries(methods))
}

/**
 * A sign-up in one step counts only while the application has replaced none of its steps. The limited methods do not
 * show that.
 */
const hasMethod = (adapter: Adapter, name: Method): boolean =>
  name === 'createUserWithAccount' ? signUpMethod(adapter) !== null : typeof adapter[name] === 'function'

function limitedCall(adapter: Adapter, name: Method, seconds: number) {
  const milliseconds = seconds * 1000
  const late = () => noAnswerOf(name, milliseconds)
  return (...args: unknown[]): unknown => {
    const answer = callMethod(adapter, name, args)
    return answer instanceof Promise ? within(answer, milliseconds, late) : answer
  }
}
