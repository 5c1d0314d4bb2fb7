import { RequestRefused } from '../../kernel/errors.js'
import { pathReadings } from '../../kernel/path-readings.js'
import type { MiddlewareRequest } from './middleware.js'

/**
 * The targets for which a rule must hold before the routes behind a guard may run: path and query, the path in each way
 * that they may read it. The first is the target that was asked for.
 *
 * @throws {RequestRefused} 400 when a rule and a route could read the target differently
 */
export function routedTargets(req: MiddlewareRequest): readonly string[] {
  const [path, query] = splitTarget(req.originalUrl ?? req.url ?? '/')
  const routing = { foldsCase: !isCaseSensitive(req) }
  const asked = pathReadings(path, routing).map((reading) => reading + query)
  const [routedPath, ownQuery] = routedBy(req)
  // A mount that is asked for without a trailing slash is given one.
  const isSamePath = routedPath === path || routedPath === `${path}/`
  if (isSamePath && ownQuery === query) return asked
  const readings = pathReadings(isSamePath ? path : routedPath, routing)
  // What has parsed the query before keeps what it found there, as `req.query` of Express 4 does.
  return [...new Set([...asked, ...[ownQuery, query].flatMap((each) => readings.map((reading) => reading + each))])]
}

/**
 * The form of a target that names its authority (RFC 9112 §3.2.2). Express reads what is no plain host into the path.
 */
const AUTHORITY = /^https?:\/\/(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?(?=[/?]|$)/i

/** Path and query, with its question mark. */
function splitTarget(target: string): readonly [path: string, query: string] {
  const rest = target.startsWith('/') ? target : target.replace(AUTHORITY, '')
  // A fragment is never sent (RFC 9112 §3.2); Express cuts it off, and so would a URL.
  if ((rest === target && !target.startsWith('/')) || /[#\p{Cc}\s]/u.test(rest)) {
    throw new RequestRefused(400, 'The request target is malformed.')
  }
  const at = rest.indexOf('?')
  const path = at < 0 ? rest : rest.slice(0, at)
  return [path === '' ? '/' : path, at < 0 ? '' : rest.slice(at)]
}

/**
 * Path and query that the routes match, which are others than were asked for where a middleware before the guard has
 * changed `req.url`, as a middleware does that takes a language out of the path.
 */
function routedBy(req: MiddlewareRequest): readonly [path: string, query: string] {
  const [path, query] = splitTarget(req.url ?? '/')
  if (req.baseUrl !== undefined) return [req.baseUrl + path, query]
  const beforeMount = parsedByConnect(req)
  if (beforeMount === undefined) return [path, query]
  const whole = splitTarget(beforeMount)
  // Connect gives `/admin.json` the path `/.json` at the mount `/admin`.
  return whole[1] === query && (whole[0].endsWith(path) || whole[0].endsWith(path.slice(1))) ? whole : [path, query]
}

/**
 * The address from which Connect has cut the mount of a middleware. Connect itself does not keep it; `parseurl` keeps it
 * at the request.
 */
function parsedByConnect(req: MiddlewareRequest): string | undefined {
  const { _parsedUrl: parsed } = req as { readonly _parsedUrl?: { readonly _raw?: unknown } }
  return typeof parsed?._raw === 'string' ? parsed._raw : undefined
}

/** Members of an Express application that are not public, and are read here. */
interface Application {
  readonly parent?: Application
  /** The router in Express 4. */
  readonly _router?: { readonly caseSensitive?: boolean }
  /** The router in Express 5. In Express 4 reading it throws. */
  readonly router?: { readonly caseSensitive?: boolean }
}

/**
 * Whether `/Admin` and `/admin` are different routes: with Express's `case sensitive routing`, here and wherever this
 * application is mounted. A router takes the setting when it is made, so the routers are asked and not the setting.
 */
function isCaseSensitive({ app }: MiddlewareRequest): boolean {
  if (app === undefined) return false
  for (let each: Application | undefined = app as Application; each; each = each.parent) {
    if ((each._router ?? each.router)?.caseSensitive !== true) return false
  }
  return true
}
