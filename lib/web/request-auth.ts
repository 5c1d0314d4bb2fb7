import { withParams } from '../context/action-urls.js'
import { checkSender } from '../context/csrf-token.js'
import type { Redirection } from '../context/outcome.js'
import { RequestRefused } from '../errors.js'
import type { BodyFields } from '../http/body.js'
import { parseReturnTarget } from '../http/return-target.js'
import { withLogContext } from '../logger.js'
import type { CurrentSession } from '../sessions/session.js'
import { type GuardAnswer, type GuardOptions, guard, type RequestSettings } from './guard.js'
import type { SessionAnswer } from './session-answer.js'
import { formRequest, type WebRequest, webContext, webOrigin } from './web-request.js'

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

/** What code of the application does on behalf of one request. */
export interface RequestAuth {
  /**
   * The session, without renewing it: for code that cannot set a cookie.
   *
   * @throws {AuthError} when it cannot be read because of a fault; a fault never means that nobody is signed in
   */
  getSession(): Promise<CurrentSession | null>
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

/** What code of the application does on behalf of one request. */
export function requestAuth(settings: RequestSettings): RequestAuth {
  const { engine, request, facts } = settings
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
    guard: (options = {}) => withLogContext(request, () => guard(settings, options)),
  }

  /** Where the form of a provider is posted: with credentials that is the end of the sign-in already. */
  function formOf(id: string): string {
    const configured = config.providers.get(id)
    if (!configured) throw new RequestRefused(404, `There is no provider ${JSON.stringify(id)}.`)
    const action = configured.settings.type === 'credentials' ? 'callback' : 'signin'
    return `/${action}/${encodeURIComponent(id)}`
  }
}

/** The page of this origin that the request came from; `/` where there is none. */
function refererOf({ headers }: WebRequest, origin: string | null): string {
  const referer = origin === null ? null : parseReturnTarget(headers.get('referer'), origin)
  return referer?.href ?? '/'
}

function queryOf(params: AuthorizationParams | undefined): string {
  const query = new URLSearchParams(params as ConstructorParameters<typeof URLSearchParams>[0]).toString()
  return query === '' ? '' : `?${query}`
}
