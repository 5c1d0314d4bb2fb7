import type { AuthConfig, ConfigSource } from '../../config/options.js'
import type { Engine } from '../../engine/engine.js'
import { engineOfObject, engineOfResult } from '../../engine/engines.js'
import { toResponse } from '../../kernel/answer.js'
import type { MaybePromise } from '../../kernel/awaitable.js'
import { incomingFromRequest } from '../../kernel/incoming.js'
import { operatorOf } from '../../visitor/operations.js'
import type { Operator } from '../../visitor/visitor.js'
import { type RequestAuth, requestAuth } from './request-auth.js'
import { isServedAt, type WebRequest, type WebRequestFacts, webOrigin } from './web-request.js'

/** What an integration settles for its framework. */
export interface WebAuthDefaults {
  /** Path of the mount where neither the configuration nor `AUTH_URL` has one; `/auth` by default. */
  readonly basePath?: string
  /** Whether the router of the framework runs the route `/admin` for `/Admin`. True by default, which is the safe side. */
  readonly foldsCase?: boolean
  /** How the function is called that was handed the configuration, for its error: `SvelteKitAuth(config)`. */
  readonly call?: string
}

/** One configuration at work for a framework whose requests and answers are those of the web. */
export interface WebAuth extends Operator {
  /** Public path of the mount, without a trailing slash. */
  readonly basePath: string
  /** Whether a path is one that Latchkey serves: that of an action or of the script, below the mount. */
  isServed(path: string): boolean
  /**
   * Answers a request to the mount: sign-in, sign-out, sessions, the callbacks of providers, and the pages. It never
   * rejects.
   */
  serve(request: Request, facts?: WebRequestFacts): Promise<Response>
  /** What code of the application does on behalf of one request. */
  forRequest(request: WebRequest, facts?: WebRequestFacts): RequestAuth
}

/**
 * Puts a configuration to work. It is resolved once per object, however often this is called.
 *
 * @throws {AuthError} one error that lists everything that cannot work
 */
export function webAuth(config: AuthConfig, defaults: WebAuthDefaults = {}): WebAuth {
  const { call = 'webAuth(config)', ...others } = defaults
  return webAuthOf(engineOfObject(config, { call, basePath: others.basePath }), others)
}

/**
 * As {@link webAuth}, for a configuration that may be a function of the request. An object is resolved now, so that what
 * cannot work fails at the start and not at the first visitor.
 *
 * @throws {AuthError} when a configuration given as an object cannot work
 */
export function prepareWebAuth<Input>(
  source: ConfigSource<Input>,
  defaults: WebAuthDefaults = {},
): (input: Input) => MaybePromise<WebAuth> {
  if (typeof source !== 'function') {
    const auth = webAuth(source, defaults)
    return () => auth
  }
  return async (input) => {
    const config = await source(input)
    try {
      return webAuthOf(engineOfResult(source, config, defaults.basePath), defaults)
    } catch (error) {
      return misconfiguredAuth(config, error, defaults)
    }
  }
}

function webAuthOf(engine: Engine, { foldsCase = true }: WebAuthDefaults): WebAuth {
  const { config } = engine
  return Object.freeze<WebAuth>({
    ...operatorOf(() => config),
    basePath: config.basePath,
    isServed: (path) => isServedAt(path, config.basePath),
    async serve(request, facts = {}) {
      const mount = { origin: webOrigin(request, facts, config), basePath: config.basePath }
      const incoming = { ...incomingFromRequest(request), clientAddress: facts.clientAddress }
      const answer = await engine.handle(incoming, mount)
      return toResponse(request.method === 'HEAD' ? { ...answer, body: undefined } : answer)
    },
    forRequest: (request, facts = {}) => requestAuth({ engine, request, facts, foldsCase }),
  })
}

/** What a function gave for a request cannot work: the mount says so, and everything else throws. */
function misconfiguredAuth(config: AuthConfig, error: unknown, { basePath = '/auth' }: WebAuthDefaults): WebAuth {
  const own: unknown = config?.basePath
  const path = (typeof own === 'string' ? own : basePath).replace(/\/+$/, '')
  const fail = () => {
    throw error
  }
  return {
    ...operatorOf(fail),
    basePath: path,
    isServed: (target) => isServedAt(target, path),
    async serve(request) {
      const { misconfigured } = await import('../../engine/misconfigured.js')
      return toResponse(await misconfigured(config, error, incomingFromRequest(request)))
    },
    forRequest: fail,
  }
}
