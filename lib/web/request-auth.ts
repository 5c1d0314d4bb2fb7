import { checkCallOptions } from '../config/check-call-options.js'
import { withParams } from '../context/action-urls.js'
import { checkSender } from '../context/csrf-token.js'
import type { Redirection } from '../context/outcome.js'
import type { Engine } from '../engine/engine.js'
import { RequestRefused } from '../errors.js'
import type { BodyFields } from '../http/body.js'
import type { CookieChange } from '../http/cookies.js'
import { requestForCallback } from '../http/incoming.js'
import { pathReadings, withoutTrailingSlash } from '../http/path-readings.js'
import { toResponse } from '../http/response-internal.js'
import { parseReturnTarget } from '../http/return-target.js'
import { withLogContext } from '../logger.js'
import type { Session } from '../sessions/session.js'
import { object } from '../shapes/object-shape.js'
import { flag, secondsLimit } from '../shapes/shape.js'
import { answerVerdict } from './guard-answers.js'
import { decide, type GuardedRequest } from './guard-decision.js'
import { isServedAt } from './mount-paths.js'
import { appendCookies, forVisitorAlone } from './response-cookies.js'
import { checkOfRules, SESSION_RULES, type SessionRules } from './session-rules.js'
import {
  formRequest,
  type WebRequest,
  type WebRequestFacts,
  webContext,
  webOrigin,
  webTargetOf,
} from './web-request.js'

/** A session, and the cookies that must be set with the answer. */
export interface SessionAnswer {
  /** Null when nobody is signed in. */
  readonly session: Session | null
  readonly cookies: readonly CookieChange[]
}

/** What a guard decided about a request. */
export interface GuardAnswer extends SessionAnswer {
  /** The answer in place of that of the route, with its cookies; null when the request passes. */
  readonly response: Response | null
}

/** Parameters of the authorization request, beside those of the provider's configuration. */
export type AuthorizationParams = string | string[][] | Readonly<Record<string, string>> | URLSearchParams

/** How a sign-in by code begins. */
export interface SignInRequest {
  /** Id of the provider; without one the visitor is sent to the sign-in page. */
  readonly provider?: string | undefined
  /** What the form of the provider holds: `email`, or what `authorize` is given. */
  readonly fields?: BodyFields
  /** Where the visitor goes in the end: a path or URL; by default the page that the request came from, else `/`. */
  readonly redirectTo?: string | undefined
  readonly authorizationParams?: AuthorizationParams | undefined
}

/** Where a guard stands, and what it may do. */
export interface GuardOptions extends SessionRules<WebRequest> {
  /**
   * Whether the guard stands before every page, as the middleware of some frameworks does, and not before routes that
   * somebody chose. Then everybody passes if the application has no `authorized` callback; and to the mount and the page
   * of `pages.signIn`, so that visitors can sign in. False by default.
   */
  readonly everywhere?: boolean
  /** Whether the session is renewed when it is time. False for code that cannot set a cookie. True by default. */
  readonly renews?: boolean
  /** Seconds since the visitor last proved who they are, at most; any time will do without it, and with `Infinity`. */
  readonly maxAuthAge?: number
}

const GUARD_OPTIONS = object<GuardOptions>({
  ...SESSION_RULES,
  everywhere: flag,
  renews: flag,
  maxAuthAge: secondsLimit(1),
})

/** What code of the application does on behalf of one request. */
export interface RequestAuth {
  /**
   * The session, without renewing it: for code that cannot set a cookie.
   *
   * @throws {AuthError} when it cannot be read because of a fault; a fault never means that nobody is signed in
   */
  getSession(): Promise<Session | null>
  /** The session, renewed when it is time. The cookies must be set. It throws as {@link getSession}. */
  renewSession(): Promise<SessionAnswer>
  /**
   * Changes the session: `data` reaches the callbacks as that of a client's update does. It throws as
   * {@link getSession}.
   *
   * @throws {MissingCSRF} when the request may come from another site
   */
  updateSession(data: unknown): Promise<SessionAnswer>
  /**
   * Begins a sign-in, or, with a provider of credentials, does it.
   *
   * @throws {CredentialsSignin} when `authorize` accepts nobody
   * @throws {MissingCSRF} when the request may come from another site
   * @throws {AuthError} when the sign-in fails otherwise
   */
  signIn(options: SignInRequest): Promise<Redirection>
  /**
   * Ends the session.
   *
   * @param redirectTo as {@link SignInRequest.redirectTo}
   * @throws {MissingCSRF} when the request may come from another site
   */
  signOut(redirectTo?: string): Promise<Redirection>
  /**
   * Checks that a page of this origin sent the request, as {@link signOut} does: for what a framework without a check of
   * its own runs for any form or link.
   *
   * @throws {MissingCSRF} when the request may come from another site
   * @throws {AuthError} when the public origin is not known
   */
  checkSender(): void
  /**
   * Lets the request through when the `authorized` callback does, by default when somebody is signed in; the session is
   * renewed when it is time. A fault is answered with 503.
   *
   * @throws {InvalidConfiguration} when an option is unknown or of a wrong type
   */
  guard(options?: GuardOptions): Promise<GuardAnswer>
}

/** Stands in requests for the `authorized` callback when the public origin is not known. */
const NO_ORIGIN = 'http://localhost'

interface Settings {
  readonly engine: Engine
  readonly request: WebRequest
  readonly facts: WebRequestFacts
  readonly foldsCase: boolean
}

/** What code of the application does on behalf of one request. */
export function requestAuth({ engine, request, facts, foldsCase }: Settings): RequestAuth {
  const { config } = engine
  const context = () => webContext(request, facts, config)
  const origin = () => webOrigin(request, facts, config)
  const answerOf = ({ session, cookies }: SessionAnswer): SessionAnswer => ({ session, cookies })
  const submit = (path: string, fields: BodyFields) => {
    const mount = { origin: origin(), basePath: config.basePath }
    return engine.submit(formRequest(request, facts, config.basePath + path, fields), mount)
  }
  return {
    getSession: () => withLogContext(request, async () => (await engine.readSession(context())).session),
    renewSession: () => withLogContext(request, async () => answerOf(await engine.renewSession(context()))),
    updateSession: (data) =>
      withLogContext(request, async () => {
        const visitor = context()
        checkSender({ ...visitor, header: visitor.header, config })
        return answerOf(await engine.updateSession(visitor, data))
      }),
    signIn: ({ provider, fields, redirectTo, authorizationParams }) =>
      withLogContext(request, async () => {
        const callbackUrl = redirectTo ?? refererOf(request, origin())
        const path = provider === undefined ? '/signin' : formOf(provider)
        const target = withParams(path, {}, 'http://localhost') + queryOf(authorizationParams)
        return submit(target, { ...fields, callbackUrl })
      }),
    signOut: (redirectTo) =>
      withLogContext(request, async () =>
        submit('/signout', { callbackUrl: redirectTo ?? refererOf(request, origin()) }),
      ),
    checkSender: () => withLogContext(request, () => checkSender({ ...context(), config })),
    guard: (options = {}) => withLogContext(request, () => guard(options)),
  }

  /** Where the form of a provider is posted: with credentials that is the end of the sign-in already. */
  function formOf(id: string): string {
    const configured = config.providers.get(id)
    if (!configured) throw new RequestRefused(404, `There is no provider ${JSON.stringify(id)}.`)
    const action = configured.settings.type === 'credentials' ? 'callback' : 'signin'
    return `/${action}/${encodeURIComponent(id)}`
  }

  async function guard(options: GuardOptions): Promise<GuardAnswer> {
    checkCallOptions(options, GUARD_OPTIONS, 'guard(options)')
    const { everywhere = false, renews = true, maxAuthAge = Number.POSITIVE_INFINITY } = options
    let found: SessionAnswer = { session: null, cookies: [] }
    const target = webTargetOf(request)
    const [path = ''] = target.split('?', 1)
    const method = request.method ?? 'GET'
    const { toRequest = (plain) => plain, routedAs } = facts
    const routedTargets = routedAs === undefined || routedAs === path ? [] : [routedAs + target.slice(path.length)]
    const lookUp = async () => {
      const lookup = await (renews ? engine.renewSession(context()) : engine.readSession(context()))
      found = answerOf(lookup)
      return lookup
    }
    const isMount = everywhere && isServedAt(path, config.basePath)
    const check = isMount ? null : checkOfRules(options)
    const guarded: GuardedRequest = {
      config,
      maxAuthAge,
      everybodyPasses: isMount || (everywhere && config.callbacks.authorized === null),
      checkRules: check && ((session) => check(session, request)),
      readings: () => {
        const incoming = { method, headers: () => new Headers(request.headers) }
        const readings = [target, ...routedTargets].flatMap((each) => readingsOf(each, foldsCase))
        return readings.map((reading) =>
          toRequest(requestForCallback({ ...incoming, target: reading }, origin() ?? NO_ORIGIN)),
        )
      },
    }
    const verdict = await decide(guarded, lookUp())
    const needsAnotherSession = verdict === 'deny' || verdict === 'forbid'
    if (needsAnotherSession && everywhere && isSamePage(path, config.pages.signIn)) return { ...found, response: null }
    if (verdict === 'pass') return { ...found, response: null }
    const response =
      verdict instanceof Response
        ? verdict
        : toResponse(
            await answerVerdict(verdict, {
              config,
              method,
              target,
              origin: origin(),
              signInUrl: undefined,
              header: (name) => request.headers.get(name) ?? undefined,
            }),
          )
    return { ...found, response: forVisitorAlone(appendCookies(response, found.cookies)) }
  }
}

/** The target in each way in which routes may read its path. */
function readingsOf(target: string, foldsCase: boolean): readonly string[] {
  const at = target.indexOf('?')
  const [path, query] = at < 0 ? [target, ''] : [target.slice(0, at), target.slice(at)]
  return pathReadings(path, { foldsCase }).map((reading) => reading + query)
}

/**
 * Whether a path is that of a configured page. A framework may add or remove the slash at its end, as Next.js does with
 * `trailingSlash`: visitors would be sent to the sign-in page again and again.
 */
const isSamePage = (path: string, page: string | null | undefined): boolean =>
  typeof page === 'string' && withoutTrailingSlash(path) === withoutTrailingSlash(page)

/** The page of this origin that the request came from; `/` where there is none. */
function refererOf({ headers }: WebRequest, origin: string | null): string {
  const referer = origin === null ? null : parseReturnTarget(headers.get('referer'), origin)
  return referer?.href ?? '/'
}

function queryOf(params: AuthorizationParams | undefined): string {
  const query = new URLSearchParams(params as ConstructorParameters<typeof URLSearchParams>[0]).toString()
  return query === '' ? '' : `?${query}`
}
