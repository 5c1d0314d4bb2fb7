import type { Engine } from '../../engine/engine.js'
import type { MaybePromise } from '../../kernel/awaitable.js'
import { AuthError, RequestRefused } from '../../kernel/errors.js'
import { requestForCallback } from '../../kernel/incoming.js'
import { headerOf, incomingFromNode, targetOf } from '../../kernel/node-request.js'
import { writeResponse, writeWebResponse } from '../../kernel/node-response.js'
import { pathReadings } from '../../kernel/path-readings.js'
import type { CurrentReading } from '../../sessions/session.js'
import type { Config } from '../../sign-in/config.js'
import { answerVerdict } from '../web/guard-answers.js'
import { type CheckRules, decide, type GuardedRequest, type SessionRules, type Verdict } from '../web/guard-decision.js'
import { callErrorHandler, type MiddlewareRequest, type MiddlewareResponse, type NextFunction } from './middleware.js'
import { originOf } from './public-origin.js'
import { attachForScope, attachSession } from './request-session.js'

/** Whom a guard lets pass, as its options say. */
export interface GuardRules {
  /** The most seconds that may have passed since the last sign-in of the visitor. */
  readonly maxAuthAge: number
  /** As {@link SessionRules.scope}. */
  readonly scope: string | undefined
  /** The rules of the guard beside the scope; null if it has none. */
  readonly checkRules: CheckRules<MiddlewareRequest> | null
  /** As {@link RequireAuthOptions.signInUrl}. */
  readonly signInUrl: string | undefined
}

/** Attaches the session of a request, and decides whether the request passes, as {@link decide} does. */
export function decideAtGuard(
  req: MiddlewareRequest,
  res: MiddlewareResponse,
  engine: Engine,
  rules: GuardRules,
): MaybePromise<Verdict> {
  const guarded = new NodeGuardedRequest(req, engine.config, rules)
  let lookup: MaybePromise<CurrentReading>
  try {
    // Only bearer tokens have a scope.
    lookup = engine.config.acceptsBearer
      ? attachForScope(req, res, engine, rules.scope)
      : attachSession(req, res, engine)
  } catch (error) {
    lookup = Promise.reject(error)
  }
  return decide(guarded, lookup)
}

/** A class, so that one is made for each request at little cost. */
class NodeGuardedRequest implements GuardedRequest {
  readonly config: Config
  readonly maxAuthAge: number
  readonly checkRules: GuardedRequest['checkRules']
  readonly source: MiddlewareRequest

  constructor(req: MiddlewareRequest, config: Config, { maxAuthAge, checkRules }: GuardRules) {
    this.config = config
    this.maxAuthAge = maxAuthAge
    this.checkRules = checkRules && ((session) => checkRules(session, req))
    this.source = req
  }

  header(name: string): string | undefined {
    return headerOf(this.source, name)
  }

  readings(): readonly Request[] {
    const origin = originOf(this.source, this.config) ?? 'http://localhost'
    // Without `strippedPrefix`: `authorized` gets the path that the routes match.
    const incoming = incomingFromNode(this.source)
    return routedTargets(this.source).map((target) => requestForCallback({ ...incoming, target }, origin))
  }
}

/** A request that does not pass, with what its answer needs. */
interface StoppedAtGuard {
  readonly req: MiddlewareRequest
  readonly res: MiddlewareResponse
  readonly engine: Engine
  readonly rules: GuardRules
  readonly next: NextFunction
}

/** Answers a request that does not pass. A failure to make the page goes to the error handler. */
export function answerAtGuard(verdict: Exclude<Verdict, 'pass'>, stopped: StoppedAtGuard): void {
  const { res, next } = stopped
  if (verdict instanceof Response && res.headersSent) {
    reportTooLate(stopped)
    return
  }
  const written = verdict instanceof Response ? writeWebResponse(res, verdict) : writeAnswer(verdict, stopped)
  written.catch((error: unknown) => callErrorHandler(next, error))
}

async function writeAnswer(
  verdict: Exclude<Verdict, 'pass' | Response>,
  stoppedAtGuard: StoppedAtGuard,
): Promise<void> {
  const { req, res, engine, rules } = stoppedAtGuard
  const { config } = engine
  const origin = originOf(req, config)
  const method = req.method ?? 'GET'
  const stopped = {
    source: req,
    config,
    method,
    target: config.strippedPrefix + targetOf(req),
    origin,
    signInUrl: rules.signInUrl,
    scope: rules.scope,
    maxAuthAge: rules.maxAuthAge,
    header: (name: string) => headerOf(req, name),
  }
  const answer = await answerVerdict(verdict, stopped)
  if (res.headersSent) reportTooLate(stoppedAtGuard)
  else writeResponse(res, answer, method === 'HEAD')
}

/**
 * The request did not pass, and has an answer already: the code behind the guard may not have waited. The log is told and not
 * the error handler, which `next` need not lead to where a handler calls the guard itself.
 */
function reportTooLate({ req, engine: { config } }: StoppedAtGuard): void {
  config.logger.error(new AuthError(TOO_LATE), req)
}

const TOO_LATE =
  'A guard refused a request that was answered already, perhaps with what it should guard. Put the guard before the handler: ' +
  'app.get(path, requireAuth(config), handler).'

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
