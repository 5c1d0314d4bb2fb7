import type { Engine } from '../../engine/engine.js'
import { toResponse } from '../../kernel/answer.js'
import type { CookieChange } from '../../kernel/cookies.js'
import { requestForCallback } from '../../kernel/incoming.js'
import { object } from '../../kernel/object-shape.js'
import { pathReadings, withoutTrailingSlash } from '../../kernel/path-readings.js'
import { flag } from '../../kernel/shape.js'
import { checkCallOptions } from '../../sessions/check-call-options.js'
import { type CurrentSession, readingForScope } from '../../sessions/session.js'
import { answerVerdict, secondFactorPageOf } from './guard-answers.js'
import { decide, type GuardedRequest, rulesOf, SESSION_RULES, type SessionRules } from './guard-decision.js'
import { appendCookies, forVisitorAlone } from './headers.js'
import { isServedAt, type WebRequest, type WebRequestFacts, webContext, webOrigin, webTargetOf } from './web-request.js'

/** A session, and the cookies that must be set with the answer. */
export interface SessionAnswer {
  /** Null when nobody is signed in. */
  readonly session: CurrentSession | null
  readonly cookies: readonly CookieChange[]
}

/** What a guard decided about a request. */
export interface GuardAnswer extends SessionAnswer {
  /** The answer in place of that of the route, with its cookies; null when the request passes. */
  readonly response: Response | null
}

/** Where a guard stands, and what it may do. */
export interface GuardOptions extends SessionRules<WebRequest> {
  /**
   * Whether the guard stands before every page, as the middleware of some frameworks does, and not before routes that
   * somebody chose. Then everybody passes if the application has no `authorized` callback, and everybody gets to the
   * mount and to the page of `pages.signIn`, so that visitors can sign in. False by default.
   */
  readonly everywhere?: boolean
  /** Whether the session is renewed when it is time. False for code that cannot set a cookie. True by default. */
  readonly renews?: boolean
}

const GUARD_OPTIONS = object<GuardOptions>({
  ...SESSION_RULES,
  everywhere: flag,
  renews: flag,
})

/** Stands in requests for the `authorized` callback when the public origin is not known. */
const NO_ORIGIN = 'http://localhost'

/** A request, and the engine of its configuration. */
export interface RequestSettings {
  readonly engine: Engine
  readonly request: WebRequest
  readonly facts: WebRequestFacts
  readonly foldsCase: boolean
}

/** Decides whether a request passes, and makes the answer to one that does not: `guard` of `RequestAuth`. */
export async function guard(settings: RequestSettings, options: GuardOptions): Promise<GuardAnswer> {
  const { engine, request, facts, foldsCase } = settings
  const { config } = engine
  checkCallOptions(options, GUARD_OPTIONS, 'guard(options)')
  const { everywhere = false, renews = true } = options
  const rules = rulesOf(options)
  if (rules.factors !== undefined) secondFactorPageOf(config)
  let found: SessionAnswer = { session: null, cookies: [] }
  const target = webTargetOf(request)
  const [path = ''] = target.split('?', 1)
  const method = request.method ?? 'GET'
  const { toRequest = (plain) => plain, routedAs = path } = facts
  const paths = [...new Set([path, routedAs])]
  const lookUp = async () => {
    const context = webContext(request, facts, config)
    const reading = await (renews ? engine.renewSession(context) : engine.readSession(context))
    const lookup = readingForScope(reading, rules.scope)
    found = { session: lookup.session, cookies: lookup.cookies }
    return lookup
  }
  const isMount = everywhere && paths.every((each) => isServedAt(each, config.basePath))
  const guarded: GuardedRequest<WebRequest> = {
    config,
    rules: isMount ? rulesOf({}) : rules,
    everybodyPasses: isMount || (everywhere && config.callbacks.authorized === null),
    source: request,
    method,
    target,
    get origin() {
      return webOrigin(request, facts, config)
    },
    get session() {
      return found.session
    },
    header: (name) => request.headers.get(name) ?? undefined,
    readings() {
      const incoming = { method, headers: () => new Headers(request.headers) }
      const query = target.slice(path.length)
      const readings = paths.flatMap((each) => pathReadings(each, { foldsCase }))
      return readings.map((reading) =>
        toRequest(requestForCallback({ ...incoming, target: reading + query }, guarded.origin ?? NO_ORIGIN)),
      )
    },
  }
  const verdict = await decide(guarded, lookUp())
  const needsAnotherSession = typeof verdict === 'string' && verdict !== 'fault' && verdict !== 'out-of-scope'
  const isSignInPage = everywhere && paths.every((each) => isSamePage(each, config.pages.signIn))
  if (needsAnotherSession && isSignInPage) return { ...found, response: null }
  if (verdict === 'pass') return { ...found, response: null }
  const response = verdict instanceof Response ? verdict : toResponse(await answerVerdict(verdict, guarded))
  return { ...found, response: forVisitorAlone(appendCookies(response, found.cookies)) }
}

/**
 * Whether a path is that of a configured page. A framework may add or remove the slash at its end, as Next.js does with
 * `trailingSlash`: visitors would be sent to the sign-in page again and again.
 */
const isSamePage = (path: string, page: string | null | undefined): boolean =>
  typeof page === 'string' && withoutTrailingSlash(path) === withoutTrailingSlash(page)
