import { isBuiltBySvelteKit } from '../../config/env.js'
import type { MaybePromise } from '../../kernel/awaitable.js'
import { fieldsOfForm } from '../../kernel/body.js'
import type { CookieAttributes } from '../../kernel/cookies.js'
import type { CurrentSession } from '../../sessions/session.js'
import { createRequestSession, type RequestSession } from '../web/framework-session.js'
import { cookieHeader, eventRequest } from '../web/headers.js'
import {
  type AuthorizationParams,
  appendCookies,
  privateByDefault,
  type SignInRequest,
  type VisitorOfRequest,
  type WebAuth,
} from '../web/index.js'

/** As much of SvelteKit's `RequestEvent` as Latchkey reads. The events of SvelteKit 2 and 3 have this type. */
export interface SvelteKitEvent {
  readonly request: Request
  /** The address without the suffix of a data request. */
  readonly url: URL
  readonly locals: object
  readonly cookies: {
    getAll(): readonly { readonly name: string; readonly value: string }[]
    set(name: string, value: string, options: CookieAttributes & { path: string }): void
  }
  /** Whether the page is asked for its data only: `/notes/__data.json`. */
  readonly isDataRequest: boolean
  /** Whether `event.fetch` made the request, on the server. */
  readonly isSubRequest: boolean
  /** Whether the request is that of a remote function. Older versions of SvelteKit 2 do not say it. */
  readonly isRemoteRequest?: boolean
  /** The IP address of the client, as the adapter of SvelteKit knows it. It throws where nothing knows it. */
  getClientAddress?(): string
}

/** What SvelteKit gives to a `handle` hook. */
export interface HandleInput<Event extends SvelteKitEvent> {
  readonly event: Event
  resolve(event: Event): MaybePromise<Response>
}

/** A `handle` hook, as SvelteKit's `Handle`. */
export type SvelteKitHandle = <Event extends SvelteKitEvent>(input: HandleInput<Event>) => Promise<Response>

/**
 * What `latchkey/web` must know of an event beside its request. The adapter of SvelteKit has read the forwarded headers that
 * its settings trust, and `event.url` is the result: SvelteKit itself compares it with the sender of every form. So the
 * headers of the request are read without them.
 */
export const factsOf = (event: SvelteKitEvent) =>
  ({
    protocol: event.url.protocol === 'https:' ? 'https' : 'http',
    host: event.url.host,
    // As they are now: an action can begin a session before the page of its answer reads it.
    cookies: cookieHeader(event.cookies.getAll()),
    clientAddress: () => event.getClientAddress?.(),
  }) as const

/** The path for which SvelteKit makes the fallback page. */
const FALLBACK = '/[fallback]'

/**
 * Whether SvelteKit makes a page or a fallback while it builds the application. Nobody is signed in then, and there may be
 * no secret. `url.search` throws while SvelteKit prerenders. The request for a fallback has no headers and a path of its
 * own. A visitor can send the same, and would then pass the guard: so the process must also be that of a build, which
 * SvelteKit 2 and 3 say in the environment of the thread.
 */
export function isBuilding({ request, url, isSubRequest }: SvelteKitEvent): boolean {
  try {
    void url.search
  } catch {
    return true
  }
  if (isSubRequest || url.pathname !== FALLBACK || !isBuiltBySvelteKit()) return false
  return request.headers.keys().next().done === true
}

/** The session of one event, and the answer to the event. */
export interface EventSession extends Pick<RequestSession, 'read' | 'change' | 'visitor'> {
  /**
   * The answer with all cookies that were changed. If the session was read or a guard has decided, no cache keeps it unless
   * the application says so. From now on nothing is renewed.
   */
  finish(response: Response): Promise<Response>
  /** The request ends without an answer of `resolve`, as when a later hook redirects. */
  abandon(): void
}

/**
 * @param auth the configuration at work
 * @param isHandled whether `handle` finishes the answer; without it, SvelteKit alone sets the cookies
 */
export function startEventSession(event: SvelteKitEvent, auth: WebAuth, isHandled: boolean): EventSession {
  let isAnswered = false
  /** Whether the answer depends on who asks, as far as is known. */
  let isForVisitor = false

  const requestSession = createRequestSession({
    requestAuth(request = eventRequest(event.request)) {
      isForVisitor = true
      return auth.forRequest(request, factsOf(event))
    },
    canSetCookies: () => !isAnswered,
    // What a sub-request sets may never reach the browser.
    renews: !event.isSubRequest,
    // SvelteKit gets to know the cookies too: for `event.fetch`, for `cookies.get`, and for redirects that a hook throws.
    setCookie({ name, value, options }) {
      try {
        event.cookies.set(name, value, { path: '/', ...options })
      } catch (error) {
        // SvelteKit has made its answer already, but `finish` waits and adds the cookie.
        if (!isHandled) throw error
      }
    },
    tooLate: TOO_LATE,
  })

  return {
    ...requestSession,
    async finish(response) {
      await requestSession.settled()
      isAnswered = true
      const answer = isForVisitor ? privateByDefault(response) : response
      return appendCookies(answer, [...requestSession.cookies.values()])
    },
    abandon() {
      isAnswered = true
    },
  }
}

const TOO_LATE =
  'The answer has been made, so no cookie can be set: sign in, sign out and update the session before the page is ' +
  'rendered, not in a promise that a load function streams.'

/**
 * What `handle` adds to `event.locals`. Declare it in `src/app.d.ts`:
 * `interface Locals extends AuthLocals {}` in `declare global { namespace App { … } }`.
 */
export interface AuthLocals {
  /**
   * The session; null when nobody is signed in, and while SvelteKit prerenders. It is renewed when it is time, except in
   * promises that are streamed and in requests of `event.fetch`.
   *
   * @throws {AuthError} when it cannot be read because of a fault; a fault never means that nobody is signed in
   */
  auth(): Promise<CurrentSession | null>
  /** The same as {@link auth}, under its older name. */
  getSession(): Promise<CurrentSession | null>
  /**
   * Changes the session: `data` reaches the `jwt` and `session` callbacks with the trigger `update`.
   *
   * @returns the session afterwards; null when nobody is signed in
   * @throws {AuthError} as {@link auth}, and when the answer has been made already
   */
  updateSession(data: unknown): Promise<CurrentSession | null>
  /**
   * What the visitor does with what is theirs, as with their sessions.
   *
   * @example
   * const sessions = await (await locals.visitor()).listSessions()
   */
  visitor(): Promise<VisitorOfRequest>
  /**
   * Signs in, or sends to the provider. Without a provider the visitor goes to the sign-in page.
   *
   * @returns the URL to go to, with `redirect: false`; otherwise it redirects
   * @throws {CredentialsSignin} when `authorize` accepts nobody
   * @throws {MissingCSRF} when the request may come from another site
   * @throws {AuthError} when the sign-in fails otherwise
   */
  signIn<Redirect extends boolean = true>(
    provider?: string | null,
    options?: FormData | SignInOptions<Redirect>,
    authorizationParams?: AuthorizationParams,
  ): Promise<Redirect extends false ? string : never>
  /**
   * Ends the session; with `endSession` also that at the provider, if its option `endSession` is set.
   *
   * @returns the URL to go to, with `redirect: false`; otherwise it redirects
   * @throws {MissingCSRF} when the request may come from another site
   */
  signOut<Redirect extends boolean = true>(
    options?: RedirectOptions<Redirect> & { readonly endSession?: boolean },
  ): Promise<Redirect extends false ? string : never>
}

/** Options of a sign-in or a sign-out by code; a form has them as fields. */
export interface RedirectOptions<Redirect extends boolean = boolean> {
  /** Path or URL of this origin, for afterwards; by default the page that the request came from. */
  readonly redirectTo?: string
  /** With `false` the URL is returned, and nothing is redirected. */
  readonly redirect?: Redirect
}

/** Options of a sign-in by code, with the fields of the provider's form: `email`, `username`, `password`. */
export interface SignInOptions<Redirect extends boolean = boolean> extends RedirectOptions<Redirect> {
  readonly [field: string]: unknown
}

/** The options of a sign-in or a sign-out, as a form or a call gave them, and the fields for the provider. */
export interface GivenOptions {
  readonly fields: Readonly<Record<string, unknown>>
  readonly redirectTo: string | undefined
  readonly redirects: boolean
}

/** Fields whose names begin with this are parameters of the authorization request. */
const PARAMETER = 'authorizationParams-'

/**
 * Reads options. `callbackUrl` is an older name of `redirectTo`.
 *
 * @throws {RequestRefused} 400 when a form repeats a field
 */
export function readOptions(options: FormData | SignInOptions = {}): GivenOptions {
  const given: Record<string, unknown> = options instanceof FormData ? { ...fieldsOfForm(options) } : { ...options }
  const { redirectTo, redirect, callbackUrl, ...fields } = given
  return {
    fields,
    redirectTo: nonEmptyText(redirectTo) ?? nonEmptyText(callbackUrl),
    redirects: redirect !== false && redirect !== 'false',
  }
}

/** Reads the form of a sign-in: `providerId`, options, parameters of the authorization request, and the other fields. */
export function readSignInForm(form: FormData): GivenOptions & Pick<SignInRequest, 'provider' | 'authorizationParams'> {
  const { fields, ...options } = readOptions(form)
  const { providerId, ...others } = fields
  const entries = Object.entries(others)
  const params = entries.flatMap(([name, value]) =>
    name.startsWith(PARAMETER) && typeof value === 'string' ? [[name.slice(PARAMETER.length), value]] : [],
  )
  return {
    ...options,
    fields: Object.fromEntries(entries.filter(([name]) => !name.startsWith(PARAMETER))),
    provider: nonEmptyText(providerId),
    authorizationParams: params,
  }
}

const nonEmptyText = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined)
