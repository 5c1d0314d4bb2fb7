import { withParams } from '../actions/urls.js'
import type { ConfigSource } from '../config/options.js'
import type { Engine } from '../engine/engine.js'
import { AuthError, RequestRefused, withoutDetails } from '../errors.js'
import { parseCallbackUrl } from '../http/callback-url.js'
import { requestForCallback } from '../http/incoming.js'
import { incomingFromNode, targetOf } from '../http/node-request.js'
import { writeResponse, writeWebResponse } from '../http/node-response.js'
import { attachSession, checkNow } from './auth-session.js'
import { engineOf } from './get-session.js'
import {
  failTo,
  type Middleware,
  type MiddlewareRequest,
  type MiddlewareResponse,
  type NextFunction,
  originOf,
} from './place.js'
import { isRecent } from './recent-auth.js'

/** How a guard answers. */
export interface RequireAuthOptions {
  /**
   * Where a browser is sent to sign in: a path or URL; by default `pages.signIn`, else the built-in page under `basePath`. It gets
   * the return target as `callbackUrl`.
   */
  signInUrl?: string
  /**
   * Seconds since the visitor last proved who they are, at most; by default any time will do. Whoever signed in before that is asked to do so again,
   * as for a page that changes how somebody signs in. Nobody passes whose sign-in time is not known: Auth.js began the session, or the store keeps no
   * such time.
   */
  maxAuthAge?: number
}

/**
 * A guard, and everything that {@link authSession} does: lets a request through when the `authorized` callback does, by default when
 * somebody is signed in. Otherwise a browser that navigates is sent to the sign-in page, and comes back afterwards; everything else gets
 * 401 with JSON. A fault never lets anyone in: it answers 503.
 *
 * @throws {AuthError} at once, when a configuration given as an object cannot work
 */
export function requireAuth(config: ConfigSource<MiddlewareRequest>, options: RequireAuthOptions = {}): Middleware {
  checkNow(config)
  return (req, res, next) => {
    guard(req, res, next, config, options).catch(failTo(next))
  }
}

async function guard(
  req: MiddlewareRequest,
  res: MiddlewareResponse,
  next: NextFunction,
  config: ConfigSource<MiddlewareRequest>,
  options: RequireAuthOptions,
): Promise<void> {
  const source = await engineOf(req, config)
  const verdict = await judge(req, res, source, options)
  if (verdict === 'pass') return next()
  if (verdict === 'fault') return unavailable(res, req)
  if (verdict instanceof RequestRefused) {
    return writeResponse(res, jsonAnswer(verdict.status, verdict.message), req.method === 'HEAD')
  }
  if (verdict instanceof Response) return writeWebResponse(res, verdict)
  return refuse(req, res, source, options)
}

/** Decides. Whatever throws on the way is a fault, never a pass. */
async function judge(
  req: MiddlewareRequest,
  res: MiddlewareResponse,
  engine: Engine,
  { maxAuthAge = Number.POSITIVE_INFINITY }: RequireAuthOptions,
): Promise<'pass' | 'refuse' | 'fault' | RequestRefused | Response> {
  try {
    const lookup = await attachSession(req, res, engine)
    const { callbacks, now } = engine.config
    if (!isRecent(lookup, maxAuthAge, now())) return 'refuse'
    const { session: auth } = lookup
    const { authorized } = callbacks
    if (authorized === null) return auth ? 'pass' : 'refuse'
    refuseAmbiguousPath(req)
    const request = requestForCallback(incomingFromNode(req), originOf(req, engine.config) ?? 'http://localhost')
    const verdict = await authorized({ auth, request })
    return verdict instanceof Response ? verdict : verdict === true ? 'pass' : 'refuse'
  } catch (error) {
    if (error instanceof RequestRefused) return error
    engine.config.logger.error(
      error instanceof AuthError
        ? error
        : new AuthError('The authorized callback threw.', { err: withoutDetails(error) }),
    )
    return 'fault'
  }
}

/**
 * A URL resolves `..` and turns backslashes, and Express does neither: the `authorized` callback would judge another path than
 * that of the route which runs. Browsers resolve them before they ask.
 */
function refuseAmbiguousPath(req: MiddlewareRequest): void {
  const [path = '/'] = targetOf(req).split('?', 1)
  if (/\\|\/(?:\.|%2e){1,2}(?:\/|$)/i.test(path)) {
    throw new RequestRefused(400, 'The path has a dot segment or a backslash.')
  }
}

function unavailable(res: MiddlewareResponse, req: MiddlewareRequest): void {
  writeResponse(res, jsonAnswer(503, 'It cannot be told right now whether you are signed in.'), req.method === 'HEAD')
}

function refuse(req: MiddlewareRequest, res: MiddlewareResponse, engine: Engine, options: RequireAuthOptions): void {
  const isHead = req.method === 'HEAD'
  const origin = originOf(req, engine.config)
  if (!isNavigation(req) || origin === null) {
    writeResponse(res, jsonAnswer(401, 'Sign in first.'), isHead)
    return
  }
  const { pages, basePath } = engine.config
  const target = parseCallbackUrl(targetOf(req), origin)
  // A submitted form cannot be sent again after signing in; its address may not even answer to GET.
  const callbackUrl = req.method === 'GET' || isHead ? (target?.href ?? origin) : origin
  const signIn = options.signInUrl ?? pages.signIn ?? `${basePath}/signin`
  const redirect = new URL(withParams(signIn, { callbackUrl }, origin), origin).href
  writeResponse(res, { status: 302, redirect }, isHead)
}

const jsonAnswer = (status: number, message: string) => ({
  status,
  headers: { 'content-type': 'application/json', 'cache-control': 'private, no-cache, no-store' },
  body: JSON.stringify({ message }),
})

/** Whether a person looks at the answer, rather than a script. */
function isNavigation(req: MiddlewareRequest): boolean {
  const mode = req.headers['sec-fetch-mode']
  if (mode !== undefined) return mode === 'navigate'
  return req.headers['x-requested-with'] === undefined && (req.headers.accept?.includes('text/html') ?? false)
}
