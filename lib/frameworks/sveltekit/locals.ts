import type { CurrentSession } from '../../sessions/session.js'
import type { AuthorizationParams, VisitorOfRequest } from '../web/index.js'
import type { RedirectOptions, SignInOptions } from './form.js'

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
   * What the visitor does with what is theirs: sessions, accounts, passkeys, tokens.
   *
   * @example
   * const passkeys = await (await locals.visitor()).listPasskeys()
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
