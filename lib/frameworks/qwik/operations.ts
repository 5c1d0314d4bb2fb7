import { AuthError, CredentialsSignin, RequestRefused, ruleOf } from '../../kernel/errors.js'
import { errorMessage, signInMessage } from '../../pages/messages.js'
import { inEnglish } from '../../pages/texts/words.js'
import type { CurrentSession } from '../../sessions/session.js'
import type { AuthorizationParams, SignInRequest, VisitorOfRequest } from '../web/index.js'
import type { HookWork, InputCheck, SignInFailure, SignInInput, SignOutInput } from './client.js'
import {
  answerWith,
  forgetFields,
  isBuilding,
  isDataRequest,
  pageOf,
  type QwikActionEvent,
  type QwikEvent,
  type QwikHandlerEvent,
} from './event.js'
import { eventSessionOf } from './qwik-auth.js'

/** What happens at the end. */
export interface RedirectOptions<Redirect extends boolean = boolean> {
  /** Where the visitor goes: a path or URL of this origin; by default the page of the request. */
  readonly redirectTo?: string | undefined
  /** With `false` nobody is redirected, and the result is the URL. */
  readonly redirect?: Redirect | undefined
}

/** Options of a sign-in. Every other member is a field for the provider, such as `email` or `password`. */
export interface SignInOptions<Redirect extends boolean = boolean> extends RedirectOptions<Redirect> {
  readonly [field: string]: unknown
}

// `onRequest` of `QwikAuth(config)` must have run before each of these functions.

/**
 * The session of a request, null when nobody is signed in. It is renewed when it is time, as long as a cookie can be set.
 *
 * @throws {AuthError} when it cannot be read because of a fault; a fault never means that nobody is signed in
 */
export const getSession = async (event: QwikEvent): Promise<CurrentSession | null> =>
  isBuilding(event) ? null : eventSessionOf(event).read()

/**
 * Changes the session of a request: `data` reaches the `jwt` or `session` callback with the trigger `update`.
 *
 * @returns the session as it is then; null when nobody is signed in
 * @throws {MissingCSRF} when the request may come from another site
 * @throws {AuthError} as {@link getSession}, and when the answer has begun
 */
export const updateSession = async (event: QwikEvent, data: unknown): Promise<CurrentSession | null> =>
  (await eventSessionOf(event).change((auth) => auth.updateSession(data))).session

/**
 * What the visitor of a request does with what is theirs, as with their sessions.
 *
 * @example
 * const sessions = await visitor(event).listSessions()
 */
export const visitor = (event: QwikEvent): VisitorOfRequest => eventSessionOf(event).visitor()

/**
 * Begins a sign-in in an action; with a provider of credentials it does the whole sign-in. It redirects, or returns
 * the URL with `redirect: false`.
 *
 * @param provider id of the provider; without one the visitor is sent to the sign-in page
 * @throws {CredentialsSignin} when `authorize` accepts nobody
 * @throws {MissingCSRF} when the request may come from another site
 * @throws {AuthError} when the sign-in fails otherwise
 */
export async function signIn<Redirect extends boolean = true>(
  event: QwikHandlerEvent,
  provider?: string | null,
  options: SignInOptions<Redirect> = {},
  authorizationParams?: AuthorizationParams,
): Promise<Redirect extends false ? string : never> {
  forgetFields(event)
  const { redirectTo = pageOf(event), redirect, ...fields } = options
  const request: SignInRequest = { provider, fields, redirectTo, authorizationParams }
  const { url } = await eventSessionOf(event).change((auth) => auth.signIn(request))
  return (await redirectOrReturn(event, url, redirect)) as never
}

/**
 * Ends the session in an action; with `endSession` also that at the provider, if its option `endSession` is set. It
 * redirects, or returns the URL with `redirect: false`.
 *
 * @throws {MissingCSRF} when the request may come from another site
 * @throws {AuthError} when the session could not be ended
 */
export async function signOut<Redirect extends boolean = true>(
  event: QwikHandlerEvent,
  options: RedirectOptions<Redirect> & { readonly endSession?: boolean | undefined } = {},
): Promise<Redirect extends false ? string : never> {
  const { redirectTo = pageOf(event), redirect, endSession } = options
  const { url } = await eventSessionOf(event).change((auth) => auth.signOut(redirectTo, endSession))
  return (await redirectOrReturn(event, url, redirect)) as never
}

async function redirectOrReturn(event: QwikHandlerEvent, url: string, redirects = true): Promise<string> {
  if (!redirects) {
    // The request goes on, so its values must have the session as it is now.
    await eventSessionOf(event).read()
    return url
  }
  // `event.redirect` would take double slashes out of the URL, and forgets it for the script when it is another origin.
  return answerWith(event, isDataRequest(event) ? await dataAnswer(event, url) : redirectAnswer(url))
}

/** What the script of Qwik City opens in place of showing the data of a page. */
async function dataAnswer(event: QwikEvent, redirect: string): Promise<Response> {
  const body = await eventSessionOf(event).serialize({ loaders: {}, status: 200, href: pageOf(event), redirect })
  return new Response(body, { headers: { 'content-type': 'application/json; charset=utf-8' } })
}

/** 302 and not 301: browsers remember a permanent redirect, and would never ask the form's page again. */
const redirectAnswer = (location: string) => new Response(null, { status: 302, headers: { location } })

/**
 * What the hooks do on the server.
 *
 * @param checks of the fields of the two forms
 */
export const hookWork = ({ serialize, checks }: Pick<HookWork, 'serialize' | 'checks'>): HookWork => ({
  serialize,
  checks: { signIn: withoutEcho(checks.signIn), signOut: withoutEcho(checks.signOut) },
  readSession: getSession,
  signIn: (input, event) => attempt(event, () => signInAs(input, event)),
  signOut: ({ redirectTo, endSession }: SignOutInput, event) =>
    attempt(event, () => signOut(event, { redirectTo: nonEmptyText(redirectTo), endSession: endSession === 'true' })),
})

function signInAs({ providerId, redirectTo, options = {}, authorizationParams }: SignInInput, event: QwikActionEvent) {
  const { redirectTo: inner, redirect: _, ...fields } = options
  const given = { ...fields, redirectTo: nonEmptyText(inner) ?? nonEmptyText(redirectTo) }
  return signIn(event, nonEmptyText(providerId), given, authorizationParams)
}

/** Empty fields of a form count as absent. */
const nonEmptyText = (value: string | null | undefined) => value || undefined

/** Does what redirects in the end. What fails becomes the value of the action, which the page can show. */
async function attempt(event: QwikActionEvent, work: () => Promise<never>): Promise<SignInFailure> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof AuthError)) throw error
    return event.fail(statusOf(error), { ...reasonOf(error), fieldErrors: {} })
  }
}

/** A check that forgets the fields of the submitted form, also of one that is not valid. */
const withoutEcho = ({ validate }: InputCheck): InputCheck => ({
  validate(event, data) {
    forgetFields(event)
    return validate(event, data)
  },
})

function statusOf(error: AuthError): number {
  if (error instanceof RequestRefused) return error.status
  if (error instanceof CredentialsSignin) return 401
  const { by } = ruleOf(error)
  return by === undefined ? 500 : 403
}

/** What a visitor learns: as much as on the pages of the mount. */
function reasonOf(error: AuthError) {
  const { page, shownAs, code } = ruleOf(error)
  const shown = { error: shownAs, code: error instanceof CredentialsSignin ? error.code : code }
  const text = page === 'signIn' ? signInMessage(shownAs, shown.code) : errorMessage(shownAs, shown.code).text
  return { ...shown, formErrors: [text === null ? '' : inEnglish(text)] }
}
