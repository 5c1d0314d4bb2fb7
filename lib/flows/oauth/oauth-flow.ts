import type { CookieChange, CookieSpecs, RequestCookies } from '../../http/cookies.js'
import type { ResolvedOAuthProvider } from '../../providers/provider.js'
import type { FlowResult } from '../flow.js'

/** A sign-in to begin. */
export interface OAuthStart {
  readonly provider: ResolvedOAuthProvider
  /** Public URL of the mount, without a trailing slash: `https://app.example/auth`. */
  readonly mountUrl: string
  readonly cookies: RequestCookies
  readonly specs: CookieSpecs
  /** Parameters of the sign-in request, to be passed on unless they are reserved. */
  readonly authorizationParams: URLSearchParams
  /** Where the visitor goes once signed in; kept with the attempt, so that two tabs do not mix their targets. */
  readonly returnTarget: string
  /** Who is signed in, as a digest; null for nobody. */
  readonly initiator: string | null
}

/** An answer of a provider. */
export interface OAuthAnswer {
  readonly provider: ResolvedOAuthProvider
  readonly mountUrl: string
  readonly cookies: RequestCookies
  readonly specs: CookieSpecs
  /** The answer's parameters: from the query, or from the body where `form_post` is configured. */
  readonly params: URLSearchParams
}

/** The two halves of a sign-in at an OAuth or OpenID Connect provider. */
export interface OAuthFlow {
  /**
   * Where to send the browser, and the cookies that bind the answer to it.
   *
   * @throws {OAuthSignInError} when the provider cannot be reached or its metadata is unusable
   */
  start(start: OAuthStart): Promise<{ readonly url: string; readonly cookies: readonly CookieChange[] }>
  /**
   * Who the provider says signed in.
   *
   * @throws {NoOpenAttempt} when the browser has nothing of the attempt; {@link InvalidCheck} when the one-time values are incomplete, expired, used up or of another provider
   * @throws {OAuthCallbackError} when the provider answered with an error
   * @throws {OAuthProfileParseError} when the profile gives no usable user
   * @throws {CallbackRouteError} for every other fault
   */
  finish(answer: OAuthAnswer): Promise<FlowResult>
  /** Deletes the one-time cookies of the attempt that an answer belongs to, whether it succeeds or fails. */
  clearAttempt(answer: OAuthAnswer): readonly CookieChange[]
}
