import type { Config } from '../config/config.js'
import { withParams } from '../context/action-urls.js'
import type { Engine } from '../engine/engine.js'
import { InvalidConfiguration } from '../errors.js'
import { NO_STORE } from '../http/no-store.js'
import { targetOf } from '../http/node-request.js'
import { writeResponse, writeWebResponse } from '../http/node-response.js'
import type { ResponseInternal } from '../http/response-internal.js'
import { RETRY_AFTER } from '../http/retry-after.js'
import { parseReturnTarget } from '../http/return-target.js'
import { withLogContext } from '../logger.js'
import { errorPage, refusalPage, unavailablePage } from '../pages/error.js'
import type { PageView } from '../pages/view.js'
import type { Verdict } from './guard-decision.js'
import { callErrorHandler, type MiddlewareRequest, type MiddlewareResponse, type NextFunction } from './middleware.js'
import { originOf } from './public-origin.js'

/** A request that does not pass. */
interface Refused {
  readonly req: MiddlewareRequest
  readonly res: MiddlewareResponse
  readonly engine: Engine
  /** As {@link RequireAuthOptions.signInUrl}. */
  readonly signInUrl: string | undefined
  readonly next: NextFunction
}

/** Answers a request that does not pass. A failure to make the page goes to the error handler. */
export function answerVerdict(verdict: Exclude<Verdict, 'pass'>, refused: Refused): void | Promise<void> {
  const { res, next } = refused
  if (verdict === 'refuse') return refuse(refused)
  if (verdict === 'fault') return unavailable(refused)
  if (verdict instanceof Response) return writeWebResponse(res, verdict).catch((error) => callErrorHandler(next, error))
  const { status, message } = verdict
  return answerBoth(refused, { json: jsonAnswer(status, message), view: refusalPage({ status, signInUrl: null }) })
}

/** A person gets a page with a way back to the same address, and a script gets JSON. */
function unavailable(refused: Refused): void | Promise<void> {
  const { req, engine } = refused
  const origin = originOf(req, engine.config)
  // A submitted form cannot be sent again by a link.
  const url = origin !== null && isRead(req) ? parseReturnTarget(targetOf(req), origin) : null
  const { headers, ...json } = jsonAnswer(503, 'We cannot check right now whether you are signed in.')
  const answer = {
    json: { ...json, headers: { ...headers, ...RETRY_AFTER } },
    view: unavailablePage({ url: url?.href ?? null }),
  }
  return answerBoth(refused, answer)
}

/** One answer for a person, who gets a page, and for a script. */
interface Answers {
  readonly json: ResponseInternal
  readonly view: PageView
}

function answerBoth({ req, res, engine, next }: Refused, { json, view }: Answers): void | Promise<void> {
  if (!isNavigation(req)) return writeResponse(res, json, req.method === 'HEAD')
  return showPage(req, res, engine.config, view).catch((error) => callErrorHandler(next, error))
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

/** A person is sent to sign in, and a script gets 401. */
function refuse(refused: Refused): void | Promise<void> {
  const { req, res, engine, signInUrl } = refused
  const isHead = req.method === 'HEAD'
  const origin = originOf(req, engine.config)
  if (!isNavigation(req) || origin === null) {
    writeResponse(res, jsonAnswer(401, 'Sign in first.'), isHead)
    return
  }
  const { pages, basePath, logger } = engine.config
  const target = parseReturnTarget(targetOf(req), origin)
  // A submitted form cannot be sent again after signing in; its address may not even answer to GET.
  const mayComeBack = isRead(req)
  const callbackUrl = mayComeBack ? (target?.href ?? origin) : origin
  const signIn = signInUrl ?? pages.signIn ?? `${basePath}/signin`
  if (mayComeBack && target !== null && isPage(target, new URL(signIn, origin))) {
    withLogContext(req, () => logger.error(new InvalidConfiguration(BEHIND_ITSELF)))
    const view = errorPage({ error: 'Configuration', signInUrl: null })
    return answerBoth(refused, { json: jsonAnswer(500, 'The sign-in page cannot be shown.'), view })
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
