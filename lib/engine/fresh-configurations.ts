import type { Config } from '../config/config.js'
import { placeInApplication } from '../logger.js'

/** If a function returns this many fresh objects in a row, it probably makes a configuration for each request. */
const FRESH_IN_A_ROW = 20
/** If one place in the code gives this many fresh objects to a call, it probably makes a configuration for each request. */
const FRESH_AT_ONE_PLACE = 10
/** How many counts are kept: an application may have any number of tenants. */
const MAX_COUNTED = 1000

// A configuration is fresh if no engine was made for this object before. Each tenant has a secret or an `instance` of its own,
// and so a digest of its own. Tenants are counted apart, because the first configuration of each is fresh.

/**
 * For each function, by digest: how many fresh objects it has returned in a row. A known object sets the counts back. Null
 * after the warning was logged.
 */
const inARow = new WeakMap<object, Map<string, number> | null>()

/** By call, place and digest: how many fresh objects were given there. Null after the warning was logged. */
const atPlaces = new Map<string, number | null>()

/** A function has returned a configuration that is not fresh. */
export const noteKnownResult = (source: object): void => inARow.get(source)?.clear()

/** A function has returned a fresh configuration. */
export function noteFreshResult(source: object, { secretDigest, logger }: Config): void {
  const before = inARow.get(source)
  if (before === null) return
  const counts = before ?? new Map<string, number>()
  if (counts.size > MAX_COUNTED) counts.clear()
  const count = (counts.get(secretDigest) ?? 0) + 1
  counts.set(secretDigest, count)
  inARow.set(source, count < FRESH_IN_A_ROW ? counts : null)
  if (count < FRESH_IN_A_ROW) return
  logger.warn('fresh-configurations', {
    fix: 'Make the configuration once, outside of the function, for each tenant, and return that object.',
  })
}

/** A call for a request was given a fresh configuration. */
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
