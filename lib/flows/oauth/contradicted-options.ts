import { isFirstTime, type LoggerInstance } from '../../logger.js'
import type { ResolvedOAuthProvider } from '../../providers/provider.js'
import { announcedName } from './client-keys.js'
import type { ProviderMetadata } from './metadata.js'

/** An option of a provider that its metadata contradict. */
export interface Contradiction {
  /** The option, as the application writes it. */
  readonly option: string
  /** Sentences for the developer: what is configured, what the metadata say, and what to do. */
  readonly reason: string
}

/** Members of metadata, which may be anything. */
type Announced = Readonly<Record<string, unknown>>

/**
 * The options that a provider cannot serve, if its metadata are right: endpoints and abilities that it does not have, and
 * names of algorithms, methods and modes that it does not list. A list that is absent contradicts nothing, unless a standard
 * says what its absence means. Nothing is contradicted where no metadata were fetched.
 *
 * @see RFC 8414 §2, OpenID Connect Discovery 1.0 §3, RFC 9126 §5, RFC 9449 §5.1, JARM §4
 */
export function contradictedOptions(
  provider: ResolvedOAuthProvider,
  { server, isDiscovered }: ProviderMetadata,
): readonly Contradiction[] {
  const announced: Announced = server
  return isDiscovered ? [...missingAbilities(provider, announced), ...missingNames(provider, announced)] : []
}

/** Logs each contradiction once for a provider, as the warning `contradicted-option`. */
export const warnOfContradictions =
  (logger: Pick<LoggerInstance, 'warn'>) =>
  (provider: ResolvedOAuthProvider, metadata: ProviderMetadata): void => {
    for (const { option, reason } of contradictedOptions(provider, metadata))
      if (isFirstTime(provider, `contradicted ${option}`))
        logger.warn('contradicted-option', { provider: provider.id, option, reason })
  }

function missingAbilities(provider: ResolvedOAuthProvider, announced: Announced): Contradiction[] {
  const { pushedAuthorizationRequests, keys, signsRequests, claimsFrom, userinfo } = provider
  const isPushed = pushedAuthorizationRequests || announced['require_pushed_authorization_requests'] === true
  const demandsSigned = announced['require_signed_request_object'] === true
  const takesSigned =
    demandsSigned ||
    isPushed ||
    announced['request_parameter_supported'] === true ||
    'request_object_signing_alg_values_supported' in announced
  const rows: readonly (readonly [isWrong: boolean, option: string, reason: string])[] = [
    [
      isPushed && announced['pushed_authorization_request_endpoint'] === undefined,
      'pushedAuthorizationRequests',
      'the metadata have no pushed_authorization_request_endpoint, so nobody can sign in. Leave the option out',
    ],
    [
      demandsSigned && keys.requestObject === null,
      'requestObjects',
      'the metadata demand signed requests (require_signed_request_object), and there is no key, so nobody can sign in. Set requestObjects: { signingKey }',
    ],
    [
      signsRequests && !takesSigned,
      'requestObjects',
      'the metadata do not announce signed requests (request_parameter_supported), so the provider may refuse or ignore them. Leave the option out',
    ],
    [
      keys.dpop !== null && announced['dpop_signing_alg_values_supported'] === undefined,
      'dpop',
      'the metadata do not announce DPoP (dpop_signing_alg_values_supported). Tokens that are not bound to the key are refused, so nobody may be able to sign in. Leave the option out',
    ],
    [
      claimsFrom === 'userinfo' &&
        userinfo.url === null &&
        !userinfo.request &&
        announced['userinfo_endpoint'] === undefined,
      'idToken',
      'it is false, and the metadata have no userinfo_endpoint that could give the profile, so nobody can sign in. Leave the option out, or set userinfo',
    ],
  ]
  return rows.flatMap(([isWrong, option, reason]) => (isWrong ? [contradiction(option, reason)] : []))
}

/** What is configured, and the list of the metadata that should have one of the names. */
type Demand = readonly [option: string, names: readonly (string | undefined)[], list: string]

function missingNames(provider: ResolvedOAuthProvider, announced: Announced): Contradiction[] {
  const { client, keys, token, requiredAcr, responseMode, isJwtResponse } = provider
  const method = client.token_endpoint_auth_method
  const signed = client.token_endpoint_auth_signing_alg
  const modes = isJwtResponse
    ? [`${responseMode}.jwt`, ...(responseMode === 'query' ? ['jwt'] : [])]
    : [responseMode].filter((mode) => mode !== 'query')
  const ofClient: readonly Demand[] = token.request
    ? []
    : [
        ['client.token_endpoint_auth_method', [method], 'token_endpoint_auth_methods_supported'],
        [
          'token.clientPrivateKey',
          [method === 'private_key_jwt' ? keys.assertion[0]?.alg : undefined],
          'token_endpoint_auth_signing_alg_values_supported',
        ],
        [
          'client.token_endpoint_auth_signing_alg',
          [method === 'client_secret_jwt' ? (signed ?? 'HS256') : undefined],
          'token_endpoint_auth_signing_alg_values_supported',
        ],
      ]
  const ofTokens = (['id_token', 'userinfo', 'authorization'] as const).flatMap((what): Demand[] => [
    [
      `client.${what}_signed_response_alg`,
      [client[`${what}_signed_response_alg`]],
      `${what}_signing_alg_values_supported`,
    ],
    [
      `client.${what}_encrypted_response_alg`,
      [client[`${what}_encrypted_response_alg`]],
      `${what}_encryption_alg_values_supported`,
    ],
    [
      `client.${what}_encrypted_response_enc`,
      [client[`${what}_encrypted_response_enc`]],
      `${what}_encryption_enc_values_supported`,
    ],
  ])
  const demands: readonly Demand[] = [
    ...ofClient,
    ...ofTokens,
    [
      'requestObjects',
      [provider.signsRequests ? keys.requestObject?.alg : undefined],
      'request_object_signing_alg_values_supported',
    ],
    ['dpop', [keys.dpop?.alg], 'dpop_signing_alg_values_supported'],
    ['authorization.params.response_mode', modes, 'response_modes_supported'],
    ['requireAcr', requiredAcr, 'acr_values_supported'],
  ]
  return demands.flatMap(([option, given, list]) => {
    // Without the list, a provider has these two (RFC 8414 §2).
    const listed = announced[list] ?? (list === 'response_modes_supported' ? ['query', 'fragment'] : undefined)
    const names = given.filter((name) => name !== undefined)
    if (names.length === 0 || !Array.isArray(listed)) return []
    if (names.some((name) => listed.includes(announcedName(name, listed)))) return []
    const known = listed.filter(isPrintable).slice(0, 20).join(', ') || 'nothing that is known'
    return [contradiction(option, `it means ${names.join(' or ')}, and ${list} of the metadata has ${known}`)]
  })
}

/** What a provider lists goes into the log only if it is a name. */
const isPrintable = (name: unknown) => typeof name === 'string' && /^[\w.+:/-]{1,100}$/.test(name)

const contradiction = (option: string, reason: string): Contradiction => ({ option, reason: `${option}: ${reason}.` })
