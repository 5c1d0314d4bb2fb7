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

/** What an application's function gave, which may be the promise of another library. */
export const given = <T>(value: Awaitable<T>): MaybePromise<T> =>
  typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function'
    ? Promise.resolve(value)
    : (value as T)

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
