import type { ResolvedEndpoint } from './provider-object.js'

/**
 * A parameter of every authorization request of a provider, from `params` or from the URL of the endpoint. It may be a function,
 * which computes it for each request; undefined if none is configured.
 */
export const configuredParameter = (
  { authorization: { url, params } }: { readonly authorization: ResolvedEndpoint },
  name: string,
): unknown => params[name] ?? url?.searchParams.get(name) ?? undefined

/**
 * Parameters of the authorization request that a sign-in request can never set. They belong to the protocol, or decide
 * which data the provider gives, and to whom.
 */
const RESERVED: ReadonlySet<string> = new Set([
  'client_id',
  'client_secret',
  'client_assertion',
  'client_assertion_type',
  'redirect_uri',
  'response_type',
  'response_mode',
  'scope',
  'state',
  'nonce',
  'code',
  'code_challenge',
  'code_challenge_method',
  'code_verifier',
  'grant_type',
  'request',
  'request_uri',
  'registration',
  'dpop_jkt',
  'authorization_details',
  'access_token',
  'id_token',
  'refresh_token',
  'iss',
  // Latchkey's own fields.
  'csrfToken',
  'callbackUrl',
  'json',
  'redirect',
])

/**
 * Parameters that a sign-in request may add. They say who the visitor is, how the provider should ask, and in which
 * language. None of them decides who may sign in, or which data the provider gives.
 */
const PASSED_ON: ReadonlySet<string> = new Set([
  // OpenID Connect Core 1.0 §3.1.2.1.
  'acr_values',
  'claims_locales',
  'display',
  'id_token_hint',
  'login_hint',
  'max_age',
  'prompt',
  'ui_locales',
  // Parameters of single providers with the same meanings: account, organisation, identity provider, sign-up, language.
  'access_type',
  'account',
  'allow_signup',
  'auth_type',
  'connection',
  'domain_hint',
  'force_confirm',
  'force_verify',
  'hd',
  'identity_provider',
  'idp',
  'idp_hint',
  'idp_identifier',
  'invitation',
  'invitation_token',
  'kc_action',
  'kc_idp_hint',
  'lang',
  'language',
  'locale',
  'login',
  'organization',
  'provider',
  'screen_hint',
  'show_dialog',
  'team',
])

/** Whether a sign-in request may not set a parameter, even if the configuration lists it. */
export const isReserved = (name: string): boolean => RESERVED.has(name)

/** Whether a sign-in request may set a parameter by default. */
export const isPassedOn = (name: string): boolean => PASSED_ON.has(name)

/** Parameters that Latchkey computes itself; a provider's configuration cannot set them either. */
export const COMPUTED: ReadonlySet<string> = new Set([
  'client_id',
  'redirect_uri',
  'state',
  'nonce',
  'code_challenge',
  'code_challenge_method',
  'request',
  'request_uri',
  'dpop_jkt',
])

/** Whether a text is a `max_age`: a whole number of seconds. */
export const isMaxAge = (text: string): boolean => /^\d{1,10}$/.test(text)
