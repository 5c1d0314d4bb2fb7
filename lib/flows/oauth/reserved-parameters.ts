/**
 * Parameters of the authorization request that the sign-in request can never set: they are the protocol's, or decide what
 * the provider gives to whom.
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

/** Whether the sign-in request must not set a parameter. */
export const isReserved = (name: string): boolean => RESERVED.has(name)

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
])
