import type { Config } from '../config/config.js'
import type { ConfigSource } from '../config/options.js'
import { engineFor, engineGiven } from '../engine/auth.js'
import type { Engine } from '../engine/engine.js'
import { misconfigured } from '../engine/misconfigured.js'
import { isServedPath } from '../engine/routes.js'
import { incomingFromNode } from '../http/node-request.js'
import { writeResponse } from '../http/node-response.js'
import { onBehalfOf } from '../logger.js'
import { checkNow } from './auth-session.js'
import { checkNothing } from './call-options.js'
import {
  failTo,
  type Middleware,
  type MiddlewareRequest,
  type MiddlewareResponse,
  type NextFunction,
  type Nothing,
} from './middleware.js'
import { mountPath } from './mount-path.js'
import { originOf } from './public-origin.js'
import { warnOnce } from './warn-once.js'

const CALL = 'expressAuth(config)'

/**
 * The middleware that serves sign-in, sign-out, sessions and the callbacks of providers. Mount it at any path, in
 * Express 4, Express 5 or Connect, before or after body parsers: `app.use('/auth', expressAuth(config))`.
 *
 * @param config the configuration, or a function that gives one for a request
 * @throws {AuthError} at once, when a configuration given as an object cannot work
 */
export function expressAuth(config: ConfigSource<MiddlewareRequest>, ...nothing: Nothing): Middleware {
  // Now, so that what cannot work fails at the start and not at the first visitor.
  checkNow(config, CALL)
  checkNothing(nothing, CALL)
  return (req, res, next) => {
    onBehalfOf(req, () => serve(config, req, res, next)).catch(failTo(next))
  }
}

async function serve(
  source: ConfigSource<MiddlewareRequest>,
  req: MiddlewareRequest,
  res: MiddlewareResponse,
  next: NextFunction,
): Promise<void> {
  const config = typeof source === 'function' ? await source(req) : source
  const incoming = incomingFromNode(req)
  let engine: Engine
  try {
    engine = typeof source === 'function' ? engineGiven(source, config) : engineFor(config)
  } catch (error) {
    return writeResponse(res, await misconfigured(config, error, incoming), req.method === 'HEAD')
  }
  const basePath = basePathAt(mountPath(req), incoming.target, engine)
  // At the root Latchkey shares its paths with the application, so what is not its own is passed on.
  if (basePath === null) return next()
  warnOfMismatch(basePath, engine.config)
  const answer = await engine.handle(incoming, { origin: originOf(req, engine.config), basePath })
  writeResponse(res, answer, req.method === 'HEAD')
}

/** The base path under a mount; null when the mount is the root and the path is none of ours. */
function basePathAt(mount: string, target: string, { config }: Engine): string | null {
  if (mount !== '') return mount
  const path = target.split('?', 1)[0] ?? '/'
  const own = config.basePath
  if (config.hasOwnBasePath && own !== '') return path === own || path.startsWith(`${own}/`) ? own : null
  return isServedPath(path) ? '' : null
}

function warnOfMismatch(mounted: string, config: Config): void {
  const expected = config.basePath
  if (mounted === expected) return
  warnOnce(config, 'mount-basepath-mismatch', {
    mounted,
    expected,
    fix: `requireAuth sends visitors to ${expected}/signin; set basePath: '${mounted}' if it should be here.`,
  })
}
