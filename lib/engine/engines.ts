import { checkSource } from '../config/check-source.js'
import type { AuthConfig } from '../config/options.js'
import { processEnvironment, resolveConfig } from '../config/resolve-config.js'
import { InvalidConfiguration } from '../errors.js'
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
  // Objects are counted by where they log, because nothing else is surely the same in a copy of a configuration.
  if (call !== undefined) countFresh(options.logger ?? console, engine)
  return engine
}

/** The engine of a configuration that was resolved before; undefined for any other value. */
export const knownEngine = (options: object): Engine | undefined => engines.get(BASE_PATH)?.get(options as AuthConfig)

/**
 * If a function returns this many new objects in a row, or a call such as `getSession` gets so many with one secret, the
 * application probably makes a configuration for each request.
 */
const FRESH_IN_A_ROW = 20
/** A function may return configurations of several tenants, which have a secret each. At most this number is counted. */
const MAX_COUNTED = 1000

/**
 * For each function, by secret: how many new objects it has returned in a row. A known object sets the counts back. For
 * each logger, by secret: how many new objects calls have got. Null after the warning was logged.
 */
const fresh = new WeakMap<object, Map<string, number> | null>()

/**
 * The engine of a configuration that a function returned.
 *
 * @param source the function
 * @throws {AuthError} as {@link engineOfObject}
 */
export function engineOfResult(source: object, options: AuthConfig, basePath = BASE_PATH): Engine {
  const known = engines.get(basePath)?.get(options)
  if (known) {
    fresh.get(source)?.clear()
    return known
  }
  const engine = engineOfObject(options, { basePath })
  countFresh(source, engine)
  return engine
}

function countFresh(source: object, { config: { secretDigest, logger } }: Engine): void {
  const counts = fresh.get(source) ?? (fresh.has(source) ? null : new Map<string, number>())
  if (!counts) return
  if (counts.size > MAX_COUNTED) counts.clear()
  const count = (counts.get(secretDigest) ?? 0) + 1
  counts.set(secretDigest, count)
  fresh.set(source, count < FRESH_IN_A_ROW ? counts : null)
  if (count < FRESH_IN_A_ROW) return
  logger.warn('fresh-configurations', {
    fix: 'Make the configuration once, outside of the function that handles requests, and use that object in each call; with tenants, one for each tenant.',
  })
}
