/** A value, or a promise of it. The promise may be one of another library. */
export type Awaitable<T> = T | PromiseLike<T>

/** A value, or a native promise of it. */
export type MaybePromise<T> = T | Promise<T>

/**
 * Calls a function with a value. If the value is a promise, the function is called when the promise is fulfilled. If it
 * is not, the function is called now, and its result is returned without a promise.
 *
 * Only code that runs for every request needs this, such as the look-up of a session: `await` on a value that is
 * already known costs that code more time than its own work.
 */
export const whenReady = <T, R>(value: MaybePromise<T>, next: (value: T) => MaybePromise<R>): MaybePromise<R> =>
  value instanceof Promise ? value.then(next) : next(value)

/** The longest delay of a timer in Node, in milliseconds. A timer with a longer delay ends at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

/** The nearest delay that a timer of Node can have, in milliseconds. */
export const timerMs = (milliseconds: number): number => Math.min(milliseconds, LONGEST_TIMER_MS)

/**
 * Settles as a promise does, unless the promise takes too long: then it rejects, and a later result or error of the
 * promise is ignored. It does not end the work behind the promise. Code that can end its work does so itself when the
 * time is over, as `kernel/back-channel.ts` does.
 *
 * @param milliseconds `Infinity` for no limit
 * @param makeError makes the error to reject with; called only when the time is over
 * @param options `keepsAlive: false` lets the process exit before the time is over
 */
export function within<T>(
  promise: Promise<T>,
  milliseconds: number,
  makeError: () => Error,
  { keepsAlive = true } = {},
): Promise<T> {
  if (milliseconds === Number.POSITIVE_INFINITY) return promise
  return new Promise((resolve, reject) => {
    // A process that was busy or stopped for a long time has not read the answers that came meanwhile. The event loop
    // runs timers before it reads them, and `setImmediate` after it has read them.
    let isSettled = false
    const giveUp = () =>
      setImmediate(() => {
        // If the promise has settled, no error may be made: making it can close the connection that has just answered,
        // which other code may be using by now.
        if (!isSettled) reject(makeError())
      })
    const timer = setTimeout(giveUp, timerMs(milliseconds))
    if (!keepsAlive) timer.unref()
    promise.then(
      (value) => {
        isSettled = true
        clearTimeout(timer)
        resolve(value)
      },
      (error: unknown) => {
        isSettled = true
        clearTimeout(timer)
        reject(error)
      },
    )
  })
}

/** Waits until a promise has settled, for so long at most. With what it was rejected is not of interest here. */
export async function settledWithin(promise: Promise<unknown>, milliseconds: number): Promise<void> {
  await within(promise, milliseconds, () => new Error('It takes longer.')).catch(() => {})
}

/** A function that loads something at its first call. What could not be loaded is tried again at the next call. */
export function loadOnce<Value>(load: () => Promise<Value>): () => Promise<Value> {
  let loaded: Promise<Value> | undefined
  return () => {
    loaded ??= load().catch((error: unknown) => {
      loaded = undefined
      throw error
    })
    return loaded
  }
}

/** A function that makes something of each object once, and forgets it with the object. */
export function onceFor<Key extends object, Made>(make: (key: Key) => Made): (key: Key) => Made {
  const known = new WeakMap<Key, Made>()
  return (key) => {
    const found = known.get(key)
    if (found !== undefined) return found
    const made = make(key)
    known.set(key, made)
    return made
  }
}
