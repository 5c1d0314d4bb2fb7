import type { ResponseInternal } from '../../kernel/answer.js'
import { NO_STORE, RETRY_AFTER } from '../../kernel/answer-headers.js'
import { type MaybePromise, whenReady } from '../../kernel/awaitable.js'
import { bearerChallenge, CHALLENGE, comesWithBearer } from '../../kernel/bearer-token.js'
import { isSafeMethod } from '../../kernel/csrf.js'
import { publishRefusal } from '../../kernel/diagnostics.js'
import { InvalidConfiguration } from '../../kernel/errors.js'
import { parseCookies } from '../../kernel/request-cookies.js'
import { parseReturnTarget } from '../../kernel/return-target.js'
import { ACTING_ENDED, signInPageUrl, withParams } from '../../pages/action-urls.js'
import { errorPage, forbiddenPage, refusalPage, unavailablePage } from '../../pages/error.js'
import type { Banner, PageView } from '../../pages/view.js'
import { refusedWhileActing } from '../../sessions/may-be-used.js'
import { type Config, SECOND_FACTOR_PAGE } from '../../sign-in/config.js'
import { pointsIn } from '../../sign-in/feature.js'
import { homeOf } from '../../sign-in/find-return-target.js'
import { acceptLanguageOf } from '../../sign-in/language.js'
import { SIGN_IN_AGAIN } from '../../sign-in/leading-to-sign-in.js'
import { type GuardedRequest, isLack, type Lack, type Verdict } from './guard-decision.js'

/** A verdict for which the guard makes the answer. */
type Stop = Exclude<Verdict, 'pass' | Response>

/** The answer to a request that does not pass: for a person a redirect or a page, for a script JSON. */
export function answerVerdict(given: Stop, stopped: GuardedRequest): MaybePromise<ResponseInternal> {
  publishRefusal(typeof given === 'string' ? given : 'refused')
  // Whoever acts as a user has nothing with which to prove that they are the user.
  const verdict = asksForProof(given) && stopped.session?.act ? refusedWhileActing() : given
  const answer = answerOf(verdict, stopped)
  return stopped.config.acceptsBearer || isLack(verdict)
    ? whenReady(answer, (made) => forPrograms(made, verdict, stopped))
    : answer
}

function answerOf(verdict: Stop, stopped: GuardedRequest): MaybePromise<ResponseInternal> {
  if (asksForProof(verdict)) return deny(verdict, stopped)
  if (verdict === 'out-of-scope') return jsonAnswer(403, 'This token does not allow that.')
  if (verdict === 'forbid') return forbid(stopped)
  if (verdict === 'fault') return unavailable(stopped)
  const { status, message, conflict } = verdict
  const { origin, config } = stopped
  const stopUrl = origin === null ? null : `${origin}${config.basePath}/act-as`
  return answerBoth(
    stopped,
    jsonAnswer(status, message),
    refusalPage({ status, conflict, signInUrl: null, stopUrl, homeUrl: homeFor(stopped) }),
  )
}

const asksForProof = (verdict: Stop): verdict is 'deny' | Lack => verdict === 'deny' || isLack(verdict)

/** The answer where bearer tokens are accepted, or a session lacks something: it depends on them, and says what is wrong. */
function forPrograms(answer: ResponseInternal, verdict: Stop, stopped: GuardedRequest): ResponseInternal {
  const headers = new Headers(answer.headers)
  if (stopped.config.acceptsBearer) headers.set('vary', `${NO_STORE.vary}, Authorization`)
  const challenge = challengeOf(verdict, stopped)
  if (challenge !== null && answer.redirect === undefined && (answer.status ?? 200) < 500)
    headers.set('www-authenticate', challenge)
  return { ...answer, headers: Object.fromEntries(headers) }
}

/**
 * Value of the header `WWW-Authenticate` for a request that does not pass; null if no token would help.
 *
 * @see RFC 6750 §3.1, and RFC 9470 §3 for what a session lacks
 */
function challengeOf(verdict: Stop, stopped: GuardedRequest): string | null {
  const { scope, acr, maxAuthAge } = stopped.rules
  if (verdict === 'deny') return bearerChallenge(stopped)
  if (isLack(verdict)) {
    // No value has a quotation mark or a backslash. Of factors, no parameter tells.
    const demands = [
      'error="insufficient_user_authentication"',
      verdict === 'one-factor' ? `error_description="${LACKS['one-factor']}"` : '',
      acr === null ? '' : `acr_values="${acr.join(' ')}"`,
      maxAuthAge === Number.POSITIVE_INFINITY ? '' : `max_age="${maxAuthAge}"`,
    ]
    return `${CHALLENGE}, ${demands.filter(Boolean).join(', ')}`
  }
  if (verdict !== 'out-of-scope') return null
  // No scope has a quotation mark or a backslash, so it can stand in quotation marks as it is.
  return bearerChallenge(stopped, `error="insufficient_scope"${scope === undefined ? '' : `, scope="${scope}"`}`)
}

/** The link to the start of the application; null if the public origin is not known. */
const homeFor = ({ config, origin }: GuardedRequest) => (origin === null ? null : homeOf(config, origin))

/** A person gets a page with a way back to the same address, and a script gets JSON. */
function unavailable(stopped: GuardedRequest): MaybePromise<ResponseInternal> {
  const { origin, target } = stopped
  // A submitted form cannot be sent again by a link.
  const url = origin !== null && isSafeMethod(stopped) ? parseReturnTarget(target, origin) : null
  const { headers, ...json } = jsonAnswer(503, 'We cannot check right now whether you are signed in.')
  return answerBoth(
    stopped,
    { ...json, headers: { ...headers, ...RETRY_AFTER } },
    unavailablePage({ url: url?.href ?? null, homeUrl: homeFor(stopped) }),
  )
}

/** One answer for a script, and for a person, who gets a page. */
const answerBoth = (stopped: GuardedRequest, json: ResponseInternal, view: PageView) =>
  isNavigation(stopped) ? pageAnswer(stopped, view) : json

async function pageAnswer(
  stopped: GuardedRequest,
  view: PageView,
  ofSession = bannerOf(stopped),
): Promise<ResponseInternal> {
  const banner = await ofSession
  const shown = banner ? { ...view, banner } : view
  const { html, byteLength, headers } = await stopped.config.renderer.render(shown, acceptLanguageOf(stopped))
  return { status: view.status, headers, body: html, byteLength }
}

/**
 * A person who is signed in and may not do this is not sent to the sign-in page: they would come back and be sent there
 * again.
 */
async function forbid(stopped: GuardedRequest): Promise<ResponseInternal> {
  if (!isNavigation(stopped)) return jsonAnswer(403, 'Your account may not do this.')
  const otherAccountUrl = stopped.origin === null ? null : otherAccountUrlOf(stopped, stopped.origin)
  const banner = bannerOf(stopped)
  const stop = (await banner)?.link ?? null
  return pageAnswer(stopped, forbiddenPage({ stop, otherAccountUrl, homeUrl: homeFor(stopped) }), banner)
}

/** Says as whom an administrator acts, and leads to where they stop; null for everybody else. */
const bannerOf = async ({ config, origin, session }: GuardedRequest): Promise<Banner | null> =>
  (session && (await pointsIn(config).banner?.(session, `${origin}${config.basePath}`))) ?? null

/** What a script is told. */
const LACKS: Readonly<Record<'deny' | Lack, string>> = {
  deny: 'Sign in first.',
  outdated: 'Sign in first.',
  'one-factor': 'Show a second factor first.',
  weak: 'Sign in first in a stronger way.',
}

/**
 * A person is sent to sign in, and is told why if they are signed in already, or to where a second factor is asked for; a script
 * gets 401.
 */
function deny(verdict: 'deny' | Lack, stopped: GuardedRequest): MaybePromise<ResponseInternal> {
  const { config, origin, source } = stopped
  if (!isNavigation(stopped) || origin === null) return jsonAnswer(401, LACKS[verdict])
  const page = verdict === 'one-factor' ? secondFactorPageOf(config) : signInPageOf(stopped)
  const target = parseReturnTarget(stopped.target, origin)
  if (isSafeMethod(stopped) && target !== null && isPage(target, new URL(page, origin))) {
    config.logger.error(new InvalidConfiguration(BEHIND_ITSELF), source)
    const { isDevelopment } = config
    const homeUrl = homeFor(stopped)
    return pageAnswer(stopped, errorPage({ error: 'Configuration', signInUrl: null, homeUrl, isDevelopment }))
  }
  if (verdict === 'deny' && hasActed(stopped, origin)) {
    const home = signInPageUrl(page, homeOf(config, origin), origin)
    return { status: 302, redirect: withParams(home, ACTING_ENDED, origin) }
  }
  const url = leadingBack(page, stopped, origin)
  if (verdict === 'one-factor') return { status: 302, redirect: url }
  const acr_values = stopped.rules.acr?.join(' ')
  const reason = verdict === 'deny' ? {} : SIGN_IN_AGAIN
  return { status: 302, redirect: withParams(url, { ...reason, acr_values }, origin) }
}

/** Whether nobody is signed in because an administrator acted as a user until now. */
function hasActed(stopped: GuardedRequest, origin: string): boolean {
  const header = (name: string) => stopped.header(name)
  const request = { cookies: parseCookies(header('cookie')), header }
  return stopped.config.schemeFor(origin).sessions.acting?.isBrought(request) ?? false
}

const signInPageOf = ({ config: { pages, basePath }, rules }: GuardedRequest) =>
  rules.signInUrl ?? pages.signIn ?? `${basePath}/signin`

/**
 * The page that asks for a second factor.
 *
 * @throws {InvalidConfiguration} when nothing asks for one
 */
export function secondFactorPageOf({ services, basePath }: Pick<Config, 'services' | 'basePath'>): string {
  const page = services.get(SECOND_FACTOR_PAGE)
  if (page === undefined) throw new InvalidConfiguration(ASKS_FOR_NONE)
  return `${basePath}/${page.path}`
}

const ASKS_FOR_NONE =
  'A guard demands `factors: 2`, and nothing asks for a second factor. Set `secondFactor` in the configuration.'

/** A page to sign in at, or to show a second factor at, which leads back to the request. */
function leadingBack(page: string, stopped: GuardedRequest, origin: string): string {
  // A submitted form cannot be sent again after signing in; its address may not even serve GET.
  const target = isSafeMethod(stopped) ? parseReturnTarget(stopped.target, origin) : null
  return signInPageUrl(page, target?.href ?? homeOf(stopped.config, origin), origin)
}

/**
 * The sign-out page, which leads to the sign-in page and from there back to the request. A sign-in at a provider by somebody
 * who is signed in would add the other account to their user, and not change who is signed in.
 */
function otherAccountUrlOf(stopped: GuardedRequest, origin: string): string {
  const { pages, basePath } = stopped.config
  const callbackUrl = leadingBack(signInPageOf(stopped), stopped, origin)
  return new URL(withParams(pages.signOut ?? `${basePath}/signout`, { callbackUrl }, origin), origin).href
}

const BEHIND_ITSELF =
  'The sign-in page, or the page that asks for a second factor, stands behind the guard that sends visitors to it, so that nobody sees it. Mount expressAuth, or the handler of your framework, and the routes of ' +
  '`pages.signIn` and `signInUrl` before the guard; or let the `authorized` callback pass their paths.'

/** Whether a request is for a page, which may have a query of its own. */
export const isPage = (target: URL, page: URL): boolean =>
  target.origin === page.origin &&
  target.pathname === page.pathname &&
  [...page.searchParams].every(([name, value]) => target.searchParams.getAll(name).includes(value))

const jsonAnswer = (status: number, message: string) => ({
  status,
  headers: { 'content-type': 'application/json', 'cache-control': NO_STORE['cache-control'] },
  body: JSON.stringify({ message }),
})

/** Whether a person looks at the answer, rather than a script. */
function isNavigation(stopped: GuardedRequest): boolean {
  if (comesWithBearer(stopped)) return false
  const mode = stopped.header('sec-fetch-mode')
  if (mode !== undefined) return mode === 'navigate'
  return stopped.header('x-requested-with') === undefined && (stopped.header('accept')?.includes('text/html') ?? false)
}
