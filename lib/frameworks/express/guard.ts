import type { Engine } from '../../engine/engine.js'
import type { MaybePromise } from '../../kernel/awaitable.js'
import { AuthError } from '../../kernel/errors.js'
import { requestForCallback } from '../../kernel/incoming.js'
import { headerOf, incomingFromNode, targetOf } from '../../kernel/node-request.js'
import { writeResponse, writeWebResponse } from '../../kernel/node-response.js'
import type { CurrentReading } from '../../sessions/current-session.js'
import type { Config } from '../../sign-in/config.js'
import { answerVerdict } from '../web/guard-answers.js'
import { decide, type GuardedRequest, type Verdict } from '../web/guard-decision.js'
import type { CheckRules, SessionRules } from '../web/session-rules.js'
import { callErrorHandler, type MiddlewareRequest, type MiddlewareResponse, type NextFunction } from './middleware.js'
import { originOf } from './public-origin.js'
import { attachForScope, attachSession } from './request-session.js'
import { routedTargets } from './routed-path.js'

/** Whom a guard lets pass, as its options say. */
export interface GuardRules {
  /** The most seconds that may have passed since the last sign-in of the visitor. */
  readonly maxAuthAge: number
  /** As {@link SessionRules.scope}. */
  readonly scope: string | undefined
  /** The rules of the guard beside the scope; null if it has none. */
  readonly checkRules: CheckRules<MiddlewareRequest> | null
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
interface StoppedAtGuard extends Omit<GuardRules, 'checkRules'> {
  readonly req: MiddlewareRequest
  readonly res: MiddlewareResponse
  readonly engine: Engine
  /** As {@link RequireAuthOptions.signInUrl}. */
  readonly signInUrl: string | undefined
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
  const { req, res, engine, signInUrl, scope, maxAuthAge } = stoppedAtGuard
  const { config } = engine
  const origin = originOf(req, config)
  const method = req.method ?? 'GET'
  const stopped = {
    source: req,
    config,
    method,
    target: config.strippedPrefix + targetOf(req),
    origin,
    signInUrl,
    scope,
    maxAuthAge,
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
