import type { JWK } from 'jose'
import type { MaybePromise } from '../kernel/awaitable.js'
import type { CookieChange } from '../kernel/cookies.js'
import { AuthError } from '../kernel/errors.js'
import type { LogoutCalls } from '../oauth/logout-token.js'
import type { TokenCalls } from '../oauth/token-calls.js'
import type { ResolvedProvider } from '../providers/provider.js'
import type { Identity } from '../users/identity.js'
import type { Config, ServiceKey } from './config.js'
import type { Outcome } from './outcome.js'
import type { Visit } from './visit.js'

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
  /** An answer of the flow's own, such as a page that asks before it signs in. */
  | { readonly kind: 'answer'; readonly outcome: Outcome }
  /** The same callback as a GET: with the POST of a provider's site, browsers send no `SameSite=Lax` cookie. */
  | { readonly kind: 'repeat'; readonly url: string }

/**
 * What a page's script needs before it asks the browser for a passkey: options, or the reason why it gets no options.
 */
export interface FlowOptions {
  readonly status: number
  readonly body: unknown
  readonly cookies: readonly CookieChange[]
}

/**
 * What is tried: something that others could guess, a mail to somebody, or what only costs work. Codes of a second factor are counted
 * apart: only who has shown the first one guesses them, and a stranger's wrong passwords keep nobody from entering theirs.
 */
export type LimitKind = 'guesses' | 'codes' | 'mails' | 'requests'

/** What a route counts. `address-mails` let nobody in, so they use up none of the mails that do: strangers would lock somebody out. */
export type CountedKind = LimitKind | 'address-mails'

/** How tries are counted, by method. */
export type Limits = { readonly [Method in 'GET' | 'POST']?: CountedKind }

/** One way to sign in, for one provider. Features bring them. */
export interface Flow {
  /** Methods by which the provider's callback is reached. */
  readonly callbackMethods: readonly ('GET' | 'POST')[]
  /** Whether our own form posts to the callback, so that it must bring a CSRF token. */
  readonly callbackNeedsCsrf: boolean
  /** How its begin and its callbacks are counted, by method. Absent: not at all. */
  readonly limits?: { readonly start?: Limits; readonly finish?: Limits }
  /** Whether the flow keeps the return target with its transaction, so that the callback need not name it. */
  readonly keepsReturnTarget?: true
  /**
   * Begins a sign-in; absent when it begins with the form on the sign-in page.
   *
   * @param initiator who is signed in, as in {@link Identity.initiator}
   * @param link present if an account is to be added, and nobody is to be signed in; for OAuth and OpenID Connect only
   */
  start?(request: Visit, initiator: string | null, link?: LinkStart): Promise<FlowStart>
  /**
   * The relying party id of the request's site. Only passkey flows have it.
   *
   * @throws {AuthError} when the provider's hook throws or gives none
   */
  relyingPartyId?(request: Visit): MaybePromise<string>
  /** Gives what a script needs to begin, for kinds that begin in the browser. */
  options?(request: Visit): Promise<FlowOptions>
  /**
   * Ends a sign-in, or asks first, or for the same request with all cookies.
   *
   * @throws {AuthError} when nobody signed in; its kind says which page the visitor sees
   */
  finish(request: Visit): Promise<FlowResult | FlowPause>
  /** Loads what signs people out. Only OAuth and OpenID Connect flows have it. */
  logoutCalls?(): Promise<LogoutCalls>
  /** The public keys of the application that its provider may read. Only OAuth and OpenID Connect flows have it. */
  readonly publicKeys?: () => Promise<readonly JWK[]>
  /** The calls about tokens, with a provider that gives tokens. */
  readonly tokenCalls?: () => Promise<TokenCalls>
}

/** The steps of a flow whose sign-in begins at the server. Their code is loaded at its first use. */
export type StartedSteps = Required<Pick<Flow, 'start' | 'finish'>>

/** The steps of a flow whose sign-in begins in the browser. Their code is loaded at its first use. */
export type BrowserSteps = Required<Pick<Flow, 'relyingPartyId' | 'options' | 'finish'>>

/** The flows of the providers of a configuration, by their ids. */
export const FLOWS: ServiceKey<ReadonlyMap<string, Flow>> = { name: 'flows' }

/** The flow of a configured provider. */
export function flowOf({ services }: Pick<Config, 'services'>, { id }: ResolvedProvider): Flow {
  const flow = services.get(FLOWS).get(id)
  if (!flow) throw new AuthError(`Provider "${id}" has no flow.`)
  return flow
}
