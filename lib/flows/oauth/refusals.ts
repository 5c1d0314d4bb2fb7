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
 * "cancel".
 */
const DOING_OF_CODE: Readonly<Record<string, Doing>> = {
  access_denied: 'visitor',
  account_selection_required: 'visitor',
  consent_required: 'visitor',
  insufficient_user_authentication: 'incomplete',
  interaction_required: 'visitor',
  invalid_client: 'registration',
  // The code was used, is too old, or was made up.
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

/** Statuses beside those from 500 on that say that the same call may succeed soon (RFC 9110 §15.5.9, RFC 6585 §4). */
const TEMPORARY: ReadonlySet<number> = new Set([408, 429])

/**
 * Whose doing an error of an authorization response is. It comes through the browser, where anybody can write it, so what is
 * in no standard is the visitor's.
 */
export const doingOfResponse = (code: string): Doing => doingOfCode(code) ?? 'incomplete'

/**
 * Whose doing an error answer from server to server is. From 500 on, the status counts alone: what a failing server or its proxy
 * writes into the body says nothing of the request.
 *
 * @param code null if it has none, or one that is no code
 */
export const doingOfAnswer = (status: number, code: string | null): Doing =>
  status >= 500 || TEMPORARY.has(status) ? 'provider' : (doingOfCode(code ?? '') ?? 'registration')

const doingOfCode = (code: string) => (Object.hasOwn(DOING_OF_CODE, code) ? DOING_OF_CODE[code] : undefined)

/** The `code` of the page for somebody whose subject cannot be used. */
export const UNUSABLE_ID = 'UnusableId'
