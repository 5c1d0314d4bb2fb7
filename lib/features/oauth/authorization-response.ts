import { decryptToken } from '../../oauth/decrypt-token.js'
import { ProviderFault, ProviderOutage, UnusableAnswer } from '../../oauth/faults.js'
import { checkOtherAudiences, verifySignature } from '../../oauth/id-token.js'
import { checkIssuerParameter, isTenantTemplate } from '../../oauth/issuer.js'
import type { ProviderMetadata } from '../../oauth/metadata.js'
import { errorWords, saying } from '../../oauth/provider-words.js'
import { doingOfResponse } from '../../oauth/refusals.js'
import { configuredParameter } from '../../providers/authorization-parameters.js'
import type { ResolvedOAuthProvider } from '../../providers/provider.js'
import type { FoundTransaction } from '../../sign-in/transaction-cookies.js'
import type { Visit } from '../../sign-in/visit.js'
import type { AuthorizationTransaction } from './authorization-transaction.js'
import type { OAuthDependencies } from './dependencies.js'
import { InvalidCheck } from './errors.js'

/** An answer of a provider to an authorization request, and the request of ours that brings it. */
export interface AuthorizationResponse {
  readonly request: Visit
  readonly provider: ResolvedOAuthProvider
  /** The parameters as they came: of the query, or of the body where `form_post` is configured. */
  readonly received: URLSearchParams
  /** Those of the response itself: the same, or what the JWT has that came. */
  readonly params: URLSearchParams
  /** What the browser has of the transaction that each `state` of the answer belongs to. */
  readonly found: readonly FoundTransaction[]
  /** Texts that must not appear in any error. Grows with what the provider sends. */
  readonly secrets: Set<string>
}

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
 * @throws {InvalidCheck} for another issuer; {@link ProviderFault} for an error of the provider; {@link UnusableAnswer} for
 *   all else, which is no fault: the visitor who began a sign-in can write its answer
 */
export function checkResponse(
  response: AuthorizationResponse,
  transaction: AuthorizationTransaction,
  metadata: ProviderMetadata,
): void {
  const { provider, params } = response
  const { id } = provider
  if (transaction.issuer !== metadata.issuer)
    throw new InvalidCheck(`Provider "${id}": the sign-in was begun with another issuer. Start again.`)
  const isPromised = metadata.server.authorization_response_iss_parameter_supported === true
  const error = params.get('error')
  // Some providers leave `iss` out of errors. It gives no code away, and `state` says whose answer it is.
  const isIssuerNeeded = isPromised && !error
  checkIssuerParameter(provider, params.get('iss'), { issuer: metadata.issuer, isPromised: isIssuerNeeded })
  if (params.has('response')) {
    throw new UnusableAnswer(
      `Provider "${id}": the answer came as a JWT (JARM), which was not asked for. Set response_mode to query there.`,
    )
  }
  if (error) throw refusalOf(response, error, isPromised)
  if (!params.get('code')) throw new UnusableAnswer(`Provider "${id}": the answer has neither a code nor an error.`)
}

/** The fault that an error of the provider stands for. A visitor can have made it up, so nothing but its code decides. */
function refusalOf(
  { provider, params, secrets }: AuthorizationResponse,
  error: string,
  isPromised: boolean,
): ProviderFault {
  const words = errorWords(error, params.get('error_description'))
  const { code } = words
  const way = provider.isJwtResponse ? '' : ", through the visitor's browser,"
  const what = code ? `the error "${code}"` : 'an error that has no code'
  const scope = code === 'invalid_scope' ? configuredScope(provider) : ''
  const issuer =
    isPromised && !params.has('iss') ? " It has no iss parameter, which the provider's metadata promises." : ''
  return new ProviderFault(
    `Provider "${provider.id}" answered${way} with ${what}${saying(words, secrets)}.${scope}${issuer}`,
    // Without checks, nothing says that a sign-in was begun.
    { doing: provider.checks.size === 0 ? 'incomplete' : doingOfResponse(code), code },
  )
}

/**
 * What an answer says that was refused before its error counted: a sentence for the log, which begins with a blank; empty for an
 * answer without an error. The visitor may have written it.
 */
export function sayingToo(params: URLSearchParams, secrets: Iterable<string>): string {
  const error = params.get('error')
  if (!error) return ''
  const words = errorWords(error, params.get('error_description'))
  const code = words.code ? ` "${words.code}"` : ''
  return ` The answer, which came through the visitor's browser, has the error${code}${saying(words, secrets)}.`
}

/** Sentences for the log, which begin with a blank; empty if a function of the configuration computes the scope. */
function configuredScope(provider: ResolvedOAuthProvider): string {
  const scope = configuredParameter(provider, 'scope')
  if (typeof scope !== 'string') return ''
  return ` The configured scope is ${JSON.stringify(scope)}. A link, or a request for tokens, may have asked for more.`
}

const WHAT = 'authorization response'
/** Claims about the JWT itself, which are no parameters of the response. */
const ABOUT_THE_JWT = new Set(['aud', 'exp', 'iat', 'nbf', 'jti'])

/**
 * The parameters in the JWT of an authorization response. Its signature, issuer, audience and expiry are verified first,
 * so nothing of the response is used before. Parameters beside the JWT are ignored: anybody can write them.
 *
 * @throws {UnusableAnswer} when there is no JWT, or one that is not from this provider for this client
 * @see JWT Secured Authorization Response Mode for OAuth 2.0 (JARM) §2.4
 */
export async function paramsOfJwt(
  provider: ResolvedOAuthProvider,
  received: URLSearchParams,
  { metadataOf, keySets, now }: Pick<OAuthDependencies, 'metadataOf' | 'keySets' | 'now'>,
): Promise<URLSearchParams> {
  const unusable = (why: string) => new UnusableAnswer(`Provider "${provider.id}": ${why}`)
  const [response, ...more] = received.getAll('response')
  if (response === undefined || more.length > 0) {
    throw unusable(
      'the answer has not one parameter named response, in which the signed answer is. response_mode is configured as a JWT.',
    )
  }
  const metadata = await metadataOf(provider)
  const issuer = metadata.issuer ?? ''
  const jwt = await decryptToken(provider, response, 'authorization').catch(asUnusable)
  const { claims, type } = await verifySignature(
    jwt,
    {
      audience: provider.clientId,
      requiredClaims: ['iss', 'aud', 'exp'],
      // That of a tenant is checked with the parameter `iss`, which every JWT has.
      ...(isTenantTemplate(issuer) ? {} : { issuer }),
    },
    { kind: WHAT, provider, metadata, keySets, now },
  ).catch(asUnusable)
  checkOtherAudiences(claims, provider, (why) => {
    throw unusable(`its ${WHAT} is refused: ${why}.`)
  })
  // Tokens of other kinds are signed with the same keys (RFC 8725 §3.11).
  const isOther =
    type !== undefined && (typeof type !== 'string' || (/\+jwt$/i.test(type) && !/authz-resp/i.test(type)))
  if (isOther || claims['events'] !== undefined)
    throw unusable('its authorization response is refused: it is a token of another kind.')
  return new URLSearchParams(
    Object.entries(claims).filter(
      (claim): claim is [string, string] => typeof claim[1] === 'string' && !ABOUT_THE_JWT.has(claim[0]),
    ),
  )
}

/** The response came through a browser, so a bad one proves no fault of the provider. */
function asUnusable(error: unknown): never {
  throw error instanceof ProviderFault && !(error instanceof ProviderOutage) ? new UnusableAnswer(error.message) : error
}
