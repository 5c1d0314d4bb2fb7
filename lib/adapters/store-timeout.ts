import { given, within } from '../awaitable.js'
import { ADAPTER_METHODS, type Adapter } from './adapter.js'
import { signUpMethod } from './sign-up.js'
import { noAnswerOf } from './timeouts.js'

type Method = keyof Adapter

/** Seconds that one call of an adapter may take, unless the application says otherwise. */
export const STORE_TIMEOUT = 5

/** By adapter and limit, so that an adapter stays one and the same to whoever remembers something of it. */
const limited = new WeakMap<Adapter, Map<number, Adapter>>()

/**
 * An adapter, each of whose calls fails with a {@link noAnswerOf} when it has given nothing for so long.
 * What it answers later does nothing. It has the methods that the adapter has, at any time.
 * What is answered at once is handed on at once, without a promise or a timer.
 *
 * @param seconds `Infinity` waits for ever: then it is the adapter itself
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
    return [name, { enumerable: true, get: () => (hasMethod(adapter, name) ? call : undefined) }]
  })
  return Object.defineProperties({}, Object.fromEntries(methods))
}

/** A sign-up in one step counts only while no step of it has been replaced, which cannot be seen of the limited methods. */
const hasMethod = (adapter: Adapter, name: Method): boolean =>
  name === 'createUserWithAccount' ? signUpMethod(adapter) !== null : typeof adapter[name] === 'function'

function limitedCall(adapter: Adapter, name: Method, seconds: number) {
  const milliseconds = seconds * 1000
  const late = () => noAnswerOf(name, milliseconds)
  return (...args: unknown[]): unknown => {
    const answer = given((adapter[name] as (...args: unknown[]) => unknown).apply(adapter, args))
    return answer instanceof Promise ? within(answer, milliseconds, late) : answer
  }
}
