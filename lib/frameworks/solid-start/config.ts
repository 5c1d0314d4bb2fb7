import type { AuthConfig, ConfigSource } from '../../config/options.js'
import type { MaybePromise } from '../../kernel/awaitable.js'
import { prepareWebAuth, type WebAuth, webAuth } from '../web/index.js'

/** Path of the mount where neither the configuration nor `AUTH_URL` has one, as in @auth/solid-start. */
const BASE_PATH = '/api/auth'

/** The options of Latchkey, and the one of @auth/solid-start that no other integration has. */
export interface SolidAuthConfig extends AuthConfig {
  /** Another name of `basePath`, which applies where there is no `basePath`. */
  prefix?: string
}

/**
 * The configuration, or a function that gives one for the request. A function returns the same object for the same
 * tenant each time.
 */
export type SolidAuthSource = SolidAuthConfig | ((request: Request) => MaybePromise<SolidAuthConfig>)

type AuthOfRequest = (request: Request) => MaybePromise<WebAuth>

/** By function: what {@link prepareWebAuth} made of it, which counts the configurations that one function returns. */
const prepared = new WeakMap<object, AuthOfRequest>()
/** By configuration with a `prefix`: the same one without. An engine belongs to one object. */
const withoutPrefix = new WeakMap<SolidAuthConfig, AuthConfig>()

/**
 * What works with a configuration. An object is resolved now.
 *
 * @param call the function that was handed the configuration, for its error: `SolidAuth(config)`
 * @throws {AuthError} when a configuration given as an object cannot work
 */
export function prepareAuth(source: SolidAuthSource, call: string): AuthOfRequest {
  const defaults = { basePath: BASE_PATH, call }
  if (typeof source !== 'function') {
    const auth = webAuth(plainConfig(source), defaults)
    return () => auth
  }
  const known = prepared.get(source)
  if (known) return known
  const plain: ConfigSource<Request> = async (request) => plainConfig(await source(request))
  const made = prepareWebAuth(plain, defaults)
  prepared.set(source, made)
  return made
}

function plainConfig(config: SolidAuthConfig): AuthConfig {
  // What is no object is refused with the other mistakes of a configuration.
  if (config?.prefix === undefined) return config
  const known = withoutPrefix.get(config)
  if (known) return known
  const { prefix, ...plain } = config
  const made: AuthConfig = { ...plain, basePath: plain.basePath ?? prefix }
  withoutPrefix.set(config, made)
  return made
}
