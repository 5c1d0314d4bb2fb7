import { processEnvironment, resolveConfig } from '../compose.js'
import type { AuthConfig } from '../config/options.js'
import { InvalidConfiguration } from '../kernel/errors.js'
import { placeInApplication } from '../kernel/logger.js'
import { checkSource } from '../sessions/check-call-options.js'
import type { Config } from '../sign-in/config.js'
import { createEngine, type Engine } from './engine.js'

/** Path of the mount where neither the configuration nor `AUTH_URL` has one. */
const BASE_PATH = '/auth'

/** Engines by configuration, for each path that an integration has for the mount by default. */
const engines = new Map([[BASE_PATH, new WeakMap<AuthConfig, Engine>()]])

/** How an engine is made. */
export interface EngineOptions {
  /**
   * The call that has the configuration as its argument, for an error: `requireAuth(config)`. Absent for a configuration
   * that a function returned.
   */
  readonly call?: string | undefined
  /** Path of the mount where neither the configuration nor `AUTH_URL` has one; `/auth` by default. */
  readonly basePath?: string | undefined
}

/**
 * The engine of a configuration that is an object. It is made once for each object and default path.
 *
 * @throws {AuthError} one error that lists everything that cannot work
 */
export function engineOfObject(options: AuthConfig, { call, basePath = BASE_PATH }: EngineOptions = {}): Engine {
  const known = engines.get(basePath)?.get(options)
  if (known) return known
  if (call !== undefined) checkSource(options, call)
  if (typeof options !== 'object' || options === null) {
    throw new InvalidConfiguration(
      `The configuration is ${options === null ? 'null' : `of type ${typeof options}`}; it must be an object.`,
    )
  }
  const engine = createEngine(resolveConfig(options, { ...processEnvironment(), basePath }))
  const made = engines.get(basePath) ?? new WeakMap<AuthConfig, Engine>()
  engines.set(basePath, made.set(options, engine))
  return engine
}

/**
 * As {@link engineOfObject}, for a call that is made for each request. If the place of the call gives a new object each time,
 * a warning says so once.
 *
 * @param call how the function is called, for a message: `getSession(req, config)`
 */
export function engineOfCall(options: AuthConfig, call: string): Engine {
  const known = engines.get(BASE_PATH)?.get(options)
  if (known) return known
  const engine = engineOfObject(options, { call })
  noteFreshArgument(call, engine.config)
  return engine
}

/**
 * The engine of a configuration that a function returned.
 *
 * @param source the function
 * @throws {AuthError} as {@link engineOfObject}
 */
export function engineOfResult(source: object, options: AuthConfig, basePath = BASE_PATH): Engine {
  const known = engines.get(basePath)?.get(options)
  if (known) {
    noteKnownResult(source)
    return known
  }
  const engine = engineOfObject(options, { basePath })
  noteFreshResult(source, engine.config)
  return engine
}

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
const noteKnownResult = (source: object): void => inARow.get(source)?.clear()

/** A function has returned a fresh configuration. */
function noteFreshResult(source: object, { secretDigest, logger }: Config): void {
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
function noteFreshArgument(call: string, { secretDigest, logger }: Config): void {
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
