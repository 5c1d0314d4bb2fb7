import type { ConfigFunction, ConfigSource } from '../../config/options.js'
import { isServedPath } from '../../engine/action-names.js'
import type { Engine } from '../../engine/engine.js'
import { engineOfObject, engineOfResult } from '../../engine/engines.js'
import { incomingFromNode, mountedTargetOf, targetOf } from '../../kernel/node-request.js'
import { writeResponse } from '../../kernel/node-response.js'
import { decodedText } from '../../kernel/urls.js'
import { checkSource } from '../../sessions/check-call-options.js'
import type { Config } from '../../sign-in/config.js'
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
import { originOf, warnAboutUnsupported, warnOnce } from './public-origin.js'
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

/**
 * The public path of the mount that a request came through, without a trailing slash; empty at the root. If the middleware is
 * mounted at the root, it is the configured `basePath`, for a request below that path.
 *
 * @returns null when the middleware is mounted at the root and the path is not one of Latchkey's
 */
export function basePathOf(req: MiddlewareRequest, config: Config): string | null {
  const { basePath, hasOwnBasePath, strippedPrefix } = config
  const target = targetOf(req)
  const mountedTarget = mountedTargetOf(req)
  const path = pathOf(target)
  const mount = mountPath(path, pathOf(mountedTarget), req.params)
  if (mount !== '') return strippedPrefix + mount
  if (hasOwnBasePath && basePath !== '') {
    const publicPath = strippedPrefix + path
    return publicPath === basePath || publicPath.startsWith(`${basePath}/`) ? basePath : null
  }
  return isServedPath(path) ? '' : null
}

/**
 * Path of the mount, without a trailing slash; empty at the root.
 *
 * A mounted middleware sees a path without the mount. A route with a wildcard (`/auth/*`, `/auth/*splat`) or a
 * pattern sees the whole path, and what the wildcard matched in `req.params`.
 */
function mountPath(path: string, mountedPath: string, params: MiddlewareRequest['params']): string {
  // A wildcard may also stand before the mount, as in `/t/*tenant/auth`; then it is not what the path ends with.
  const below = wildcardTail(mountedPath === '/' ? path : mountedPath, params) ?? mountedPath
  // A mount that is asked for without a slash at its end is given one.
  const mount = path.endsWith(below) ? path.slice(0, path.length - below.length) : below === '/' ? path : ''
  let end = mount.length
  while (mount[end - 1] === '/') end -= 1
  return mount.slice(0, end)
}

/** The end of a path that the last wildcard of a route matched, as it came; null if there is none. Routers decode the match. */
function wildcardTail(path: string, params: MiddlewareRequest['params']): string | null {
  const match = wildcardMatch(params)?.replace(/^\/+/, '')
  if (!match) return match ?? null
  const encodedSlashes = path.split(/%2f/i).length - 1
  const tail = path
    .split('/')
    .slice(encodedSlashes - match.split('/').length)
    .join('/')
  return tail === match || decodedText(tail) === match ? tail : null
}

const pathOf = (target: string) => target.split('?', 1)[0] ?? '/'

/** What the last wildcard or group of a route matched, or null when the route has none. */
function wildcardMatch(params: MiddlewareRequest['params']): string | null {
  const matches = Object.entries(params ?? {}).flatMap(([name, value]) =>
    Array.isArray(value) ? value.join('/') : /^\d+$/.test(name) && typeof value === 'string' ? value : [],
  )
  return matches.at(-1) ?? null
}
