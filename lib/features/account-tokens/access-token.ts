/** What an application asks of an access token. */
export interface AccessTokenRequest {
  /** What the token must be good for: words with blanks between them (RFC 6749 §3.3). */
  readonly scope?: string | undefined
  /** Id of the account at the provider, for a user who has several there. */
  readonly accountId?: string | undefined
}

/** An access token that can be used now. */
export interface LiveAccessToken {
  readonly status: 'ok'
  readonly accessToken: string
  /** When it expires; null if the provider did not say that. */
  readonly expiresAt: Date | null
  /** What the provider has granted, as it named it; null if it did not say that. */
  readonly scope: string | null
  /** In lower case: `bearer`. */
  readonly tokenType: string
  readonly provider: string
  /** Id of the account at the provider. */
  readonly providerAccountId: string
}

/**
 * Why a user must go to the provider first:
 *
 * - `no-account`: the user has no account there, or not the one that was asked for
 * - `no-refresh-token`: the access token has expired, and there is nothing to refresh it with
 * - `refused`: the provider does not accept the refresh token any more; the user may have withdrawn the consent
 * - `scope`: the user has not granted the scope
 */
export type ReauthorizationReason = 'no-account' | 'no-refresh-token' | 'refused' | 'scope'

/** The provider or the store cannot answer at the moment. The cause is in the log. */
export interface TokenUnavailable {
  readonly status: 'unavailable'
  /** What the provider said about the next try. */
  readonly retryAfterSeconds?: number
}

/** What came of a request for an access token, before the address for a new consent is known. */
export type AccessTokenOutcome =
  | LiveAccessToken
  | { readonly status: 'reauthorize'; readonly reason: ReauthorizationReason }
  | TokenUnavailable

/** What came of a request for an access token. */
export type AccessTokenResult =
  | LiveAccessToken
  | {
      readonly status: 'reauthorize'
      readonly reason: ReauthorizationReason
      /** Page of the mount to which the user is sent. It is for this user, and for an hour. */
      readonly url: string
    }
  | TokenUnavailable
