/// <reference lib="dom" />
import type { JsonValue, PublicProvider } from '../providers/user.js'
import type { Session } from '../sessions/session.js'
import { ClientError, checkNames, checkSpelling } from './errors.js'
import { createMount, type FormResult, failWithReason, navigate, readRefusal } from './mount.js'
import { runCeremony } from './passkeys.js'
import { type AccountsClient, createVisitorClient, type PasskeysClient, type SessionsClient } from './visitor.js'

/** Where the server is. */
export interface ClientOptions {
  /**
   * Origin of the server, such as `https://api.app.example`, where it is not that of the page. The server lists the origin of
   * the page in `origins`.
   */
  baseUrl?: string | undefined
  /** Path of the mount; `/auth` by default. */
  basePath?: string
}

/** What happens after the answer of the server. */
export interface RedirectOptions {
  /** Where the visitor goes afterwards: a path or a URL that the `redirect` callback accepts. By default, this page. */
  redirectTo?: string
  /** @deprecated the name of `redirectTo` in next-auth 4 */
  callbackUrl?: string
  /** With `false` the page stays, and the result says where it would have gone. */
  redirect?: boolean
}

/**
 * Options of {@link AuthClient.signIn}. Every other member is sent as a field, such as `email` or `password`. With `emailCode`, a
 * sign-in by mail ends with the code that was mailed.
 */
export interface SignInOptions extends RedirectOptions {
  [field: string]: unknown
}

/** What became of a sign-in. */
export interface SignInResult {
  readonly ok: boolean
  /**
   * Where the visitor goes, or would go: to a provider, to the return target, or to the page that shows the failure.
   */
  readonly url: string
  /** The `error` that pages are shown with, such as `CredentialsSignin`; null when the sign-in did not fail. */
  readonly error: string | null
  /**
   * With `CredentialsSignin`, the code that `authorize` gave. With a mailed code, `WrongCode`, or `NoCode` if it no longer works.
   */
  readonly code: string | null
}

/** Options of {@link AuthClient.signOut}. */
export interface SignOutOptions extends RedirectOptions {
  /**
   * Whether the visitor also signs out at the provider where the session began, if its option `endSession` is set. They come
   * back to `redirectTo`.
   */
  endSession?: boolean
}

/** What became of a sign-out. */
export interface SignOutResult {
  /** Where the visitor goes, or would go: to the return target, or to the page that shows the failure. */
  readonly url: string
  /** The `error` that the page is shown with; null when the sign-out did not fail. */
  readonly error: string | null
}

/** Options of {@link AuthClient.registerPasskey}, and of {@link AuthClient.signInWithPasskey}. */
export interface PasskeyOptions extends RedirectOptions {
  /** Id of the provider; `passkey` by default. */
  providerId?: string
  /** The address of the user. A sign-up needs it. For a sign-in, security keys that do not store the user need it. */
  email?: string
  /** Further fields, for a `getUserInfo` of the application's own. */
  fields?: Readonly<Record<string, string>>
  /**
   * Whether the visitor wants to stay signed in, where the server has `session.remember`. A function is asked after the
   * visitor has used the passkey, so that it sees the checkbox as it is then.
   */
  remember?: boolean | (() => boolean)
  /** Aborts the ceremony. */
  signal?: AbortSignal
}

/** Options of {@link AuthClient.registerPasskey}. */
interface RegisterPasskeyOptions extends PasskeyOptions {
  /**
   * Makes the passkey without a dialog, in the password manager that has just filled in the visitor's password. Throws
   * `unsupported` where the browser cannot do that, and `cancelled` where the password manager does not.
   */
  automatic?: boolean
}

/** Options of {@link AuthClient.signInWithPasskey}. */
export interface SignInWithPasskeyOptions extends PasskeyOptions {
  /**
   * Suggests passkeys in a field with `autocomplete="username webauthn"`, and waits until the visitor chooses one. No
   * dialog opens. Start it when the page loads; any other ceremony ends it with `aborted`.
   */
  autofill?: boolean
}

/** Options of {@link AuthClient.choosePassword}. */
export interface ChoosePasswordOptions extends Pick<RedirectOptions, 'redirect'> {
  /** What the address of the mailed link has as `token`. */
  token: string
  newPassword: string
  /** Where the visitor goes afterwards; `/` by default, because this page has the token in its address. */
  redirectTo?: string
}

/** Parameters for the provider's authorization endpoint, such as `prompt` or `login_hint`. */
export type AuthorizationParams = string | Record<string, string> | URLSearchParams | string[][]

/** Everything that a page can ask of the server. */
export interface AuthClient extends SessionsClient, AccountsClient, PasskeysClient {
  /**
   * Signs in with a provider. Without one, goes to the sign-in page.
   *
   * @param options or a `FormData`, whose fields are sent
   * @throws {ClientError} `unknown-provider`, `offline`, `server-error`; with a passkey, all that
   *   {@link signInWithPasskey} throws
   */
  signIn(
    providerId?: string,
    options?: SignInOptions | FormData,
    authorizationParams?: AuthorizationParams,
  ): Promise<SignInResult>
  /**
   * Signs out. After a failure, the visitor goes to the page that shows it; with `redirect: false`, it is thrown.
   *
   * @throws {ClientError} `not-ended` when the visitor is signed out in this browser alone, `refused`, `offline`,
   *   `server-error`
   */
  signOut(options?: SignOutOptions): Promise<SignOutResult>
  /**
   * The session, or null when nobody is signed in.
   *
   * @throws {ClientError} `server-error` when the server cannot say who is signed in; a fault never gives null
   */
  getSession(options?: { signal?: AbortSignal }): Promise<Session | null>
  /** The ways to sign in, by id. */
  getProviders(): Promise<Record<string, PublicProvider>>
  /** The token that every form must bring as `csrfToken`; null where the server has the protection turned off. */
  getCsrfToken(): Promise<string | null>
  /** Hands `data` to the server's `jwt` or `session` callback, and gives the session as it is then. */
  updateSession(data?: JsonValue): Promise<Session | null>
  /** @throws {ClientError} when nobody was signed in */
  signInWithPasskey(options?: SignInWithPasskeyOptions): Promise<SignInResult>
  /**
   * Makes a passkey: a further one for the user who is signed in, or else one for a new user with the address `email`.
   *
   * @throws {ClientError} when none was made
   */
  registerPasskey(options?: RegisterPasskeyOptions): Promise<SignInResult>
  /**
   * Mails a link with which somebody chooses a password, for a new account or the one that they have. Nothing says which.
   *
   * @param options `redirectTo`: where they go once they have chosen
   * @throws {ClientError} `refused` for what is no address
   */
  mailPasswordLink(email: string, options?: Pick<RedirectOptions, 'redirectTo'>): Promise<void>
  /**
   * Chooses a password with a mailed link, and signs in. If the password was refused, `error` is `Password`, and `code` says why;
   * the page stays.
   *
   * @example
   * const { ok, code } = await choosePassword({ token, newPassword, redirect: false }) // false, 'too-short'
   */
  choosePassword(options: ChoosePasswordOptions): Promise<SignInResult>
  /**
   * Changes the password of who is signed in, and ends their other sessions. The page stays. If it was refused, `error` is
   * `Password`, and `code` says why: `wrong` if `password` is not the present one.
   *
   * @throws {ClientError} `sign-in-again`; `refused` if nobody is signed in
   */
  changePassword(passwords: { password: string; newPassword: string }): Promise<SignInResult>
  /**
   * Removes the password of who is signed in, and ends their other sessions. The page stays.
   *
   * @throws {ClientError} `last-way-in`; `sign-in-again`; `refused` if nobody is signed in, or they have none
   */
  removePassword(): Promise<void>
  /**
   * Mails a link to a new address, with which who is signed in confirms it in place of the present one. The page stays; one of another
   * origin goes to the page that asks. If nothing was mailed, `error` is `Address`, and `code` says why: `address` (it is none), `same`, or
   * `unconfirmed` (the present one is).
   *
   * @param options `redirectTo`: where they go once they have confirmed it
   * @throws {ClientError} `sign-in-again`; `refused` if nobody is signed in
   */
  mailAddressLink(email: string, options?: Pick<RedirectOptions, 'redirectTo'>): Promise<SignInResult>
}

const REDIRECT_OPTIONS = ['redirectTo', 'callbackUrl', 'redirect'] satisfies (keyof RedirectOptions)[]

/** The functions of this module for another mount. No request is sent before one of them is called. */
export function createClient(options: ClientOptions = {}): AuthClient {
  checkNames(options, ['baseUrl', 'basePath'], 'createClient')
  const { baseUrl, basePath = '/auth' } = options
  const mount = createMount({ baseUrl, basePath })

  const getProviders = async () => (await mount.getJson(mount.url('providers'))) as Record<string, PublicProvider>

  const getCsrfToken = async () => {
    try {
      const { csrfToken } = (await mount.getJson(mount.url('csrf'))) as { csrfToken: string }
      return csrfToken
    } catch (error) {
      // The server answers 404 where an integration has turned the protection off.
      if (error instanceof ClientError && error.cause instanceof Response && error.cause.status === 404) return null
      throw error
    }
  }

  const withCsrf = async (fields: URLSearchParams) => {
    const token = await getCsrfToken()
    if (token !== null) fields.set('csrfToken', token)
    return fields
  }

  const passkey = async (
    action: 'authenticate' | 'register',
    {
      providerId = 'passkey',
      email,
      fields = {},
      remember = false,
      signal,
      autofill = false,
      ...rest
    }: SignInWithPasskeyOptions,
  ) => {
    const given = new URLSearchParams(fields)
    if (email !== undefined) given.set('email', email)
    const callbackUrl = mount.returnTarget(rest.redirectTo ?? rest.callbackUrl)
    const asks = typeof remember === 'function' ? remember : () => remember
    const result = await runCeremony(mount, {
      action,
      providerId,
      fields: given,
      callbackUrl,
      autofill,
      signal,
      remember: asks,
    })
    return conclude(result, rest.redirect)
  }

  /** Sends a form whose refusal has a reason. */
  const sendForm = async (
    error: 'Password' | 'Address',
    url: URL,
    fields: Record<string, string>,
    redirectTo?: string,
  ): Promise<FormResult> => {
    const form = await withCsrf(new URLSearchParams({ ...fields, callbackUrl: mount.returnTarget(redirectTo) }))
    try {
      return await mount.postForm(url, form)
    } catch (failure) {
      const { body } = await readRefusal(failure)
      if (body['error'] !== error) return failWithReason(failure)
      return { url: location.href, error, code: String(body['reason']) }
    }
  }

  return {
    async signIn(providerId, options = {}, authorizationParams) {
      const { fields, redirect, redirectTo } = readOptions(options)
      checkSpelling(fields.keys(), REDIRECT_OPTIONS, 'signIn')
      const callbackUrl = mount.returnTarget(redirectTo)
      if (providerId === undefined) {
        const page = mount.url('signin')
        page.searchParams.set('callbackUrl', callbackUrl)
        return conclude({ url: page.href, error: null, code: null }, redirect)
      }
      const providers = await getProviders()
      const type = Object.hasOwn(providers, providerId) ? providers[providerId]?.type : undefined
      if (type === undefined) throw new ClientError('unknown-provider', `There is no provider "${providerId}".`)
      if (type === 'webauthn') {
        const { remember: choice = '', ...own } = Object.fromEntries(fields)
        const remember = ['on', 'true', '1'].includes(choice)
        const target = { redirectTo: callbackUrl, redirect: redirect ?? true }
        return passkey('authenticate', { providerId, fields: own, remember, ...target })
      }
      const ends = type === 'credentials' || (type === 'email' && fields.has('emailCode'))
      const url = mount.url(ends ? 'callback' : 'signin', providerId)
      for (const [name, value] of new URLSearchParams(authorizationParams)) url.searchParams.append(name, value)
      fields.set('callbackUrl', callbackUrl)
      return conclude(await mount.postForm(url, await withCsrf(fields)), redirect)
    },
    async signOut(options = {}) {
      checkSpelling(Object.keys(options), [...REDIRECT_OPTIONS, 'endSession'], 'signOut')
      const { redirect, redirectTo, callbackUrl, endSession = false } = options
      const target = mount.returnTarget(redirectTo ?? callbackUrl)
      const fields = await withCsrf(
        new URLSearchParams({ callbackUrl: target, ...(endSession && { endSession: 'true' }) }),
      )
      const result = await mount.postForm(mount.url('signout'), fields).catch(signedOutHereOnly)
      // The page that the visitor is sent to shows the failure. If the page stays, the caller has to show it.
      if (result.error !== null && redirect === false) throw signOutFailed(result.error)
      const { url, error } = conclude(result, redirect)
      return { url, error }
    },
    getSession: async ({ signal } = {}) => readSession(await mount.getJson(mount.url('session'), signal)),
    getProviders,
    getCsrfToken,
    async updateSession(data) {
      const csrfToken = await getCsrfToken()
      return readSession(await mount.postJson(mount.url('session'), { csrfToken, data }))
    },
    signInWithPasskey: (options = {}) => passkey('authenticate', options),
    registerPasskey: ({ automatic = false, ...options } = {}) =>
      passkey('register', { ...options, autofill: automatic }),
    async mailPasswordLink(email, { redirectTo } = {}) {
      const fields = new URLSearchParams({ email, callbackUrl: mount.returnTarget(redirectTo) })
      await mount.postForm(mount.url('password'), await withCsrf(fields))
    },
    async choosePassword({ token, newPassword, redirectTo = '/', redirect = true }) {
      const url = mount.url('password', 'choose')
      const result = await sendForm('Password', url, { token, newPassword }, redirectTo)
      return conclude(result, redirect && result.error !== 'Password')
    },
    async changePassword({ password, newPassword }) {
      const url = mount.url('password', 'change')
      return conclude(await sendForm('Password', url, { password, newPassword }), false)
    },
    async removePassword() {
      const { removed } = await mount.change('password', 'remove', { csrfToken: await getCsrfToken() })
      if (removed !== true)
        throw new ClientError('server-error', 'The server did not say that the password is removed.')
    },
    async mailAddressLink(email, { redirectTo } = {}) {
      const url = mount.url('address')
      const result = await sendForm('Address', url, { email }, redirectTo)
      // A page of another origin asks for no address: the page of the mount does.
      return conclude(result, result.url === url.href)
    },
    ...createVisitorClient(mount, getCsrfToken),
    async linkAccount(providerId, { redirectTo, redirect } = {}) {
      const fields = await withCsrf(new URLSearchParams({ callbackUrl: mount.returnTarget(redirectTo) }))
      return conclude(await mount.postForm(mount.url('link', providerId), fields), redirect)
    },
  }
}

/** The server's answer when the cookies were deleted and the session could not be ended; throws any other failure. */
async function signedOutHereOnly(failure: unknown): Promise<FormResult> {
  const { body } = await readRefusal(failure)
  if (body['error'] !== NOT_ENDED || typeof body['url'] !== 'string') throw failure
  return { url: body['url'], error: NOT_ENDED, code: null }
}

/** The error of a sign-out after which the visitor is signed out in this browser, and the session may still be open. */
export const NOT_ENDED = 'SignOut'

const signOutFailed = (error: string) =>
  error === NOT_ENDED
    ? new ClientError('not-ended', 'Signed out in this browser, but the server could not end the session.')
    : new ClientError(
        error === 'MissingCSRF' ? 'refused' : 'server-error',
        `The sign-out failed with ${error}; nobody was signed out.`,
      )

/** @throws {ClientError} when the answer is no session: an empty object must not count as a signed-in visitor */
function readSession(answer: unknown): Session | null {
  if (answer === null) return null
  if (typeof answer !== 'object' || Array.isArray(answer) || Object.keys(answer).length === 0) {
    throw new ClientError('server-error', 'The server answered something that is no session.')
  }
  return answer as Session
}

function conclude({ url, error, code }: FormResult, redirect = true): SignInResult {
  if (redirect) navigate(url)
  return { ok: error === null, url, error, code }
}

/** Separates the fields from the options. A member that is not a text is sent as text. */
export function readOptions(options: SignInOptions | FormData) {
  const {
    redirect,
    redirectTo: target,
    callbackUrl,
    ...given
  } = options instanceof FormData ? Object.fromEntries(options) : options
  const redirectTo = target ?? callbackUrl
  const fields = new URLSearchParams()
  for (const [name, value] of Object.entries(given)) {
    if (value !== undefined && value !== null) fields.set(name, String(value))
  }
  return {
    fields,
    redirect: redirect === undefined ? undefined : redirect !== false && redirect !== 'false',
    redirectTo: typeof redirectTo === 'string' ? redirectTo : undefined,
  }
}
