import { object } from '../kernel/object-shape.js'
import { either, flag, oneOf, recordOf, seconds, text } from '../kernel/shape.js'

/**
 * How an application gets a refresh token: `always`, `never`, or with a scope or parameters of the authorization request.
 * `setting` means that a setting or an approval of the app at the provider decides.
 */
export type RefreshFacts = 'always' | 'never' | 'setting' | RefreshRequest

/** What the authorization request must ask for, so that the answer has a refresh token. */
export interface RefreshRequest {
  /** A further scope: `offline_access`. */
  readonly scope?: string
  /** Further parameters: `{ access_type: 'offline' }`. */
  readonly params?: Readonly<Record<string, string>>
}

/**
 * How a call that revokes a token differs from RFC 7009 §2.1:
 *
 * - `rfc7009`: not at all. A form with `token`, and the client authenticates as at the token endpoint
 * - `public`: a form with `client_id` and `token`, without a secret
 * - `token-only`: a form with `token`, without the client
 * - `access-token`: a form with `access_token`, `client_id` and `client_secret`
 * - `json`: JSON with `token`, and HTTP Basic
 * - `bearer`: no body; the token is in `Authorization: Bearer`
 * - `delete-json`: a DELETE request with `access_token` in JSON, and HTTP Basic
 * - `delete-bearer`: a DELETE request with the token in `Authorization: Bearer`
 */
export type RevocationDialect = (typeof REVOCATION_DIALECTS)[number]

/** Every {@link RevocationDialect}. */
export const REVOCATION_DIALECTS = [
  'rfc7009',
  'public',
  'token-only',
  'access-token',
  'json',
  'bearer',
  'delete-json',
  'delete-bearer',
] as const

/**
 * An endpoint: `metadata` if the metadata of the provider have its URL, or the URL. `{issuer}` in it stands for the issuer
 * without the slash at its end, `{client_id}` for the client id.
 */
export type FactUrl = 'metadata' | (string & {})

/** Where tokens are revoked, and how. */
export interface RevocationFacts {
  readonly url: FactUrl
  /** Absent if it is not documented. Then no call may be made. */
  readonly dialect?: RevocationDialect
  /** Further headers that the call must have. */
  readonly headers?: Readonly<Record<string, string>>
  /** The only kind of token that can be revoked there. Absent for both. */
  readonly only?: 'access' | 'refresh'
}

/** Where a browser is sent to sign out at the provider. */
export interface EndSessionFacts {
  readonly url: FactUrl
  /**
   * Name of the parameter for the address to return to, which goes there with `client_id`. Null if the address is a setting of
   * the app at the provider.
   */
  readonly returnParam: string | null
  /**
   * Whether the provider takes `post_logout_redirect_uri` and `state` also without an ID token, and knows the app by its
   * `client_id` (OpenID Connect RP-Initiated Logout 1.0 §2). By default they go there with an ID token only: some providers
   * answer with an error page otherwise, and the person stays signed in.
   */
  readonly withoutHint?: boolean
}

/**
 * What a provider does with its tokens after the sign-in, as its documentation says. A member that is absent is not
 * documented. Nothing in it is a guess.
 */
export interface TokenFacts {
  readonly refresh?: RefreshFacts
  /**
   * Whether each use of a refresh token gives a new one. `sometimes`: an answer without a new one leaves the old one in use.
   * `setting`: a setting of the app at the provider decides.
   */
  readonly rotates?: boolean | 'sometimes' | 'setting'
  /**
   * Seconds in which the old refresh token still works after it has been used, if it rotates: 0 for none, `Infinity` if its use
   * does not end it. `setting`: a setting at the provider decides. Afterwards, a use of the old token may end all tokens of the
   * user.
   */
  readonly graceSeconds?: number | 'setting'
  /** Usual lifetime of an access token in seconds; `Infinity` if it does not expire. `setting`: a setting there decides. */
  readonly accessTokenSeconds?: number | 'setting'
  /**
   * `metadata` is an endpoint of RFC 7009 that the metadata of the provider have. `none`: the provider has none. If this is
   * absent, an endpoint that the metadata announce is used.
   */
  readonly revocation?: 'metadata' | 'none' | RevocationFacts
  /**
   * `metadata` is an endpoint of OpenID Connect RP-Initiated Logout 1.0 that the metadata of the provider have. `none`: the
   * provider has none.
   */
  readonly endSession?: 'metadata' | 'none' | EndSessionFacts
  /** Whether the provider sends logout tokens (OpenID Connect Back-Channel Logout 1.0) to apps that ask for it. */
  readonly backChannelLogout?: boolean
  /**
   * Parameters of an authorization request for more scopes, so that the new tokens have the scopes of the earlier ones as
   * well. Absent: the request names every scope that is wanted.
   */
  readonly incrementalParams?: Readonly<Record<string, string>>
}

const setting = oneOf('setting')

/** The shape of the member `tokenFacts` of a provider. */
export const tokenFactsShape = object<TokenFacts>({
  refresh: either(oneOf('always', 'never', 'setting'), object<RefreshRequest>({ scope: text, params: recordOf(text) })),
  rotates: either(flag, oneOf('sometimes', 'setting')),
  graceSeconds: either(seconds(0, { orInfinity: true }), setting),
  accessTokenSeconds: either(seconds(1, { orInfinity: true }), setting),
  revocation: either(
    oneOf('metadata', 'none'),
    object<RevocationFacts>({
      url: text,
      dialect: oneOf(...REVOCATION_DIALECTS),
      headers: recordOf(text),
      only: oneOf('access', 'refresh'),
    }),
  ),
  endSession: either(
    oneOf('metadata', 'none'),
    object<EndSessionFacts>({
      url: text,
      returnParam: {
        expected: 'a string, or null',
        fits: (value) => value === null || typeof value === 'string',
      },
      withoutHint: flag,
    }),
  ),
  backChannelLogout: flag,
  incrementalParams: recordOf(text),
})
