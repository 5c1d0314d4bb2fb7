/** A value, or the promise of one, whoever's promise it is. */
export type Awaitable<T> = T | PromiseLike<T>

/** A value, or a native promise of one. */
export type MaybePromise<T> = T | Promise<T>

/**
 * Goes on with a value: at once where it is there, and otherwise when its promise gives it. A guard runs for every request, and each turn that it
 * waits for nothing costs more than its own work.
 */
export const whenReady = <T, R>(value: MaybePromise<T>, next: (value: T) => MaybePromise<R>): MaybePromise<R> =>
  value instanceof Promise ? value.then(next) : next(value)

/** Does something, and goes on with whatever it throws, at once or later. */
export function rescue<T, R>(
  work: () => MaybePromise<T>,
  failed: (error: unknown) => MaybePromise<R>,
): MaybePromise<T | R> {
  try {
    const outcome = work()
    return outcome instanceof Promise ? outcome.then<T | R, T | R>(undefined, failed) : outcome
  } catch (error) {
    return failed(error)
  }
}

/** The longest that a timer of Node can be set to, milliseconds: a longer one goes off at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

/** A time to wait as a timer can be set to it. */
export const timerMs = (milliseconds: number): number => Math.min(milliseconds, LONGEST_TIMER_MS)

/**
 * What a promise gives, unless it takes too long. What comes after that does nothing, be it an answer or a failure. Whoever can end the work itself does
 * that in its place, as `http/back-channel.ts` does.
 *
 * @param milliseconds `Infinity` waits for ever
 * @param late makes the error to fail with
 * @param options `keepsAlive` false where a process that has nothing else to do need not wait for the end
 */
export function within<T>(
  promise: Promise<T>,
  milliseconds: number,
  late: () => Error,
  { keepsAlive = true } = {},
): Promise<T> {
  if (milliseconds === Number.POSITIVE_INFINITY) return promise
  return new Promise((resolve, reject) => {
    // A process that was busy or stopped for so long has answers that it did not read yet: they come before the next turn.
    let isOver = false
    const giveUp = () =>
      setImmediate(() => {
        // Making the error may close what has just answered, and is in others' hands by now.
        if (!isOver) reject(late())
      })
    const timer = setTimeout(giveUp, timerMs(milliseconds))
    if (!keepsAlive) timer.unref()
    promise.then(
      (value) => {
        isOver = true
        clearTimeout(timer)
        resolve(value)
      },
      (error: unknown) => {
        isOver = true
        clearTimeout(timer)
        reject(error)
      },
    )
  })
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
