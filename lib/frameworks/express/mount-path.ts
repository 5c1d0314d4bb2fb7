import { isServedPath } from '../../engine/action-names.js'
import { mountedTargetOf, targetOf } from '../../kernel/node-request.js'
import type { Config } from '../../sign-in/config.js'
import type { MiddlewareRequest } from './middleware.js'

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
  return tail === match || decoded(tail) === match ? tail : null
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}

const pathOf = (target: string) => target.split('?', 1)[0] ?? '/'

/** What the last wildcard or group of a route matched, or null when the route has none. */
function wildcardMatch(params: MiddlewareRequest['params']): string | null {
  const matches = Object.entries(params ?? {}).flatMap(([name, value]) =>
    Array.isArray(value) ? value.join('/') : /^\d+$/.test(name) && typeof value === 'string' ? value : [],
  )
  return matches.at(-1) ?? null
}
