import type { ServerMetadata } from 'openid-client'
import { isFirstTime, type Log } from '../kernel/logger.js'
import type { ResolvedOAuthProvider } from '../providers/provider.js'
import { revocationOf } from '../providers/resolve-endpoints.js'
import { refusedAudience } from './client-authentication.js'
import { announcedName } from './client-keys.js'
import type { ProviderMetadata } from './metadata.js'

/** An option of a provider that its metadata contradict. */
interface Contradiction {
  /** The option, as the application writes it. */
  readonly option: string
  /** Sentences for the developer, without the option: what the metadata say, and what to do. */
  readonly reason: string
}

/** Members of metadata, which may be anything. */
type Announced = Readonly<Record<string, unknown>>

/**
 * The options that a provider cannot serve, if its metadata are right: endpoints and abilities that it does not have, and
 * names of algorithms, methods and modes that it does not list. A list that is absent contradicts nothing, unless a standard
 * says what its absence means. Nothing is contradicted where no metadata were fetched.
 *
 * @param revokesAtSignOut `accountTokens.revokeAtSignOut`
 * @see RFC 8414 §2, OpenID Connect Discovery 1.0 §3, RFC 9126 §5, RFC 9449 §5.1, JARM §4
 */
export function contradictedOptions(
  provider: ResolvedOAuthProvider,
  { server, isDiscovered }: ProviderMetadata,
  revokesAtSignOut = false,
): readonly Contradiction[] {
  if (!isDiscovered) return []
  const announced: Announced = server
  const reasons = { ...missingAbilities(provider, announced), ...missingLogouts(provider, announced, revokesAtSignOut) }
  const missing = Object.entries(reasons).flatMap(([option, reason]) =>
    reason ? [{ option, reason: `${reason}.` }] : [],
  )
  return [...missing, ...missingNames(provider, announced)]
}

/** Logs each contradiction once for a provider, as the warning `contradicted-option`. */
export const warnOfContradictions =
  (logger: Pick<Log, 'warn'>, revokesAtSignOut?: boolean) =>
  (provider: ResolvedOAuthProvider, metadata: ProviderMetadata): void => {
    for (const { option, reason } of contradictedOptions(provider, metadata, revokesAtSignOut))
      if (isFirstTime(provider, `contradicted ${option}`))
        logger.warn('contradicted-option', { provider: provider.id, option, reason })
  }

/** By option: what the metadata say against it, in words; false for nothing. */
type Reasons = Readonly<Record<string, string | false | null | undefined>>

function missingAbilities(provider: ResolvedOAuthProvider, announced: Announced): Reasons {
  const server = announced as ServerMetadata
  const { pushedAuthorizationRequests, keys, signsRequests, claimsFrom, userinfo } = provider
  const lacks = (member: string) => announced[member] === undefined
  const isPushed = pushedAuthorizationRequests || announced['require_pushed_authorization_requests'] === true
  const demandsSigned = announced['require_signed_request_object'] === true
  const takesSigned = isPushed || announced['request_parameter_supported'] || !lacks(OF_REQUESTS)
  return {
    pushedAuthorizationRequests: isPushed && lacks(PUSHED) && `the metadata have no ${PUSHED}, so nobody can sign in`,
    requestObjects: demandsSigned
      ? !keys.requestObject &&
        'the metadata demand signed requests, so nobody can sign in. Set requestObjects: { signingKey }'
      : signsRequests &&
        !takesSigned &&
        'the metadata do not announce signed requests, which may be refused or ignored',
    clientAssertionAudience: refusedAudience(provider, server, isPushed ? server[PUSHED] : undefined),
    dpop:
      keys.dpop &&
      lacks(OF_PROOFS) &&
      `the metadata do not announce DPoP (${OF_PROOFS}), and tokens without it are refused`,
    idToken:
      claimsFrom === 'userinfo' && !userinfo.url && !userinfo.request && lacks('userinfo_endpoint')
        ? 'it is false, and the metadata have no userinfo_endpoint, so nobody can sign in'
        : false,
  }
}

/** What protects people only if the provider does its part. Absent is false (OpenID Connect Back-Channel Logout 1.0 §2.1). */
function missingLogouts(provider: ResolvedOAuthProvider, announced: Announced, revokesAtSignOut: boolean): Reasons {
  const { backChannelLogout, frontChannelLogout, endSession, tokenFacts } = provider
  const isUnannounced = (member: string) =>
    announced[member] !== true && `the metadata do not say ${member}: true, ${MAY_NOT_COME}`
  return {
    backChannelLogout: backChannelLogout && isUnannounced('backchannel_logout_supported'),
    frontChannelLogout: frontChannelLogout && isUnannounced('frontchannel_logout_supported'),
    endSession:
      endSession !== null &&
      (tokenFacts.endSession?.url ?? 'metadata') === 'metadata' &&
      announced['end_session_endpoint'] === undefined &&
      'the metadata have no end_session_endpoint that an ID token may be sent to, so people are signed out here only',
    'accountTokens.revokeAtSignOut':
      revokesAtSignOut &&
      revocationOf(provider)?.url === 'metadata' &&
      announced['revocation_endpoint'] === undefined &&
      'the metadata have no revocation_endpoint, so a sign-out revokes nothing there',
  }
}

const MAY_NOT_COME =
  'so a sign-out there may never come here. Look whether it has to be switched on, and limit sessions with session.maxAge'
const PUSHED = 'pushed_authorization_request_endpoint'
const OF_ASSERTIONS = 'token_endpoint_auth_signing_alg_values_supported'
const OF_REQUESTS = 'request_object_signing_alg_values_supported'
const OF_PROOFS = 'dpop_signing_alg_values_supported'
/** Members of client metadata after what they are about, and how the lists of servers call the same. */
const OF_ANSWERS = {
  signed_response_alg: 'signing_alg',
  encrypted_response_alg: 'encryption_alg',
  encrypted_response_enc: 'encryption_enc',
}

/** By list of the metadata: the option, and the names one of which the list should have. */
function missingNames(provider: ResolvedOAuthProvider, announced: Announced): Contradiction[] {
  const { client, keys, token, requiredAcr, responseMode, isJwtResponse, signsRequests } = provider
  const method = token.request ? undefined : client.token_endpoint_auth_method
  const secretAlg = method === 'client_secret_jwt' ? (client.token_endpoint_auth_signing_alg ?? 'HS256') : undefined
  const keyAlg = method === 'private_key_jwt' ? keys.assertion[0]?.alg : undefined
  const jwtModes = responseMode === 'query' ? ['query.jwt', 'jwt'] : ['form_post.jwt']
  // Servers that sign with the client secret, such as LINE, often list only what their published keys sign.
  const listable = (value: unknown) => (/^HS\d/.test(String(value)) ? undefined : value)
  const ofAnswers = ['id_token', 'userinfo', 'authorization'].flatMap((what) =>
    Object.entries(OF_ANSWERS).map(([member, list]) => [
      `${what}_${list}_values_supported`,
      [`client.${what}_${member}`, listable(client[`${what}_${member}`])],
    ]),
  )
  const demands: Readonly<Record<string, readonly [option: string, ...names: unknown[]]>> = {
    // Servers such as Keycloak have public clients, and do not list `none`.
    token_endpoint_auth_methods_supported: [
      'client.token_endpoint_auth_method',
      method === 'none' ? undefined : method,
    ],
    [OF_ASSERTIONS]: keyAlg
      ? ['token.clientPrivateKey', keyAlg]
      : ['client.token_endpoint_auth_signing_alg', secretAlg],
    [OF_REQUESTS]: ['requestObjects', signsRequests ? keys.requestObject?.alg : undefined],
    [OF_PROOFS]: ['dpop', keys.dpop?.alg],
    // What a server sends without being asked for a mode need not be listed.
    response_modes_supported: [
      'authorization.params.response_mode',
      ...(isJwtResponse ? jwtModes : responseMode === 'query' ? [] : [responseMode]),
    ],
    acr_values_supported: ['requireAcr', ...requiredAcr],
    ...Object.fromEntries(ofAnswers),
  }
  return Object.entries(demands).flatMap(([list, [option, ...given]]) => {
    const listed = announced[list] ?? (list === 'response_modes_supported' ? USUAL_MODES : undefined)
    const names = given.filter((name) => typeof name === 'string')
    if (names.length === 0 || !Array.isArray(listed)) return []
    if (names.some((name) => listed.includes(announcedName(name, listed)))) return []
    const known = listed.filter(isPrintable).slice(0, 20).join(', ') || 'nothing that is known'
    return [{ option, reason: `it needs ${names.join(' or ')}, and ${list} in the metadata lists ${known}.` }]
  })
}

/** Those of a server that lists none (RFC 8414 §2). */
const USUAL_MODES = ['query', 'fragment']

/** What a provider lists goes into the log only if it is a name. */
const isPrintable = (name: unknown) => typeof name === 'string' && /^[\w.+:/-]{1,100}$/.test(name)
