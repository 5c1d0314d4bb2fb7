import { isProductionProcess } from '../config/env.js'
import type { ConfigSource } from '../config/options.js'
import { isFirstTime, placeInApplication } from '../logger.js'
import { loggerOf } from './logger-of.js'
import type { MiddlewareRequest } from './middleware.js'

/** What is known of a promise when it is gone. It may not refer to the promise, which would then never be collected. */
interface WatchedPromise {
  /** How the function is called: `getSession(req, config)`. */
  readonly call: string
  readonly place: string | null
  readonly config: ConfigSource<MiddlewareRequest>
}

let dropped: FinalizationRegistry<WatchedPromise> | null = null

/**
 * The same promise. Outside of production, a warning is logged once for each place if it is garbage-collected and nobody
 * has waited for it, as in `if (getSession(req, config))`, where it counts as true. Whatever waits for a promise reads its
 * `constructor` (ECMA-262, PromiseResolve and `Promise.prototype.then`); a condition does not.
 */
export function watchForDrop<T>(
  promise: Promise<T>,
  config: ConfigSource<MiddlewareRequest>,
  call: string,
): Promise<T> {
  if (isProductionProcess()) return promise
  dropped ??= new FinalizationRegistry(warn)
  const token = {}
  dropped.register(promise, { call, place: placeInApplication(), config }, token)
  Object.defineProperty(promise, 'constructor', {
    configurable: true,
    enumerable: false,
    get() {
      dropped?.unregister(token)
      return Promise
    },
  })
  return promise
}

function warn({ call, place, config }: WatchedPromise): void {
  if (!isFirstTime(watchForDrop, `${call} ${place}`)) return
  loggerOf(config).warn('dropped-promise', {
    ...(place !== null && { place }),
    fix: `A promise counts as true, so a condition on it lets everybody pass. Write: await ${call}.`,
  })
}
