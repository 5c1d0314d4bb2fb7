import { targetOf, withoutAuthority } from '../http/node-request.js'
import type { MiddlewareRequest } from './middleware.js'

/**
 * Path of the mount that a request came through, without a trailing slash; empty at the root.
 *
 * A mounted middleware sees `req.url` without the mount. A route with a wildcard (`/auth/*`, `/auth/*splat`) or a
 * pattern sees the whole path, and what the wildcard matched in `req.params`.
 */
export function mountPath(req: MiddlewareRequest): string {
  const path = pathOf(targetOf(req))
  // A wildcard may also stand before the mount, as in `/t/*tenant/auth`; then it is not what the path ends with.
  const below = [wildcardMatch(req.params), pathOf(withoutAuthority(req.url ?? '/'))].find(
    (end): end is string => end !== null && path.endsWith(end),
  )
  return path.slice(0, path.length - (below?.length ?? 0)).replace(/\/+$/, '')
}

const pathOf = (target: string) => target.split('?', 1)[0] ?? '/'

/** What the one wildcard of a route matched, or null when the route has none. */
function wildcardMatch(params: MiddlewareRequest['params']): string | null {
  for (const [name, value] of Object.entries(params ?? {})) {
    if (Array.isArray(value)) return value.join('/')
    if (/^\d+$/.test(name) && typeof value === 'string') return value
  }
  return null
}
