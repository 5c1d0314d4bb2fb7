import type { Identity, PrincipalReader } from '../accounts/identity.js'
import type { BodyFields } from '../http/body.js'
import type { CookieChange, CookieSpecs, RequestCookies } from '../http/cookies.js'
import type { Incoming } from '../http/incoming.js'

/** What a flow sees of a request. */
export interface FlowRequest {
  readonly incoming: Incoming
  /** Public origin, without a trailing slash. */
  readonly origin: string
  /** Public URL of the mount, without a trailing slash. */
  readonly mountUrl: string
  readonly cookies: RequestCookies
  readonly specs: CookieSpecs
  /** The query. */
  readonly query: URLSearchParams
  /** The body; no fields with GET. */
  readonly fields: BodyFields
  /** Where the visitor goes once signed in. */
  readonly callbackUrl: string
}

/** How a provider's callback ends: a person, or another mount to hand the answer on to. */
export type FlowOutcome =
  | {
      readonly kind: 'identity'
      readonly identity: Identity
      /** The return target of the attempt that this callback ends, where the flow remembers it. */
      readonly callbackUrl?: string
    }
  | { readonly kind: 'forward'; readonly url: string }

/** How a sign-in begins: where the visitor goes, or where the `signIn` callback sends them instead, which has yet to pass `redirect`. */
export type FlowStart =
  | { readonly url: string; readonly cookies: readonly CookieChange[] }
  | { readonly elsewhere: string }

/** A callback that asks before it signs in: nothing has been used up, and the cookies of the attempt stay. */
export interface FlowQuestion {
  readonly kind: 'confirm'
  /** Whom it signs in; null when that is not fit to be shown. */
  readonly identifier: string | null
  /** What the form of the page posts to the same callback, beside its CSRF token and return target. */
  readonly fields: Readonly<Record<string, string>>
}

/** What a page's script is told before it can ask for something: passkey options, or why there are none. */
export interface FlowOptions {
  readonly status: number
  readonly body: unknown
  readonly cookies: readonly CookieChange[]
}

/** One way to sign in, for one provider. Chosen once, when the configuration is resolved. */
export interface Flow {
  /** Methods by which the provider's callback is reached. */
  readonly callbackMethods: readonly ('GET' | 'POST')[]
  /** Whether our own form posts to the callback, so that it must bring a CSRF token. */
  readonly callbackNeedsCsrf: boolean
  /**
   * Begins a sign-in; null when it begins with the form on the sign-in page.
   *
   * @param initiator who is signed in, as in {@link Identity.initiator}
   */
  readonly start: ((request: FlowRequest, initiator: string | null) => Promise<FlowStart>) | null
  /**
   * The domain that passkeys of a request's site are for; no other kind has one.
   *
   * @throws {AuthError} when the provider's hook throws or gives none
   */
  relyingPartyId?(request: FlowRequest): string
  /** Gives what a script needs to begin, for kinds that begin in the browser. */
  options?(request: FlowRequest, readPrincipal: PrincipalReader): Promise<FlowOptions>
  /**
   * Ends it, or asks first.
   *
   * @param readPrincipal asked where an attempt is not there any more, to tell why
   * @throws {AuthError} when nobody signed in; its kind says which page tells the visitor
   */
  finish(request: FlowRequest, readPrincipal: PrincipalReader): Promise<FlowOutcome | FlowQuestion>
  /** Deletes the one-time cookies of the attempt that a callback belongs to, whether it succeeds or fails. */
  clearOneTime(request: FlowRequest): readonly CookieChange[]
}
