import type { AccessTokenResult } from '../account-tokens/access-token.js'
import type { AccountReference, LinkedAccount } from '../accounts/user-accounts.js'
import { checkCallOptions, checkTokenRequest } from '../config/check-call-options.js'
import { checkSender } from '../context/csrf-token.js'
import type { Redirection } from '../context/outcome.js'
import { mappedTarget } from '../context/return-target.js'
import type { BodyFields } from '../http/body.js'
import { isSafeMethod } from '../http/csrf.js'
import { linkPath } from '../http/link-page.js'
import type { RequestContext } from '../http/request-context.js'
import type { ListedSession, SessionRevocation } from '../sessions/listed-session.js'
import { readingForScope } from '../sessions/scope.js'
import type { CurrentSession, IssuedToken, TokenRequest } from '../sessions/session.js'
import { askInPlaceOf } from './asked-sign-in.js'
import { type GuardAnswer, type GuardOptions, guard, type RequestSettings, type SessionAnswer } from './guard.js'
import { type AccessTokenOptions, getOwnAccessToken } from './own-access-token.js'
import {
  checkLinkOptions,
  type LinkOptions,
  linkFields,
  linkPagePath,
  listOwnAccounts,
  type UnlinkOptions,
  unlinkOwnAccount,
} from './own-accounts.js'
import {
  listOwnSessions,
  type OwnRequest,
  type RevocationOptions,
  revokeOwnOthers,
  revokeOwnSession,
} from './own-sessions.js'
import { SESSION_READ, type SessionRead } from './session-rules.js'
import { type AuthorizationParams, noProvider, refererOf, signInTarget } from './sign-in-form.js'
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

/** What code of the application does on behalf of one request. */
export interface RequestAuth {
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
   * Issues a token for a script or a mobile app of the signed-in user, as `issueToken` of `latchkey` does.
   *
   * @throws {MissingCSRF} when the request may come from another site
   * @throws {AuthError} when no token can be issued
   */
  issueToken(wanted: TokenRequest): Promise<IssuedToken>
  /**
   * An access token of the visitor for the API of a provider, as `getAccessToken` of `latchkey` gives it; null when nobody is
   * signed in.
   *
   * @throws {RequestRefused} 404 when there is no such provider of OAuth or OpenID Connect
   * @throws {AuthError} when the configuration cannot keep tokens, or as {@link getSession}
   */
  getAccessToken(provider: string, options?: AccessTokenOptions): Promise<AccessTokenResult | null>
  /**
   * Where the visitor is signed in: their sessions in all browsers and programs, the newest first.
   *
   * @throws {RequestRefused} 401 when nobody is signed in
   * @throws {AuthError} when the configuration keeps no list of sessions, or as {@link getSession}
   */
  listSessions(): Promise<readonly ListedSession[]>
  /**
   * Ends one session of the visitor. The cookies must be set: if it was the session of the request, they sign the browser
   * out, also if there is a `fault`.
   *
   * @param id as the list has it; what a form brought can be handed on as it is
   * @throws {RequestRefused} 401 when nobody is signed in
   * @throws {RecentSignInRequired} when they must sign in again first, which is not asked for the session of the request
   * @throws {MissingCSRF} when the request may come from another site
   */
  revokeSession(id: string, options?: RevocationOptions): Promise<SessionRevocation>
  /** Ends all sessions of the visitor but that of the request, and gives how many. It throws as {@link revokeSession}. */
  revokeOtherSessions(options?: RevocationOptions): Promise<number>
  /**
   * The accounts of the visitor at providers.
   *
   * @throws {RequestRefused} 401 when nobody is signed in
   * @throws {AuthError} when the configuration stores no accounts, or as {@link getSession}
   */
  listAccounts(): Promise<readonly LinkedAccount[]>
  /**
   * Removes an account of the visitor, so that they cannot sign in with it any more.
   *
   * @param account its `id` as the list has it, or its provider and its id there; what a form brought can be handed on
   * @throws {RequestRefused} 401 when nobody is signed in, 404 when they have no such account, 409 when it is their last
   *   way to sign in
   * @throws {RecentSignInRequired} when they must sign in again first
   * @throws {MissingCSRF} when the request may come from another site
   */
  unlinkAccount(account: AccountReference, options?: UnlinkOptions): Promise<LinkedAccount>
  /**
   * The URL of the page where the visitor adds their account at a provider, or allows more there.
   *
   * @returns an absolute URL. With a scope, it is good for an hour and for this user only
   * @throws {RequestRefused} 404 when there is no such provider; 401 when there is a scope and nobody is signed in
   */
  linkUrl(provider: string, options?: LinkOptions): Promise<string>
  /**
   * Begins to add an account of the visitor at a provider. Nobody is signed in by it.
   *
   * @throws {MissingCSRF} when the request may come from another site
   * @throws {RecentSignInRequired} when the visitor must sign in again first
   * @throws {AuthError} as {@link linkUrl}
   */
  startLink(provider: string, options?: LinkOptions): Promise<Redirection>
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
    get origin() {
      return origin()
    },
    async getSession(options = {}) {
      checkCallOptions(options, SESSION_READ, 'getSession(options)')
      return readingForScope(await engine.readSession(context()), options.scope).session
    },
    renewSession: async () => answerOf(await engine.renewSession(context())),
    updateSession: async (data) => answerOf(await engine.updateSession(contextFromOwnPage(), data)),
    async signIn({ provider, fields, redirectTo, authorizationParams }) {
      const callbackUrl = redirectTo ?? referer()
      const target = signInTarget(config, { provider, authorizationParams })
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
    async issueToken(wanted) {
      checkTokenRequest(wanted, 'issueToken({ maxAge })')
      return engine.issueToken(contextFromOwnPage(), wanted)
    },
    getAccessToken: async (provider, options = {}) =>
      getOwnAccessToken(ownOf(context()), provider, options, 'getAccessToken(provider, options)'),
    listSessions: async () => listOwnSessions({ engine, context: context() }),
    revokeSession: async (id, options = {}) =>
      revokeOwnSession(ownOf(contextFromOwnPage()), id, options, 'revokeSession(id, options)'),
    revokeOtherSessions: async (options = {}) =>
      revokeOwnOthers(ownOf(contextFromOwnPage()), options, 'revokeOtherSessions(options)'),
    listAccounts: async () => listOwnAccounts(config, await engine.readSession(context())),
    async unlinkAccount(account, options = {}) {
      const visitor = contextFromOwnPage()
      const removal = {
        owner: await engine.readSession(visitor),
        origin: visitor.origin,
        acceptLanguage: visitor.header('accept-language'),
        source: visitor.source,
      }
      return unlinkOwnAccount(config, removal, account, options, 'unlinkAccount(account, options)')
    },
    linkUrl: async (provider, options = {}) => linkUrl(provider, options, 'linkUrl(provider, options)'),
    async startLink(provider, options = {}) {
      const call = 'startLink(provider, options)'
      if (isSafeMethod({ method })) return { url: await linkUrl(provider, options, call), cookies: [] }
      const visitor = contextFromOwnPage()
      const link = await linkOf(visitor, options, call)
      if (!config.providers.has(provider)) throw noProvider(provider, config.providers)
      const fields = await linkFields(config, await engine.readSession(visitor), provider, link)
      return submit(linkPath(config.basePath, provider), { ...fields })
    },
    checkSender: () => void contextFromOwnPage(),
    guard: (options = {}) => guard(settings, options),
  }

  /** The request, which a page of this origin has sent. */
  function contextFromOwnPage(): RequestContext {
    const visitor = context()
    checkSender({ ...visitor, config, method })
    return visitor
  }

  async function linkUrl(provider: string, options: LinkOptions, call: string): Promise<string> {
    const visitor = context()
    const link = await linkOf(visitor, options, call)
    const reading = await engine.readSession(visitor)
    return new URL(await linkPagePath(config, reading, provider, link), visitor.origin).href
  }

  async function linkOf({ origin }: RequestContext, options: LinkOptions, call: string) {
    checkLinkOptions(options, call)
    const { scope, redirectTo = referer() } = options
    return { scope, returnTarget: await mappedTarget(redirectTo, config, origin) }
  }

  function ownOf(visitor: RequestContext): OwnRequest {
    return { engine, context: visitor, read: () => engine.readSession(visitor) }
  }
}
