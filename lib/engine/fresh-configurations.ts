import type { Config } from '../config/config.js'
import { placeInApplication } from '../logger.js'

/** If a function returns this many new objects in a row, it probably makes a configuration for each request. */
const FRESH_IN_A_ROW = 20
/** If one place in the code gives this many new objects to a call, it probably makes a configuration for each request. */
const FRESH_AT_ONE_PLACE = 10
/** A function may return configurations of several tenants, which have a secret each. At most this number is counted. */
const MAX_COUNTED = 1000

/**
 * For each function, by secret: how many new objects it has returned in a row. A known object sets the counts back. Null
 * after the warning was logged.
 */
const fresh = new WeakMap<object, Map<string, number> | null>()

/** By call, place and secret: how many new objects were given there. Null after the warning was logged. */
const atPlaces = new Map<string, number | null>()

/** A function has returned a configuration that was known. */
export const noteKnownResult = (source: object): void => fresh.get(source)?.clear()

/** A function has returned a configuration that was not known. */
export function noteFreshResult(source: object, { secretDigest, logger }: Config): void {
  const counts = fresh.get(source) ?? (fresh.has(source) ? null : new Map<string, number>())
  if (!counts) return
  if (counts.size > MAX_COUNTED) counts.clear()
  const count = (counts.get(secretDigest) ?? 0) + 1
  counts.set(secretDigest, count)
  fresh.set(source, count < FRESH_IN_A_ROW ? counts : null)
  if (count < FRESH_IN_A_ROW) return
  logger.warn('fresh-configurations', {
    fix: 'Make the configuration once, outside of the function, for each tenant, and return that object.',
  })
}

/**
 * A call for a request was given a configuration that was not known. Configurations of several tenants have a secret or a
 * name each, so they are counted apart.
 */
export function noteFreshArgument(call: string, { secretDigest, logger }: Config): void {
  const place = placeInApplication()
  const key = [call, place, secretDigest].join(' ')
  const before = atPlaces.get(key)
  if (before === null) return
  const count = (before ?? 0) + 1
  if (atPlaces.size > MAX_COUNTED) atPlaces.clear()
  atPlaces.set(key, count < FRESH_AT_ONE_PLACE ? count : null)
  if (count < FRESH_AT_ONE_PLACE) return
  logger.warn('fresh-configurations', {
    call,
    ...(place !== null && { place }),
    fix: 'Make the configuration once, outside of the route, and give the same object to each call.',
  })
}
