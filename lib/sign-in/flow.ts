import type { JWK } from 'jose'
import type { Keep } from '../kernel/answer.js'
import type { MaybePromise } from '../kernel/awaitable.js'
import type { BodyFields } from '../kernel/body.js'
import type { CookieChange, CookieSpecs } from '../kernel/cookies.js'
import type { Incoming } from '../kernel/incoming.js'
import type { RequestCookies } from '../kernel/request-cookies.js'
import type { TokenCalls } from '../oauth/token-calls.js'
import type { Principal } from '../sessions/session.js'
import type { Identity } from '../users/identity.js'

/** What a flow sees of a request. */
export interface FlowRequest {
  readonly incoming: Incoming
  /** Public origin, without a trailing slash. */
  readonly origin: string
  /** Public URL of the mount, without a trailing slash. */
  readonly mountUrl: string
  readonly cookies: RequestCookies
  readonly specs: CookieSpecs
  /** What the answer carries: a flow keeps the cookies that clear the transaction it ended. */
  readonly keep: Keep
  /** Whether a page of the application on another origin sent the request. */
  readonly fromFrontEnd: boolean
  /** Whether a page of a front end may have sent the request, though nothing says so: it can have browsers write `Origin: null`. */
  readonly mayBeFromFrontEnd: boolean
  /** The query. */
  readonly query: URLSearchParams
  /** The body; no fields with GET. */
  readonly fields: BodyFields
  /** Where the visitor goes once signed in. The `redirect` callback is asked when this is first called. */
  returnTarget(): MaybePromise<string>
  /** The principal; null when nobody is signed in. It rejects when the session cannot be read. */
  readPrincipal(): Promise<Principal | null>
}

/** The part of a request that hooks of a passkey provider are shown. */
export type HookedRequest = Pick<FlowRequest, 'incoming' | 'origin' | 'mountUrl' | 'cookies' | 'query' | 'fields'>

/** What a provider's callback finds out: an identity, or that the answer belongs to another mount. */
export type FlowResult =
  | {
      readonly kind: 'identity'
      readonly identity: Identity
      /** The return target that the transaction was begun with; absent where the flow does not keep it. */
      readonly returnTarget?: string
      /** Whether the visitor asked to stay signed in, in the form with which the sign-in began. */
      readonly isRemembered: boolean
    }
  | { readonly kind: 'forward'; readonly url: string }

/** What a provider is asked for beside what is configured. */
export interface FurtherAccess {
  /** Null for no further scope (RFC 6749 §3.3). */
  readonly scope: string | null
  /** Whether a refresh token is wanted. */
  readonly offline: boolean
  /** Whether the person shall choose the account, because the provider may remember another one. */
  readonly choosesAccount: boolean
}

/** A link that begins: an account at a provider is to be added to the signed-in user. */
export interface LinkStart extends FurtherAccess {
  /** Digest of the session in which it begins, as {@link Identity.linkSessionDigest}. */
  readonly sessionDigest: string
  /** The link request, as it came; absent for none. It leads back to the page of the link. */
  readonly request?: string | undefined
}

/** How a sign-in begins: where the visitor goes, or where the `signIn` callback sends them instead. */
export type FlowStart =
  | { readonly url: string; readonly cookies: readonly CookieChange[] }
  /** The answer of the `signIn` callback; it has yet to pass the `redirect` callback. */
  | { readonly redirectTo: string }

/** A callback that ends nothing yet: nothing was used up, and the cookies of the transaction stay. */
export type FlowPause =
  | FlowQuestion
  /** The same callback as a GET: with the POST of a provider's site, browsers send no `SameSite=Lax` cookie. */
  | { readonly kind: 'repeat'; readonly url: string }

/** A callback that asks before it signs in. */
export interface FlowQuestion {
  readonly kind: 'confirm'
  /** The address that it signs in; null when the address must not be shown. */
  readonly identifier: string | null
  /** What the form of the page posts to the same callback, beside its CSRF token and return target. */
  readonly fields: Readonly<Record<string, string>>
}

/**
 * What a page's script needs before it asks the browser for a passkey: options, or the reason why it gets no options.
 */
export interface FlowOptions {
  readonly status: number
  readonly body: unknown
  readonly cookies: readonly CookieChange[]
}

/** Who has signed out at a provider, and where. At least one of `subject` and `sid` is present. */
export interface LogoutClaims {
  readonly subject?: string
  readonly sid?: string
  /** `jti`: the token may be used once. */
  readonly tokenId: string
  /** When the provider made the token, milliseconds since the epoch. */
  readonly issuedAt: number
  /** From when on the token is refused because of its age, milliseconds since the epoch. */
  readonly refusedFrom: number
}

/** A logout endpoint of a provider, and its dialect. */
export interface EndSessionEndpoint {
  readonly url: URL
  /** Name of the parameter for the address to return to; null if that is a setting at the provider. */
  readonly returnParam: string | null
}

/** What a provider does beside sign-ins, so that people are signed out. */
export interface LogoutCalls {
  /** @throws {ProviderFault} when the logout token is not one of the provider */
  verifyLogoutToken(token: string): Promise<LogoutClaims>
  /** Null if the provider has none, or one that no token may be sent to. */
  endSessionEndpoint(): Promise<EndSessionEndpoint | null>
  /** The origin of the provider if the text is its issuer; null otherwise. */
  originOfIssuer(issuer: string): Promise<string | null>
}

/** One way to sign in, for one provider. `flows/create-flows.ts` makes the flow of each configured provider. */
export interface Flow {
  /** Methods by which the provider's callback is reached. */
  readonly callbackMethods: readonly ('GET' | 'POST')[]
  /** Whether our own form posts to the callback, so that it must bring a CSRF token. */
  readonly callbackNeedsCsrf: boolean
  /** Whether the flow keeps the return target with its transaction, so that the callback need not name it. */
  readonly keepsReturnTarget: boolean
  /**
   * Begins a sign-in; null when it begins with the form on the sign-in page.
   *
   * @param initiator who is signed in, as in {@link Identity.initiator}
   * @param link present if an account is to be added, and nobody is to be signed in; for OAuth and OpenID Connect only
   */
  readonly start: ((request: FlowRequest, initiator: string | null, link?: LinkStart) => Promise<FlowStart>) | null
  /**
   * The relying party id of the request's site. Only passkey flows have it.
   *
   * @throws {AuthError} when the provider's hook throws or gives none
   */
  relyingPartyId?(request: HookedRequest): MaybePromise<string>
  /** Gives what a script needs to begin, for kinds that begin in the browser. */
  options?(request: FlowRequest): Promise<FlowOptions>
  /**
   * Ends a sign-in, or asks first, or for the same request with all cookies.
   *
   * @throws {AuthError} when nobody signed in; its kind says which page the visitor sees
   */
  finish(request: FlowRequest): Promise<FlowResult | FlowPause>
  /** Loads what signs people out. Only OAuth and OpenID Connect flows have it. */
  logoutCalls?(): Promise<LogoutCalls>
  /** The public keys of the application that its provider may read. Only OAuth and OpenID Connect flows have it. */
  readonly publicKeys?: () => Promise<readonly JWK[]>
  /** The calls about tokens, with a provider that gives tokens. */
  readonly tokenCalls?: () => Promise<TokenCalls>
}

/** The steps of a flow whose sign-in begins at the server. Their code is loaded at its first use. */
export type StartedSteps = Pick<Flow, 'finish'> & { readonly start: NonNullable<Flow['start']> }

/** The steps of a flow whose sign-in begins in the browser. Their code is loaded at its first use. */
export type BrowserSteps = Required<Pick<Flow, 'relyingPartyId' | 'options' | 'finish'>>
