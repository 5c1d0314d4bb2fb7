import { checkSource } from '../config/check-source.js'
import type { AuthConfig } from '../config/options.js'
import { processEnvironment, resolveConfig } from '../config/resolve-config.js'
import { InvalidConfiguration } from '../errors.js'
import { createEngine, type Engine } from './engine.js'
import { noteFreshArgument, noteFreshResult, noteKnownResult } from './fresh-configurations.js'

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
