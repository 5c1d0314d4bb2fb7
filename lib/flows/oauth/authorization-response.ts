import { InvalidCheck, OAuthCallbackError } from '../../errors.js'
import type { ResolvedOAuthProvider } from '../../providers/provider.js'
import type { FlowRequest } from '../flow.js'
import type { FoundTransaction } from '../transaction-cookies.js'
import type { AuthorizationTransaction } from './authorization-transaction.js'
import { UnusableAnswer } from './faults.js'
import { checkIssuerParameter } from './issuer.js'
import type { ProviderMetadata } from './metadata.js'

/** An answer of a provider to an authorization request, and the request of ours that brings it. */
export interface AuthorizationResponse {
  readonly request: FlowRequest
  readonly provider: ResolvedOAuthProvider
  /** The parameters as they came: of the query, or of the body where `form_post` is configured. */
  readonly received: URLSearchParams
  /** Those of the response itself: the same, or what the JWT has that came. */
  readonly params: URLSearchParams
  /** What the browser has of the transaction that each `state` of the answer belongs to. */
  readonly found: readonly FoundTransaction[]
}

/**
 * Codes that an answer may have: RFC 6749 §4.1.2.1 and §5.2, OpenID Connect Core §3.1.2.6, and those of LinkedIn and
 * Apple for "cancel". No other code appears in messages, because a visitor may have written it.
 */
const KNOWN_CODES: ReadonlySet<string> = new Set([
  'access_denied',
  'account_selection_required',
  'consent_required',
  'interaction_required',
  'invalid_client',
  'invalid_grant',
  'invalid_request',
  'invalid_request_object',
  'invalid_request_uri',
  'invalid_scope',
  'login_required',
  'registration_not_supported',
  'request_not_supported',
  'request_uri_not_supported',
  'server_error',
  'temporarily_unavailable',
  'unauthorized_client',
  'unsupported_grant_type',
  'unsupported_response_type',
  'user_cancelled_authorize',
  'user_cancelled_login',
])

/**
 * Refuses an answer that has a parameter twice: it could mean one thing to one reader and another to the next.
 *
 * @throws {InvalidCheck} for `state`; {@link UnusableAnswer} for the others
 */
export function requireSingle({ provider, params }: AuthorizationResponse): void {
  if (params.getAll('state').length > 1) {
    throw new InvalidCheck(
      `Provider "${provider.id}": the answer has several state parameters, so it belongs to no sign-in.`,
    )
  }
  const repeated = ['code', 'iss', 'error', 'response', 'id_token'].find((name) => params.getAll(name).length > 1)
  if (repeated) throw new UnusableAnswer(`Provider "${provider.id}": the answer has several ${repeated} parameters.`)
}

/**
 * Checks everything that the answer itself must satisfy before its code is exchanged.
 *
 * @throws {InvalidCheck} for another issuer; {@link OAuthCallbackError} for an error of the provider; {@link
 *   UnusableAnswer} for all else, which is no fault: the visitor who began a sign-in can write its answer
 */
export function checkResponse(
  { provider, params }: AuthorizationResponse,
  transaction: AuthorizationTransaction,
  metadata: ProviderMetadata,
): void {
  if (transaction.issuer !== metadata.issuer) {
    throw new InvalidCheck(`Provider "${provider.id}": the sign-in was begun with another issuer. Start again.`)
  }
  checkIssuerParameter(provider, params.get('iss'), {
    issuer: metadata.issuer,
    isPromised: metadata.server.authorization_response_iss_parameter_supported === true,
  })
  if (params.has('response')) {
    throw new UnusableAnswer(
      `Provider "${provider.id}": the answer came as a JWT (JARM), which was not asked for. Set response_mode to query there.`,
    )
  }
  const error = params.get('error')
  if (error) {
    const code = KNOWN_CODES.has(error) ? `the error "${error}"` : 'an error whose code is in no standard'
    const scope = error === 'invalid_scope' ? configuredScope(provider) : ''
    throw new OAuthCallbackError(`Provider "${provider.id}" answered with ${code}.${scope}`, { provider: provider.id })
  }
  if (!params.get('code'))
    throw new UnusableAnswer(`Provider "${provider.id}": the answer has neither a code nor an error.`)
}

/** Sentences for the log, which begin with a blank; empty if a function of the configuration computes the scope. */
function configuredScope({ authorization }: ResolvedOAuthProvider): string {
  const { scope = authorization.url?.searchParams.get('scope') } = authorization.params
  if (typeof scope !== 'string') return ''
  return ` The configured scope is ${JSON.stringify(scope)}. A link, or a request for tokens, may have asked for more.`
}
