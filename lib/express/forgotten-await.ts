import { isProductionProcess } from '../config/env.js'
import type { ConfigSource } from '../config/options.js'
import { isFirstTime, placeInApplication } from '../logger.js'
import { loggerOf } from './logger-of.js'
import type { MiddlewareRequest } from './middleware.js'

/** The call whose promise is watched, for the warning. */
export interface WatchedCall {
  /** How the function is called: `getSession(req, config)`. */
  readonly call: string
  /** Members of the result that no promise has; and `toJSON`, which is read when the promise itself is written as JSON. */
  readonly members: readonly string[]
}

/** The members of a session by which a forgotten `await` is noticed. */
export const SESSION_MEMBERS = ['user', 'expires', 'toJSON'] as const
/** The members of a list by which a forgotten `await` is noticed. The methods of a list are missing with an error anyway. */
export const LIST_MEMBERS = ['length', 'toJSON'] as const

/**
 * The promise of a call. Outside of production, a warning is logged if somebody reads a member of the result from the promise
 * itself, because an `await` was forgotten: such a member is undefined, and nothing else would say so. Nothing else about the
 * promise changes: the members cannot be listed, read as undefined, and can be overwritten. In production, nothing is done.
 */
export function watchForAwait<T>(
  config: ConfigSource<MiddlewareRequest>,
  { call, members }: WatchedCall,
  work: () => Promise<T>,
): Promise<T> {
  const promise = work()
  if (isProductionProcess()) return promise
  for (const name of members) {
    Object.defineProperty(promise, name, {
      configurable: true,
      enumerable: false,
      get: () => warn(name, call, config),
      set(value: unknown) {
        Object.defineProperty(promise, name, { configurable: true, enumerable: true, writable: true, value })
      },
    })
  }
  return promise
}

/** Logs a warning once for each place in the code. Gives undefined, as a promise without this member does. */
function warn(name: string, call: string, config: ConfigSource<MiddlewareRequest>): undefined {
  const place = placeInApplication()
  // Known by this function and not by the configuration: one that is made anew for each call would be new each time.
  if (!isFirstTime(warn, `${call} ${place}`)) return
  const [method] = call.split('(', 1)
  const what = name === 'toJSON' ? 'was written as JSON' : `was asked for \`${name}\``
  loggerOf(config).warn('forgotten-await', {
    ...(place !== null && { place }),
    fix: `The promise of ${method} ${what}. Write: await ${call}.`,
  })
}
