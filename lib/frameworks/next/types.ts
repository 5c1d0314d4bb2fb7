import type { IncomingMessage, ServerResponse } from 'node:http'
import type { NextFetchEvent, NextRequest } from 'next/server.js'
import type { AuthConfig } from '../../config/options.js'
import type { MaybePromise } from '../../kernel/awaitable.js'
import type { CurrentSession, Session } from '../../sessions/session.js'
import type { AuthorizationParams, VisitorOfRequest } from '../web/index.js'

type Callbacks = NonNullable<AuthConfig['callbacks']>

/** The configuration: that of Latchkey, whose `authorized` callback gets the request class of Next.js. */
export interface NextAuthConfig extends Omit<AuthConfig, 'raw' | 'callbacks'> {
  callbacks?: Omit<Callbacks, 'authorized'> & {
    /**
     * Decides who may see a page, where `auth` is the proxy (middleware) or wraps a handler. True lets the request
     * pass, false sends a person to sign in and answers a script with 401, and a response is the answer. It is asked about
     * each spelling of the path that routes may read.
     */
    authorized?: (params: {
      request: NextRequest
      auth: CurrentSession | null
    }) => MaybePromise<boolean | Response | null | undefined>
  }
}

/** A request with the session of its visitor; null when nobody is signed in. */
export interface NextAuthRequest extends NextRequest {
  auth: CurrentSession | null
}

/** What Next.js gives a route handler beside the request. */
export interface RouteContext {
  params: Promise<Record<string, string | string[] | undefined>>
}

type Answer = MaybePromise<Response | null | undefined | void>

/** Reads the session, or protects what it is put before. */
export interface Auth {
  /**
   * In server components, server actions and route handlers: the session, or null when nobody is signed in. It is not
   * renewed, since a server component cannot set a cookie.
   *
   * @throws {AuthError} when it cannot be read because of a fault; a fault never means that nobody is signed in
   */
  (): Promise<CurrentSession | null>
  /**
   * Wraps a route handler or a proxy (middleware), which finds the session as `request.auth`. The `authorized` callback
   * is asked first, if there is one. The session is renewed when it is time.
   */
  <Context = RouteContext>(
    handler: (request: NextAuthRequest, context: Context) => Answer,
  ): (request: NextRequest, context: Context) => Promise<Response>
  /**
   * As the proxy (middleware) of the application: `export { auth as proxy } from './auth'`. It asks the `authorized`
   * callback, if there is one, and renews the session when it is time.
   */
  (request: NextRequest, event: NextFetchEvent): Promise<Response>
  /** In `getServerSideProps`: the session, which is renewed when it is time. */
  (context: PagesContext): Promise<CurrentSession | null>
  /** In API routes of the pages router: the session, which is renewed when it is time. */
  (request: IncomingMessage, response: ServerResponse): Promise<CurrentSession | null>
}

/** What `getServerSideProps` is given, as far as it is needed. */
export interface PagesContext {
  req: IncomingMessage
  res: ServerResponse
}

/** Whether and where the visitor is sent. */
export interface RedirectOptions<Redirects extends boolean = true> {
  /** Where the visitor goes in the end: a path, or a URL of this application; by default the page they are on. */
  redirectTo?: string
  /** False gives the address in place of sending the visitor there. True by default. */
  redirect?: Redirects
}

/** What `NextAuth` gives. */
export interface NextAuthResult {
  /** For `app/api/auth/[...nextauth]/route.ts`: `export const { GET, POST } = handlers`. */
  readonly handlers: Readonly<Record<'GET' | 'POST', (request: NextRequest) => Promise<Response>>>
  readonly auth: Auth
  /**
   * In server actions and route handlers: begins a sign-in, or, with a provider of credentials, does it. Without a
   * provider the visitor is sent to the sign-in page.
   *
   * @param options the fields of the provider's form, as the form that was posted or as an object
   * @throws {CredentialsSignin} when `authorize` accepts nobody
   * @throws {MissingCSRF} when the request may come from another site
   * @throws {AuthError} when the sign-in fails otherwise
   */
  signIn<Redirects extends boolean = true>(
    provider?: string | null,
    options?: FormData | (RedirectOptions<Redirects> & Record<string, unknown>),
    authorizationParams?: AuthorizationParams,
  ): Promise<Redirects extends false ? string : never>
  /**
   * In server actions and route handlers: ends the session; with `endSession` also that at the provider, if its option
   * `endSession` is set.
   *
   * @throws {MissingCSRF} when the request may come from another site
   */
  signOut<Redirects extends boolean = true>(
    options?: RedirectOptions<Redirects> & { readonly endSession?: boolean },
  ): Promise<Redirects extends false ? string : never>
  /**
   * In server actions and route handlers: changes the session. The `jwt` and `session` callbacks get `data` as they get
   * that of a client's update.
   */
  unstable_update(data: Partial<Session> | { user: Partial<Session['user']> }): Promise<CurrentSession | null>
  /**
   * What the visitor does with what is theirs: sessions, accounts, passkeys, tokens. What changes something is for server
   * actions and route handlers.
   *
   * @example
   * const passkeys = await (await visitor()).listPasskeys()
   */
  visitor(): Promise<VisitorOfRequest>
}
