import type { ConfigFunction, ConfigSource } from '../../config/options.js'
import type { Engine } from '../../engine/engine.js'
import { engineOfObject, engineOfResult } from '../../engine/engines.js'
import { incomingFromNode } from '../../kernel/node-request.js'
import { writeResponse } from '../../kernel/node-response.js'
import { checkSource } from '../../sessions/check-call-options.js'
import type { Config } from '../../sign-in/config.js'
import { warnAboutUnsupported, warnOnce } from './forwarded.js'
import {
  answeredTooEarly,
  callErrorHandler,
  checkNothing,
  type Middleware,
  type MiddlewareRequest,
  type MiddlewareResponse,
  type NextFunction,
  type Nothing,
} from './middleware.js'
import { basePathOf } from './mount-path.js'
import { originOf } from './public-origin.js'
import { takeBackReplaced } from './request-session.js'

const CALL = 'expressAuth(config)'

/**
 * The middleware that serves sign-in, sign-out, sessions and the callbacks of providers. Mount it at any path, in
 * Express 4, Express 5 or Connect, before or after body parsers: `app.use('/auth', expressAuth(config))`.
 *
 * @param config the configuration, or a function that gives one for a request
 * @throws {AuthError} at once, when a configuration given as an object cannot work
 */
export function expressAuth(config: ConfigSource<MiddlewareRequest>, ...nothing: Nothing): Middleware {
  checkSource(config, CALL)
  const handle = handlerOf(config)
  checkNothing(nothing, CALL)
  return (req, res, next) => {
    handle(req, res, next).catch((error) => callErrorHandler(next, error))
  }
}

type Handler = (req: MiddlewareRequest, res: MiddlewareResponse, next: NextFunction) => Promise<void>

/**
 * Does not use `prepareEngine`: its promise would reject if a function returned a configuration that cannot work, and the
 * mount answers such a request itself.
 */
function handlerOf(config: ConfigSource<MiddlewareRequest>): Handler {
  if (typeof config === 'function') return (req, res, next) => serveGiven(config, req, res, next)
  // Now, so that a configuration that cannot work fails at the start and not at the first request.
  const engine = engineOfObject(config)
  return (req, res, next) => serve(engine, req, res, next)
}

/** Serves a request with the configuration that a function returns for it. */
async function serveGiven(
  give: ConfigFunction<MiddlewareRequest>,
  req: MiddlewareRequest,
  res: MiddlewareResponse,
  next: NextFunction,
): Promise<void> {
  const config = await give(req)
  let engine: Engine
  try {
    engine = engineOfResult(give, config)
  } catch (error) {
    const { misconfigured } = await import('../../engine/misconfigured.js')
    return writeResponse(res, await misconfigured(config, error, incomingFromNode(req)), req.method === 'HEAD')
  }
  return serve(engine, req, res, next)
}

async function serve(
  engine: Engine,
  req: MiddlewareRequest,
  res: MiddlewareResponse,
  next: NextFunction,
): Promise<void> {
  const { config } = engine
  const basePath = basePathOf(req, config)
  // At the root Latchkey shares its paths with the application. Requests for other paths go to the next middleware.
  if (basePath === null) return next()
  warnAboutMismatch(req, basePath, config)
  warnAboutUnsupported(req, config)
  const origin = originOf(req, config)
  const answer = await engine.handle(incomingFromNode(req, config.strippedPrefix), { origin, basePath })
  if (res.headersSent) throw answeredTooEarly(CALL)
  if (origin !== null) takeBackReplaced(req, res, config, origin, answer.cookies ?? [])
  writeResponse(res, answer, req.method === 'HEAD')
}

function warnAboutMismatch(req: MiddlewareRequest, mounted: string, config: Config): void {
  const expected = config.basePath
  if (mounted === expected) return
  // Where the path of the mount has parameters, the visitor has written a part of it. The log shows only what is configured.
  const isCutOff = expected.endsWith(mounted)
  warnOnce(req, config, 'mount-basepath-mismatch', {
    ...(isCutOff && { mounted }),
    expected,
    fix: isCutOff
      ? `If a proxy cuts ${expected.slice(0, -mounted.length)} off, set strippedPrefix: '${expected.slice(0, -mounted.length)}'. If not, mount it at ${expected}.`
      : `requireAuth sends visitors to ${expected}/signin. If they should come to this mount, set basePath to its path.`,
  })
}
