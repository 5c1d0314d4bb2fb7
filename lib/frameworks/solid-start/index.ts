import { type BodyFields, fieldsOfForm } from '../../kernel/body.js'
import type { CurrentSession } from '../../sessions/session.js'
import type { Redirection } from '../../sign-in/outcome.js'
import { visitorOf } from '../web/framework-session.js'
import type { AuthorizationParams, RequestAuth, VisitorOfRequest } from '../web/index.js'
import { factsOf, prepareAuth, type SolidAuthSource, type SolidEvent, setEventCookies } from './middleware.js'

export { AuthError, CredentialsSignin, MissingCSRF, RequestRefused } from '../../kernel/errors.js'
export type { CurrentSession, Session } from '../../sessions/session.js'
export type { AuthorizationParams, Visitor, VisitorOfRequest } from '../web/index.js'
export type { SolidAuthConfig, SolidAuthSource, SolidEvent } from './middleware.js'
export { authSession, type MiddlewareEvent, requireAuth, type SessionMiddleware } from './middleware.js'

/** What an API route of SolidStart gets, as far as it is needed. */
export interface APIEvent {
  readonly request: Request
  /** The IP address of the client, as the server knows it. */
  readonly clientAddress?: string | undefined
}

/** Answers an event; undefined when its path is not that of the mount, so that SolidStart goes on with it. */
export type APIHandler = (event: APIEvent) => Promise<Response | undefined>

/**
 * The handlers of the API route that is the mount: `export const { GET, POST } = SolidAuth(config)` in
 * `src/routes/api/auth/[...auth].ts`.
 *
 * @throws {AuthError} at once, when a configuration given as an object cannot work
 */
export function SolidAuth(config: SolidAuthSource): { GET: APIHandler; POST: APIHandler } {
  const authOf = prepareAuth(config, 'SolidAuth(config)')
  const serve: APIHandler = async (event) => {
    const { request } = event
    const auth = await authOf(request)
    return auth.isServed(new URL(request.url).pathname) ? auth.serve(request, factsOf(event)) : undefined
  }
  return { GET: serve, POST: serve }
}

/**
 * The session of a request, null when nobody is signed in. It does not renew the session, so it can run while a page
 * is streamed.
 *
 * @throws {AuthError} when the session cannot be read because of a fault; a fault never means that nobody is signed in
 */
export async function getSession(request: Request, config: SolidAuthSource): Promise<CurrentSession | null> {
  const auth = await prepareAuth(config, 'getSession(request, config)')(request)
  return auth.forRequest(request).getSession()
}

/** What happens at the end. */
export interface SignOutOptions {
  /** Where the visitor goes: a path or URL; by default the page that the request came from, else `/`. */
  redirectTo?: string | undefined
  /** With `false` nobody is redirected, and the result is the URL. */
  redirect?: boolean | undefined
  /** Whether the visitor also signs out at the provider, if its option `endSession` is set. */
  endSession?: boolean | undefined
}

/**
 * Begins a sign-in in a server function; with a provider of credentials it does the whole sign-in. It sets the cookies
 * and throws the redirect, which SolidStart carries out with JavaScript and without. With `redirect: false` it returns
 * the URL instead.
 *
 * A GET request begins a sign-in at a provider of OAuth or OpenID Connect only, for a link in a page of this origin, and
 * adds no account to anybody. Every other link leads to the sign-in page.
 *
 * @param event `getRequestEvent()` of `solid-js/web`, or the event of an API route
 * @param provider id of the provider; without one the visitor is sent to the sign-in page
 * @param options or the form that the visitor submitted. Its field `redirectTo` applies, and it always redirects
 * @throws {Response} the redirect
 * @throws {CredentialsSignin} when `authorize` accepts nobody
 * @throws {MissingCSRF} when a request that changes something may come from another site
 * @throws {RequestRefused} 405 for GET and HEAD with credentials or mailed links
 * @throws {AuthError} when the sign-in fails otherwise
 */
export function signIn(
  event: SolidEvent,
  config: SolidAuthSource,
  provider: string | null | undefined,
  options: SignInOptions & { redirect: false },
  authorizationParams?: AuthorizationParams,
): Promise<string>
export function signIn(
  event: SolidEvent,
  config: SolidAuthSource,
  provider?: string | null,
  options?: (SignInOptions & { redirect?: true | undefined }) | SubmittedForm,
  authorizationParams?: AuthorizationParams,
): Promise<never>
export async function signIn(
  event: SolidEvent,
  config: SolidAuthSource,
  provider?: string | null,
  options: SignInOptions | SubmittedForm = {},
  authorizationParams?: AuthorizationParams,
): Promise<string> {
  const { redirect, ...given } = readSignInOptions(options)
  const auth = await authOf(event, config, 'signIn(event, config)')
  return redirectOrReturn(event, await auth.signIn({ ...given, provider, authorizationParams }), redirect)
}

/**
 * Ends the session in a server function, and throws the redirect. With `redirect: false` it returns the URL instead.
 *
 * @throws {Response} the redirect
 * @throws {RequestRefused} 405 for GET and HEAD
 * @throws {MissingCSRF} when the request may come from another site
 * @throws {AuthError} when the session could not be ended; the cookies of this browser stay then
 */
export function signOut(
  event: SolidEvent,
  config: SolidAuthSource,
  options: SignOutOptions & { redirect: false },
): Promise<string>
export function signOut(
  event: SolidEvent,
  config: SolidAuthSource,
  options?: SignOutOptions & { redirect?: true | undefined },
): Promise<never>
export async function signOut(
  event: SolidEvent,
  config: SolidAuthSource,
  { redirect = true, redirectTo, endSession }: SignOutOptions = {},
): Promise<string> {
  const auth = await authOf(event, config, 'signOut(event, config)')
  return redirectOrReturn(event, await auth.signOut(redirectTo, endSession), redirect)
}

/**
 * Changes the session in a server function: `data` reaches the `jwt` or `session` callback, as that of a client's
 * update does.
 *
 * @returns the session as it is then; null when nobody is signed in
 * @throws {RequestRefused} 405 for GET and HEAD
 * @throws {MissingCSRF} when the request may come from another site
 * @throws {AuthError} when the session cannot be read or stored because of a fault
 */
export async function updateSession(
  event: SolidEvent,
  config: SolidAuthSource,
  data: unknown,
): Promise<CurrentSession | null> {
  const auth = await authOf(event, config, 'updateSession(event, config, data)')
  const { session, cookies } = await auth.updateSession(data)
  setEventCookies(event, cookies)
  return session
}

/**
 * What the visitor does with what is theirs, as with their sessions, in a server function or an API route.
 *
 * @example
 * const sessions = await (await visitor(event, config)).listSessions()
 */
export async function visitor(event: SolidEvent, config: SolidAuthSource): Promise<VisitorOfRequest> {
  const auth = await authOf(event, config, 'visitor(event, config)')
  return visitorOf(auth, async (work) => {
    const done = await work(auth)
    setEventCookies(event, done.cookies)
    return done
  })
}

/**
 * Checks that a page of this origin sent the request, and not by a link: for a server function that changes something.
 * SolidStart itself runs one for a link of any site, with the cookies of the visitor.
 *
 * @throws {RequestRefused} 405 for GET and HEAD
 * @throws {MissingCSRF} when the request may come from another site
 */
export async function checkSender(event: SolidEvent, config: SolidAuthSource): Promise<void> {
  const auth = await authOf(event, config, 'checkSender(event, config)')
  auth.checkSender()
}

const authOf = async (event: SolidEvent, config: SolidAuthSource, call: string): Promise<RequestAuth> =>
  (await prepareAuth(config, call)(event.request)).forRequest(event.request, factsOf(event))

function redirectOrReturn(event: SolidEvent, { url, cookies }: Redirection, redirect: boolean): string {
  setEventCookies(event, cookies)
  if (!redirect) return url
  // Thrown and not returned: what a server function returns to a form without JavaScript, SolidStart puts into a
  // cookie, together with every field of the form.
  throw new Response(null, { status: 302, headers: { location: url } })
}

/** Options of a sign-in. Every other member is a field for the provider, such as `email` or `password`. */
export interface SignInOptions {
  /** Where the visitor goes in the end: a path or URL; by default the page that the request came from, else `/`. */
  redirectTo?: string | undefined
  /** With `false` nobody is redirected, and the result is the URL. */
  redirect?: boolean | undefined
  [field: string]: unknown
}

/**
 * A form as a server function gets it. SolidStart 2 gives `URLSearchParams` for a form without files that was sent
 * without JavaScript.
 */
export type SubmittedForm = FormData | URLSearchParams

/** Separates the fields of the provider from the options. */
function readSignInOptions(options: SignInOptions | SubmittedForm): {
  readonly redirect: boolean
  readonly redirectTo: string | undefined
  readonly fields: BodyFields
} {
  // A form comes from the visitor, who does not decide what kind of result the application gets.
  if (isForm(options)) return { ...readFields(fieldsOf(options)), redirect: true }
  const { redirect = true, ...given } = options
  return { ...readFields(given), redirect }
}

function readFields({ redirectTo, callbackUrl, ...fields }: BodyFields) {
  const target = redirectTo ?? callbackUrl
  return { redirectTo: typeof target === 'string' ? target : undefined, fields }
}

const isForm = (options: SignInOptions | SubmittedForm): options is SubmittedForm =>
  options instanceof URLSearchParams || options instanceof FormData

/** @throws {RequestRefused} 400 when a field is repeated */
function fieldsOf(form: SubmittedForm): BodyFields {
  const { redirect, ...fields } = fieldsOfForm(form)
  return fields
}
