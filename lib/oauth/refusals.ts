import type { JWTVerifyOptions } from 'jose'
import { ownMember } from '../kernel/objects.js'
import type { ResolvedOAuthProvider } from '../providers/provider.js'
import { shown } from './provider-words.js'

/**
 * Whose doing it is that nobody was signed in. It decides what the visitor sees and how it is logged:
 *
 * - `visitor`: cancelled, too late, or made up. The sign-in page says so; `info`.
 * - `incomplete`: an answer that is none, or has less than was asked for. The sign-in page, with another text; `info`.
 * - `provider`: an outage. The error page, as temporary (503); `error`.
 * - `registration`: the application's entry at the provider, or its configuration here. The error page (500); `error`.
 *
 * docs/errors.md has the same as a table.
 */
export type Doing = 'visitor' | 'incomplete' | 'provider' | 'registration'

/** The `code` parameter of the page that says it; absent for none. */
export const CODE_OF_DOING: Readonly<Partial<Record<Doing, string>>> = {
  incomplete: 'Incomplete',
  provider: 'Unavailable',
}

/**
 * Errors of providers: RFC 6749 §4.1.2.1 and §5.2, RFC 6750 §3.1, RFC 8628 §3.5, RFC 8707 §2, RFC 9101 §7, RFC 9126 §2.3,
 * RFC 9470 §3, OpenID Connect Core 1.0 §3.1.2.6, OpenID Connect Unmet Authentication Requirements 1.0; LinkedIn and Apple for
 * "cancel". `invalid_grant` is a code that was used, is too old, or was made up.
 */
export const CODES: Readonly<Record<string, Doing>> = {
  access_denied: 'visitor',
  account_selection_required: 'visitor',
  consent_required: 'visitor',
  insufficient_user_authentication: 'incomplete',
  interaction_required: 'visitor',
  invalid_client: 'registration',
  invalid_grant: 'visitor',
  invalid_redirect_uri: 'registration',
  invalid_request: 'registration',
  invalid_request_object: 'registration',
  invalid_request_uri: 'registration',
  invalid_scope: 'registration',
  invalid_target: 'registration',
  login_required: 'visitor',
  registration_not_supported: 'registration',
  request_not_supported: 'registration',
  request_uri_not_supported: 'registration',
  server_error: 'provider',
  slow_down: 'provider',
  temporarily_unavailable: 'provider',
  unauthorized_client: 'registration',
  unmet_authentication_requirements: 'incomplete',
  unsupported_grant_type: 'registration',
  unsupported_response_type: 'registration',
  user_cancelled_authorize: 'visitor',
  user_cancelled_login: 'visitor',
}

/**
 * Statuses beside those from 500 on that say that the same call may succeed soon (RFC 9110 §15.5.9, RFC 6585 §4, RFC 8470 §5.2),
 * or that a proxy on the way did not let it through (407).
 */
const TEMPORARY: ReadonlySet<number> = new Set([407, 408, 425, 429])

/** Whether a code is of the table; a provider or a visitor can make up any number of others. */
export const isListed = (code: string | null): boolean => ownMember(CODES, code) !== undefined

/**
 * Whose doing an error of an authorization response is. It comes through the browser, where anybody can write it, so what is
 * in no standard is the visitor's.
 */
export const doingOfResponse = (code: string | null): Doing => ownMember(CODES, code) ?? 'incomplete'

/**
 * Whose doing an error answer from server to server is. From 500 on, the status counts alone: what a failing server or its proxy
 * writes into the body says nothing of the request.
 *
 * @param code null if it has none, or one that is no code
 */
export function doingOfAnswer(status: number, code: string | null): Doing {
  if (status >= 500 || TEMPORARY.has(status)) return 'provider'
  const doing = ownMember(CODES, code) ?? 'registration'
  // No visitor answers here, but one can make up a code. Auth0 says `access_denied` of a wrong secret.
  return doing === 'visitor' && code !== 'invalid_grant' ? 'registration' : doing
}

/** The `code` of the page for somebody whose subject cannot be used. */
export const UNUSABLE_ID = 'UnusableId'

const OF_ID_TOKENS = {
  option: 'id_token_signed_response_alg',
  list: 'id_token_signing_alg_values_supported',
} as const
/** By kind of token: the member of `client` that declares its algorithm, and the list of the metadata. */
export const ALGORITHMS = {
  'ID token': OF_ID_TOKENS,
  'logout token': OF_ID_TOKENS,
  'authorization response': {
    option: 'authorization_signed_response_alg',
    list: 'authorization_signing_alg_values_supported',
  },
} as const

/** The kinds of tokens whose signature is verified. */
export type TokenKind = keyof typeof ALGORITHMS

/**
 * What to add to the error when a token is refused: the value that came, the one that was expected, and the option that decides.
 * Empty where the error of `jose` says enough, and for values that must not be logged.
 *
 * @param error of `jose`
 */
export async function refusedValue(
  error: unknown,
  token: string,
  { algorithms, issuer }: JWTVerifyOptions,
  { kind, provider }: { readonly kind: TokenKind; readonly provider: ResolvedOAuthProvider },
): Promise<string> {
  const { errors, decodeProtectedHeader } = await import('jose')
  if (error instanceof errors.JOSEAlgNotAllowed) {
    const { alg } = decodeProtectedHeader(token)
    // Anybody can write it, where the token came through a browser or to the logout endpoint.
    const came = /^[A-Za-z0-9-]{1,20}$/.test(String(alg)) ? shown(alg) : 'another text'
    return differing(came, algorithms, `client.${ALGORITHMS[kind].option}`)
  }
  if (!(error instanceof errors.JWTClaimValidationFailed)) return ''
  const { claim, payload } = error
  if (claim === 'iss' && issuer !== undefined) return differing(shown(payload.iss), issuer, 'issuer')
  return claim === 'aud' ? differing(shown(payload.aud), provider.clientId, 'clientId') : ''
}

const differing = (came: string, expected: unknown, option: string) =>
  ` Received ${came}, expected ${shown(expected)} (option ${option}).`
