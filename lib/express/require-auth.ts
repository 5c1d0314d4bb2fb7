import { given, type MaybePromise, whenReady } from '../awaitable.js'
import type { Config } from '../config/config.js'
import type { ConfigSource } from '../config/options.js'
import { withParams } from '../context/action-urls.js'
import type { Engine, SessionLookup } from '../engine/engine.js'
import { AuthError, InvalidConfiguration, RequestRefused, withoutDetails } from '../errors.js'
import { parseCallbackUrl } from '../http/callback-url.js'
import { requestForCallback } from '../http/incoming.js'
import { NO_STORE } from '../http/no-store.js'
import { incomingFromNode, targetOf } from '../http/node-request.js'
import { writeResponse, writeWebResponse } from '../http/node-response.js'
import type { ResponseInternal } from '../http/response-internal.js'
import { RETRY_AFTER } from '../http/retry-after.js'
import { onBehalfOf } from '../logger.js'
import { errorPage, refusalPage, unavailablePage } from '../pages/error.js'
import type { PageView } from '../pages/view.js'
import { isRecent } from '../sessions/recent-auth.js'
import type { Session } from '../sessions/session.js'
import { object } from '../shapes/object-shape.js'
import { seconds } from '../shapes/shape.js'
import { attachSession, checkNow, dependOnVisitor } from './auth-session.js'
import { checkCallOptions, MAX_AGE, pageAddress } from './call-options.js'
import { engineOf } from './get-session.js'
import {
  failTo,
  type Middleware,
  type MiddlewareRequest,
  type MiddlewareResponse,
  type NextFunction,
  originOf,
  workThenGoOn,
} from './place.js'
import { routedTargets } from './routed-path.js'
import { warnOnce } from './warn-once.js'

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

const CALL = 'requireAuth(config)'

const OPTIONS = object<RequireAuthOptions>(
  { signInUrl: pageAddress, maxAuthAge: seconds(1, { orInfinity: true }) },
  {
    foreign: {
      maxAge: MAX_AGE,
      authorized: { message: 'is no option of a guard. It is `callbacks.authorized` of the configuration.' },
    },
  },
)

/**
 * A guard, and everything that {@link authSession} does: lets a request through when the `authorized` callback does, by default when
 * somebody is signed in. Otherwise a browser that navigates is sent to the sign-in page, and comes back afterwards; everything else gets
 * 401 with JSON. A fault never lets anyone in: it answers 503, as a page or as JSON.
 *
 * @throws {AuthError} at once, when a configuration given as an object cannot work, or an option is unknown or of a wrong type
 */
export function requireAuth(config: ConfigSource<MiddlewareRequest>, options: RequireAuthOptions = {}): Middleware {
  checkNow(config, CALL)
  checkCallOptions(options, OPTIONS, 'requireAuth(config, options)')
  const { maxAuthAge = Number.POSITIVE_INFINITY, signInUrl } = options
  return (req, res, next) => {
    const decide = () => {
      dependOnVisitor(res)
      return whenReady(engineOf(req, config, CALL), (engine) => judge(req, res, engine, maxAuthAge))
    }
    // Only what follows a verdict may call `next`.
    workThenGoOn(
      () => onBehalfOf(req, decide),
      (decision) => carryOut(decision, req, res, next, signInUrl),
      next,
    )
  }
}

type Verdict = 'pass' | 'refuse' | 'fault' | RequestRefused | Response

interface Decision {
  readonly engine: Engine
  readonly verdict: Verdict
}

function carryOut(
  { engine, verdict }: Decision,
  req: MiddlewareRequest,
  res: MiddlewareResponse,
  next: NextFunction,
  signInUrl: string | undefined,
): void | Promise<void> {
  if (verdict === 'pass') return next()
  if (verdict === 'refuse') return refuse(req, res, engine, signInUrl, next)
  if (verdict === 'fault') return unavailable(req, res, engine, next)
  if (verdict instanceof Response) return writeWebResponse(res, verdict).catch(failTo(next))
  const { status, message } = verdict
  const answer = { json: jsonAnswer(status, message), view: refusalPage({ status, signInUrl: null }) }
  return tell(req, res, engine, answer, next)
}

/** Decides. Whatever throws on the way is a fault, never a pass. */
function judge(
  req: MiddlewareRequest,
  res: MiddlewareResponse,
  engine: Engine,
  maxAuthAge: number,
): MaybePromise<Decision> {
  try {
    const lookup = attachSession(req, res, engine)
    if (lookup instanceof Promise) return judgeLater(lookup, req, engine, maxAuthAge)
    const verdict = verdictOn(lookup, req, engine, maxAuthAge)
    return verdict instanceof Promise ? decideLater(verdict, engine) : { engine, verdict }
  } catch (error) {
    return { engine, verdict: faultOf(error, engine) }
  }
}

const judgeLater = (lookup: Promise<SessionLookup>, req: MiddlewareRequest, engine: Engine, maxAuthAge: number) =>
  decideLater(
    lookup.then((lookup) => verdictOn(lookup, req, engine, maxAuthAge)),
    engine,
  )

async function decideLater(verdict: Promise<Verdict>, engine: Engine): Promise<Decision> {
  try {
    return { engine, verdict: await verdict }
  } catch (error) {
    return { engine, verdict: faultOf(error, engine) }
  }
}

function verdictOn(
  lookup: SessionLookup,
  req: MiddlewareRequest,
  engine: Engine,
  maxAuthAge: number,
): MaybePromise<Verdict> {
  const { callbacks, now } = engine.config
  if (!isRecent(lookup, maxAuthAge, now)) return 'refuse'
  const { session: auth } = lookup
  if (callbacks.authorized === null) return auth ? 'pass' : 'refuse'
  return authorize(req, engine, auth)
}

/** Asks the `authorized` callback, once for each way in which what stands behind the guard may read the path: it passes when all of them do. */
function authorize(req: MiddlewareRequest, engine: Engine, auth: Session | null): MaybePromise<Verdict> {
  const targets = routedTargets(req)
  const origin = originOf(req, engine.config) ?? 'http://localhost'
  const incoming = incomingFromNode(req)
  const ask = (target: string) => askAbout(requestForCallback({ ...incoming, target }, origin), engine, auth)
  const [first = '/', ...others] = targets
  return others.reduce<MaybePromise<Verdict>>(
    (verdict, target) => whenReady(verdict, (before) => whenReady(ask(target), (now) => both(before, now, engine))),
    ask(first),
  )
}

const askAbout = (request: Request, { config }: Engine, auth: Session | null): MaybePromise<Verdict> =>
  whenReady(given(config.callbacks.authorized?.({ auth, request })), (verdict) =>
    verdict instanceof Response ? verdict : verdict === true ? 'pass' : 'refuse',
  )

/** The verdict on two readings of one path. Where they differ, the rule may have been written for one spelling only. */
function both(before: Verdict, now: Verdict, { config }: Engine): Verdict {
  if ((before === 'pass') === (now === 'pass')) return before
  warnOnce(config, 'authorized-spelling', {
    fix: 'The authorized callback decided differently on spellings of one path that can run the same route. Compare paths in lower case, decoded.',
  })
  return before === 'pass' ? now : before
}

function faultOf(error: unknown, { config }: Engine): Verdict {
  if (error instanceof RequestRefused) return error
  config.logger.error(
    error instanceof AuthError
      ? error
      : new AuthError('The authorized callback threw.', { err: withoutDetails(error) }),
  )
  return 'fault'
}

/** Tells a person, with a way back to the same page, and a script. */
function unavailable(
  req: MiddlewareRequest,
  res: MiddlewareResponse,
  engine: Engine,
  next: NextFunction,
): void | Promise<void> {
  const origin = originOf(req, engine.config)
  // A submitted form cannot be sent again by a link.
  const url = origin !== null && isRead(req) ? parseCallbackUrl(targetOf(req), origin) : null
  const { headers, ...json } = jsonAnswer(503, 'We cannot check right now whether you are signed in.')
  const answer = {
    json: { ...json, headers: { ...headers, ...RETRY_AFTER } },
    view: unavailablePage({ url: url?.href ?? null }),
  }
  return tell(req, res, engine, answer, next)
}

/** One answer for a person, who gets a page, and for a script. */
interface Told {
  readonly json: ResponseInternal
  readonly view: PageView
}

function tell(
  req: MiddlewareRequest,
  res: MiddlewareResponse,
  { config }: Engine,
  { json, view }: Told,
  next: NextFunction,
): void | Promise<void> {
  if (!isNavigation(req)) return writeResponse(res, json, req.method === 'HEAD')
  return showPage(req, res, config, view).catch(failTo(next))
}

async function showPage(
  { method }: MiddlewareRequest,
  res: MiddlewareResponse,
  { renderer }: Config,
  view: PageView,
): Promise<void> {
  const { html, byteLength, headers } = await renderer.render(view)
  writeResponse(res, { status: view.status, headers, body: html, byteLength }, method === 'HEAD')
}

const isRead = ({ method }: MiddlewareRequest) => method === 'GET' || method === 'HEAD'

function refuse(
  req: MiddlewareRequest,
  res: MiddlewareResponse,
  engine: Engine,
  signInUrl: string | undefined,
  next: NextFunction,
): void | Promise<void> {
  const isHead = req.method === 'HEAD'
  const origin = originOf(req, engine.config)
  if (!isNavigation(req) || origin === null) {
    writeResponse(res, jsonAnswer(401, 'Sign in first.'), isHead)
    return
  }
  const { pages, basePath, logger } = engine.config
  const target = parseCallbackUrl(targetOf(req), origin)
  // A submitted form cannot be sent again after signing in; its address may not even answer to GET.
  const mayComeBack = isRead(req)
  const callbackUrl = mayComeBack ? (target?.href ?? origin) : origin
  const signIn = signInUrl ?? pages.signIn ?? `${basePath}/signin`
  if (mayComeBack && target !== null && isPage(target, new URL(signIn, origin))) {
    onBehalfOf(req, () => logger.error(new InvalidConfiguration(BEHIND_ITSELF)))
    const view = errorPage({ error: 'Configuration', signInUrl: null })
    return tell(req, res, engine, { json: jsonAnswer(500, 'The sign-in page cannot be shown.'), view }, next)
  }
  const redirect = new URL(withParams(signIn, { callbackUrl }, origin), origin).href
  writeResponse(res, { status: 302, redirect }, isHead)
}

const BEHIND_ITSELF =
  'The sign-in page stands behind the guard that sends visitors to it, so that nobody sees it. Mount expressAuth, and the routes of `pages.signIn` and ' +
  '`signInUrl`, before requireAuth; or let the `authorized` callback pass their paths.'

/** Whether a request is for a page, which may have a query of its own. */
const isPage = (target: URL, page: URL): boolean =>
  target.origin === page.origin &&
  target.pathname === page.pathname &&
  [...page.searchParams].every(([name, value]) => target.searchParams.getAll(name).includes(value))

const jsonAnswer = (status: number, message: string) => ({
  status,
  headers: { 'content-type': 'application/json', 'cache-control': NO_STORE['cache-control'] },
  body: JSON.stringify({ message }),
})

/** Whether a person looks at the answer, rather than a script. */
function isNavigation(req: MiddlewareRequest): boolean {
  const mode = req.headers['sec-fetch-mode']
  if (mode !== undefined) return mode === 'navigate'
  return req.headers['x-requested-with'] === undefined && (req.headers.accept?.includes('text/html') ?? false)
}
