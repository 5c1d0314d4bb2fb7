import type { ServerResponse } from 'node:http'
import { NO_STORE } from './no-store.js'

/**
 * Headers by which a cache in between is told something else than `Cache-Control` says: it goes by them alone (RFC 9213 §2.2, and before it
 * `Surrogate-Control`, `Edge-Control` and nginx's `X-Accel-Expires`).
 */
const TARGETED = /-cache-control$|^surrogate-control$|^edge-control$|^x-accel-expires$/

/**
 * Keeps an answer that somebody else will finish out of caches that serve several people (COOKIE-12). A `Cache-Control` that does so stays as it is; any other
 * gives way, since RFC 9111 lets such a cache keep `Set-Cookie` as well.
 */
export function keepOutOfSharedCaches(res: ServerResponse): void {
  const caching = res.getHeader('cache-control')
  if (caching !== NO_STORE['cache-control'] && !keepsOut(caching)) {
    res.setHeader('cache-control', NO_STORE['cache-control'])
  }
  for (const name of res.getHeaderNames()) {
    if (TARGETED.test(name) && !keepsOut(res.getHeader(name))) res.removeHeader(name)
  }
}

/** Whether a header forbids shared caches to keep the whole answer. `private="x"` is about the field x alone (RFC 9111 §5.2.2.7). */
function keepsOut(header: number | string | readonly string[] | undefined): boolean {
  const directives = new Set(
    String(header ?? '')
      .toLowerCase()
      .replace(/"[^"]*"/g, '""')
      .split(',')
      .map((directive) => directive.trim()),
  )
  if (directives.has('public') || [...directives].some((directive) => directive.startsWith('s-maxage'))) return false
  return directives.has('private') || directives.has('no-store')
}
