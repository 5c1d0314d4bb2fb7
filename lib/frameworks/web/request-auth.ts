import type { BodyFields } from '../../kernel/body.js'
import { InvalidConfiguration } from '../../kernel/errors.js'
import { object } from '../../kernel/object-shape.js'
import type { Shape } from '../../kernel/shape.js'
import { checkCallOptions } from '../../sessions/check-call-options.js'
import { type CurrentSession, readingForScope } from '../../sessions/session.js'
import { checkSender } from '../../sign-in/csrf-token.js'
import type { Caller } from '../../sign-in/operation.js'
import type { Redirection } from '../../sign-in/outcome.js'
import { type AuthorizationParams, refererOf, signInTarget } from '../../sign-in/sign-in-form.js'
import { Visit } from '../../sign-in/visit.js'
import { beginLink, checkLinkOptions, type LinkOptions, OPERATION_NAMES, perform } from '../../visitor/operations.js'
import {
  type AcceptedUpgrade,
  judgeUpgrade,
  type RefusedUpgrade,
  refusedByFault,
  UPGRADE_OPTIONS,
  type UpgradeOptions,
} from '../../visitor/upgrade.js'
import type { OperationName, Visitor } from '../../visitor/visitor.js'
import { askInPlaceOf } from './asked-sign-in.js'
import { type GuardAnswer, type GuardOptions, guard, type RequestSettings, type SessionAnswer } from './guard.js'
import { SESSION_READ, type SessionRead } from './guard-decision.js'
import { formRequest, webContext, webOrigin, webTargetOf } from './web-request.js'

/** How a sign-in by code begins. */
export interface SignInRequest {
  /** Id of the provider; without one, as with an empty field of a form, the visitor is sent to the sign-in page. */
  readonly provider?: string | null | undefined
  /** What the form of the provider holds: `email`, or what `authorize` is given. */
  readonly fields?: BodyFields
  /** Where the visitor goes in the end: a path or URL; by default the page that the request came from, else `/`. */
  readonly redirectTo?: string | undefined
  readonly authorizationParams?: AuthorizationParams | undefined
}

/** What the visitor of a request does with what is theirs, and the start of a connection. */
export type VisitorOfRequest = Visitor & Pick<RequestAuth, 'upgradeSession'>

/**
 * What code of the application does on behalf of one request.
 *
 * @example
 * const sessions = await webAuth(config).forRequest(request).listSessions()
 */
export interface RequestAuth extends Visitor {
  /** The public origin, for URLs that the application makes; null when nothing trusted says it. */
  readonly origin: string | null
  /**
   * The session, without renewing it: for code that cannot set a cookie. The session of an issued token with a scope is
   * null here, unless the options name its scope.
   *
   * @throws {AuthError} when it cannot be read because of a fault; a fault never means that nobody is signed in
   * @throws {InvalidConfiguration} when an option is unknown or of a wrong type
   */
  getSession(options?: SessionRead): Promise<CurrentSession | null>
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
   * @param endSession whether the visitor also signs out at the provider where the session began, if its option `endSession`
   *   is set
   * @throws {MissingCSRF} when the request may come from another site
   */
  signOut(redirectTo?: string, endSession?: boolean): Promise<Redirection>
  /**
   * Begins to add an account of the visitor at a provider. Nobody is signed in by it.
   *
   * @throws {MissingCSRF} when the request may come from another site
   * @throws {RecentSignInRequired} when the visitor must sign in again first
   * @throws {AuthError} as {@link Visitor.linkUrl}
   */
  startLink(provider: string, options?: LinkOptions): Promise<Redirection>
  /**
   * The session of a request that asks for a WebSocket, as `upgradeSession` of `latchkey` gives it. It does not reject for
   * anything that the other side sends, nor for a fault.
   *
   * @throws {InvalidConfiguration} when an option is missing, unknown or of a wrong type
   * @example
   * const closed = new AbortController()
   * const { status, signal } = await auth.forRequest(request).upgradeSession({ closed: closed.signal })
   * // When the socket closes: closed.abort()
   */
  upgradeSession(options: WebUpgradeOptions): Promise<AcceptedUpgrade | RefusedUpgrade>
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

/** Which pages may open a connection of a framework whose requests have no socket. */
export interface WebUpgradeOptions extends UpgradeOptions {
  /** Aborted by you when the connection has closed: the checks of its session stop then. */
  readonly closed: AbortSignal
}

const closed: Shape<AbortSignal> = { expected: 'an AbortSignal', fits: (value) => value instanceof AbortSignal }

function checkUpgradeOptions(options: WebUpgradeOptions, call: string): void {
  checkCallOptions(options, WEB_UPGRADE, call)
  if (!options.closed)
    throw new InvalidConfiguration(`\`closed\` is missing; it must be an AbortSignal. Call it: ${call}.`)
}

const WEB_UPGRADE = object<WebUpgradeOptions>({ ...UPGRADE_OPTIONS, closed })

/** What code of the application does on behalf of one request. */
export function requestAuth(settings: RequestSettings): RequestAuth {
  const { engine, request, facts } = settings
  const { config } = engine
  const context = () => webContext(request, facts, config)
  const origin = () => webOrigin(request, facts, config)
  const answerOf = ({ session, cookies }: SessionAnswer): SessionAnswer => ({ session, cookies })
  const referer = () => refererOf(request.headers.get('referer'), origin())
  const method = request.method?.toUpperCase()
  const submit = (target: string, fields: BodyFields) => {
    const mount = { origin: origin(), basePath: config.basePath }
    return engine.submit(formRequest(request, facts, target, fields), mount, { method })
  }
  return {
    ...visitorOf(callerOf),
    get origin() {
      return origin()
    },
    async getSession(options = {}) {
      checkCallOptions(options, SESSION_READ, 'getSession(options)')
      return readingForScope(await engine.readSession(context()), options.scope).session
    },
    renewSession: async () => answerOf(await engine.renewSession(context())),
    async updateSession(data) {
      checkOwnPage()
      return answerOf(await engine.updateSession(context(), data))
    },
    async signIn({ provider, fields, redirectTo, authorizationParams }) {
      const callbackUrl = redirectTo ?? referer()
      const target = signInTarget(config, { provider, authorizationParams, fields })
      const asked = provider ? config.providers.get(provider) : undefined
      const visitor = context()
      const incoming = { ...visitor, method, target: webTargetOf(request) }
      const route = { engine, incoming, origin: visitor.origin }
      const asking = asked ? await askInPlaceOf(route, asked, callbackUrl) : null
      return asking ?? submit(target, { ...fields, callbackUrl })
    },
    signOut: async (redirectTo, endSession = false) =>
      submit(`${config.basePath}/signout`, {
        callbackUrl: redirectTo ?? referer(),
        ...(endSession && { endSession: 'true' }),
      }),
    async startLink(provider, options = {}) {
      checkLinkOptions(options, 'startLink(provider, options)')
      const begun = await beginLink(callerOf(), provider, options)
      return 'url' in begun ? { url: begun.url, cookies: [] } : submit(begun.target, begun.fields)
    },
    async upgradeSession(options) {
      checkUpgradeOptions(options, 'upgradeSession({ closed })')
      try {
        const { closed, ...others } = options
        const visitor = context()
        const onClose = (stop: () => void) => {
          if (closed.aborted) stop()
          else closed.addEventListener('abort', stop, { once: true })
        }
        const open = { ...visitor, isOpenConnection: true }
        return await judgeUpgrade({ config, context: visitor, open, read: engine.readSession, onClose }, others)
      } catch (error) {
        return refusedByFault(error, request, config.logger)
      }
    },
    checkSender: checkOwnPage,
    guard: (options = {}) => guard(settings, options),
  }

  function checkOwnPage(): void {
    checkSender({ ...context(), config, method })
  }

  function callerOf(): Caller {
    const visitor = context()
    const mount = { origin: visitor.origin, basePath: config.basePath }
    return {
      config,
      context: visitor,
      method,
      read: () => engine.readSession(visitor),
      visit: () => new Visit(formRequest(request, facts, webTargetOf(request), {}), mount, config),
    }
  }
}

/** The operations, each of which asks first who calls. */
function visitorOf(callerOf: () => Caller): Visitor {
  const visitor: Partial<Record<OperationName, unknown>> = {}
  for (const name of OPERATION_NAMES) {
    visitor[name] = async (...args: Parameters<Visitor[typeof name]>) => perform(name, callerOf(), args)
  }
  return visitor as Visitor
}
