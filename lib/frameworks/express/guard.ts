import type { Engine } from '../../engine/engine.js'
import type { MaybePromise } from '../../kernel/awaitable.js'
import { AuthError, RequestRefused } from '../../kernel/errors.js'
import { requestForCallback } from '../../kernel/incoming.js'
import { headerOf, incomingFromNode, targetOf } from '../../kernel/node-request.js'
import { writeResponse, writeWebResponse } from '../../kernel/node-response.js'
import { pathReadings } from '../../kernel/path-readings.js'
import type { CurrentReading, CurrentSession } from '../../sessions/session.js'
import type { Config } from '../../sign-in/config.js'
import { answerVerdict } from '../web/guard-answers.js'
import { decide, type GuardedRequest, type GuardRules, type Verdict } from '../web/guard-decision.js'
import { callErrorHandler, type MiddlewareRequest, type MiddlewareResponse, type NextFunction } from './middleware.js'
import { originOf } from './public-origin.js'
import { attachForScope, attachSession } from './request-session.js'

/** Attaches the session of a request, and decides whether the request passes, as {@link decide} does. */
export function decideAtGuard(guarded: GuardedNodeRequest, res: MiddlewareResponse): MaybePromise<Verdict> {
  const { source, engine, rules } = guarded
  let lookup: MaybePromise<CurrentReading>
  try {
    // Only bearer tokens have a scope.
    lookup = engine.config.acceptsBearer
      ? attachForScope(source, res, engine, rules.scope)
      : attachSession(source, res, engine)
  } catch (error) {
    lookup = Promise.reject(error)
  }
  return decide(guarded, lookup)
}

/** A request of Express at a guard. A class, so that one is made for each request at little cost. */
export class GuardedNodeRequest implements GuardedRequest<MiddlewareRequest> {
  readonly source: MiddlewareRequest
  readonly engine: Engine
  readonly config: Config
  readonly rules: GuardRules<MiddlewareRequest>
  session?: CurrentSession | null

  constructor(source: MiddlewareRequest, engine: Engine, rules: GuardRules<MiddlewareRequest>) {
    this.source = source
    this.engine = engine
    this.config = engine.config
    this.rules = rules
  }

  get method(): string {
    return this.source.method ?? 'GET'
  }

  get target(): string {
    return this.config.strippedPrefix + targetOf(this.source)
  }

  get origin(): string | null {
    return originOf(this.source, this.config)
  }

  header(name: string): string | undefined {
    return headerOf(this.source, name)
  }

  readings(): readonly Request[] {
    const origin = this.origin ?? 'http://localhost'
    // Without `strippedPrefix`: `authorized` gets the path that the routes match.
    const incoming = incomingFromNode(this.source)
    return routedTargets(this.source).map((target) => requestForCallback({ ...incoming, target }, origin))
  }
}

/** Answers a request that does not pass. A failure to make the page goes to the error handler. */
export async function answerAtGuard(
  verdict: Exclude<Verdict, 'pass'>,
  guarded: GuardedNodeRequest,
  res: MiddlewareResponse,
  next: NextFunction,
): Promise<void> {
  try {
    guarded.session = (res.locals as { session?: CurrentSession | null } | undefined)?.session ?? null
    const answer = verdict instanceof Response ? null : await answerVerdict(verdict, guarded)
    if (res.headersSent) reportTooLate(guarded)
    else if (answer) writeResponse(res, answer, guarded.method === 'HEAD')
    else await writeWebResponse(res, verdict as Response)
  } catch (error) {
    callErrorHandler(next, error)
  }
}

/**
 * The request did not pass, and has an answer already: the code behind the guard may not have waited. The log is told and not
 * the error handler, which `next` need not lead to where a handler calls the guard itself.
 */
const reportTooLate = ({ config, source }: GuardedNodeRequest): void =>
  config.logger.error(new AuthError(TOO_LATE), source)

const TOO_LATE =
  'A guard refused a request that was answered already, perhaps with what it should guard. Put the guard before the handler: ' +
  'app.get(path, requireAuth(config), handler).'

/**
 * The targets for which a rule must hold before the routes behind a guard may run: path and query, the path in each way
 * that they may read it. The first is the target that was asked for.
 *
 * @throws {RequestRefused} 400 when a rule and a route could read the target differently
 */
function routedTargets(req: MiddlewareRequest): readonly string[] {
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
