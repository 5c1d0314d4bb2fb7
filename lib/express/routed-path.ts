import { RequestRefused } from '../errors.js'
import { pathReadings } from '../http/path-readings.js'
import type { MiddlewareRequest } from './place.js'

/**
 * The targets for which a rule must hold before the routes behind a guard may run: path and query, the path in each way that they may read it.
 * The first is the target that was asked for.
 *
 * @throws {RequestRefused} 400 when a rule and a route could read the target differently
 */
export function routedTargets(req: MiddlewareRequest): readonly string[] {
  const [path, query] = splitTarget(req.originalUrl ?? req.url ?? '/')
  const routing = { foldsCase: !tellsCaseApart(req) }
  const rewritten = rewrittenPath(req, path)
  const readings = pathReadings(path, routing)
  const all = rewritten === null ? readings : [...new Set([...readings, ...pathReadings(rewritten, routing)])]
  return all.map((reading) => reading + query)
}

/** The form of a target that names its authority (RFC 9112 §3.2.2). Express reads what is no plain host into the path. */
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

/** What Express routes by where a middleware before the guard has changed `req.url`, as one that takes a language out of the path; else null. */
function rewrittenPath({ baseUrl, url = '/' }: MiddlewareRequest, asked: string): string | null {
  if (baseUrl === undefined) return null
  const path = baseUrl + splitTarget(url)[0]
  // A mount that is asked for without a trailing slash is given one.
  return path === asked || path === `${asked}/` ? null : path
}

/** What Express's applications have beside their public face, as far as it is read here. */
interface Application {
  readonly parent?: Application
  /** Express 4. */
  readonly _router?: { readonly caseSensitive?: boolean }
  /** Express 5; in Express 4 a trap. */
  readonly router?: { readonly caseSensitive?: boolean }
}

/**
 * Whether `/Admin` and `/admin` are different routes: with Express's `case sensitive routing`, here and wherever this application is mounted. A
 * router takes the setting when it is made, so the routers are asked and not the setting.
 */
function tellsCaseApart({ app }: MiddlewareRequest): boolean {
  if (app === undefined) return false
  for (let each: Application | undefined = app as Application; each; each = each.parent) {
    if ((each._router ?? each.router)?.caseSensitive !== true) return false
  }
  return true
}
