import { isProtected } from '../kernel/back-channel.js'
import { isObject } from '../kernel/json-object.js'
import { parseUrl } from '../kernel/urls.js'
import type { ResolvedOAuthProvider } from '../providers/provider.js'
import { STANDARD_LOGOUT } from '../providers/resolve-endpoints.js'
import { ProviderFault } from './faults.js'
import {
  type ClaimDemands,
  checkOtherAudiences,
  isSid,
  isSubject,
  type Refuse,
  type SignatureChecks,
  seenAlgorithms,
  stated,
  verifySignature,
} from './id-token.js'
import { isIssuer, issuerOfTenant, isTenantTemplate } from './issuer.js'
import type { OAuthClient } from './metadata.js'
import { PROVIDER_CLOCK_TOLERANCE_SECONDS } from './times.js'

/** Who has signed out at a provider, and where. At least one of `subject` and `sid` is present. */
export interface LogoutClaims {
  readonly subject?: string
  readonly sid?: string
  /** `jti`: the token may be used once. */
  readonly tokenId: string
  /** When the provider made the token, milliseconds since the epoch. */
  readonly issuedAt: number
  /** From when on the token is refused because of its age, milliseconds since the epoch. */
  readonly refusedFrom: number
}

/** A logout endpoint of a provider, and its dialect. */
export interface EndSessionEndpoint {
  readonly url: URL
  /** Name of the parameter for the address to return to; null if that is a setting at the provider. */
  readonly returnParam: string | null
}

/** The member of `events` that makes a token a logout token (OpenID Connect Back-Channel Logout 1.0 §2.4). */
const LOGOUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout'

/** The greatest age of a logout token by its `iat`. A provider sends it at once, and perhaps tries again. */
const MAX_TOKEN_AGE_SECONDS = 60 * 60
/**
 * The greatest age of a logout token without `exp`. Back-Channel Logout 1.0 §2.4 demands it, and advises at most two minutes;
 * drafts before 2022 had none, and many servers send none to this day. `iat` bounds them all the same.
 */
const MAX_AGE_WITHOUT_EXP_SECONDS = 5 * 60
const MAX_ID_LENGTH = 1024

/**
 * The claims of a logout token, after a check of its signature, as with an ID token, and of every claim.
 *
 * @throws {ProviderFault} when a check fails; the message names the claim. Of the token, it has no
 *   more than the name of an algorithm, and `iss` and `aud` once the signature is verified
 * @see OpenID Connect Back-Channel Logout 1.0 §2.6
 */
async function verifyLogoutToken(token: string, given: Omit<SignatureChecks, 'kind'>): Promise<LogoutClaims> {
  const checks: SignatureChecks = { ...given, kind: 'logout token' }
  const { provider, metadata, now } = checks
  const refuse = (why: string): never => {
    throw new ProviderFault(`Provider "${provider.id}": its logout token is refused: ${why}.`)
  }
  if (token.split('.').length === 5) refuse('it is encrypted, which is not supported. Let the provider only sign it')
  const issuer = metadata.issuer ?? ''
  if (issuer === '') refuse('the issuer of the provider is not known')
  const demands: ClaimDemands = {
    audience: provider.clientId,
    requiredClaims: ['iss', 'aud', 'iat', 'jti', 'events'],
    maxTokenAge: MAX_TOKEN_AGE_SECONDS,
    ...(isTenantTemplate(issuer) ? {} : { issuer }),
  }
  const { claims, algorithm, type } = await verifySignature(token, demands, checks)
  // The standard wants the algorithm of the ID tokens, and metadata may list more than the provider uses for this client.
  const seen = seenAlgorithms.get(provider)
  if (seen && !seen.has(algorithm))
    refuse(
      'its algorithm is none that ID tokens of the provider had. Declare it in client.id_token_signed_response_alg',
    )
  checkType(stated(type), refuse)
  if (isTenantTemplate(issuer) && claims.iss !== issuerOfTenant(issuer, claims['tid']))
    refuse('iss is not the issuer of its tenant (tid)')
  checkOtherAudiences(claims, provider, refuse)
  checkEvents(claims['events'], refuse)
  if (claims['nonce'] !== undefined) refuse('it has a nonce, so it may be an ID token')
  const { jti, iat = 0, exp = iat + MAX_AGE_WITHOUT_EXP_SECONDS } = claims
  if (exp + PROVIDER_CLOCK_TOLERANCE_SECONDS <= now() / 1000) refuse('it has no exp, and its iat is too long ago')
  const [sub, sid] = [stated(claims.sub), stated(claims['sid'])]
  if (typeof jti !== 'string' || jti === '' || jti.length > MAX_ID_LENGTH) return refuse('jti is not a usable text')
  if (sub === undefined && sid === undefined) return refuse('it has neither sub nor sid')
  if (sub !== undefined && !isSubject(sub)) return refuse('sub is not a text of 1 to 255 ASCII characters')
  if (sid !== undefined && !isSid(sid)) return refuse('sid is not a text of 1 to 255 ASCII characters')
  const lastSecond = Math.min(exp, iat + MAX_TOKEN_AGE_SECONDS) + PROVIDER_CLOCK_TOLERANCE_SECONDS
  return {
    ...(sub !== undefined && { subject: sub }),
    ...(sid !== undefined && { sid }),
    tokenId: jti,
    issuedAt: iat * 1000,
    refusedFrom: (lastSecond + 1) * 1000,
  }
}

/**
 * A type must be that of a logout token. The type `JWT` says only that it is some JWT (RFC 7519 §5.1), which older
 * providers send, and `events` says the rest.
 */
function checkType(type: unknown, refuse: Refuse): void {
  if (type === undefined) return
  const name = typeof type === 'string' ? type.toLowerCase().replace(/^application\//, '') : null
  if (name !== 'logout+jwt' && name !== 'jwt') refuse('typ is not logout+jwt')
}

function checkEvents(events: unknown, refuse: Refuse): void {
  if (!isObject(events)) refuse('events is not an object')
  else if (!Object.hasOwn(events, LOGOUT_EVENT)) refuse('events has no logout event')
  else if (!isObject(events[LOGOUT_EVENT])) refuse('the logout event in events is not an object')
}

/** What signs people of one provider out. */
export function createLogoutCalls(
  provider: ResolvedOAuthProvider,
  { metadataOf, keySets, now }: Pick<OAuthClient, 'metadataOf' | 'keySets' | 'now'>,
) {
  return {
    /** @throws {ProviderFault} when the logout token is not one of the provider */
    verifyLogoutToken: async (token: string): Promise<LogoutClaims> =>
      verifyLogoutToken(token, { provider, metadata: await metadataOf(provider), keySets, now }),
    /** Null if the provider has none, or one that no token may be sent to. */
    endSessionEndpoint: async (): Promise<EndSessionEndpoint | null> =>
      endpointOf(provider, async () => (await metadataOf(provider)).server),
    /** The origin of the provider if the text is its issuer; null otherwise. */
    async originOfIssuer(issuer: string): Promise<string | null> {
      const { issuer: known } = await metadataOf(provider)
      return known !== null && isIssuer(known, issuer) ? new URL(issuer).origin : null
    },
  }
}

/** What a provider does beside sign-ins, so that people are signed out. */
export type LogoutCalls = ReturnType<typeof createLogoutCalls>

async function endpointOf(
  { tokenFacts: { endSession = STANDARD_LOGOUT }, allowInsecureHttp }: ResolvedOAuthProvider,
  readMetadata: () => Promise<{ readonly end_session_endpoint?: unknown }>,
): Promise<EndSessionEndpoint | null> {
  if (endSession === null) return null
  const { url, returnParam } = endSession
  if (url !== 'metadata') return { url, returnParam }
  const { end_session_endpoint: found } = await readMetadata()
  const known = typeof found === 'string' ? parseUrl(found) : null
  // An ID token goes there.
  return known !== null && isProtected(known, allowInsecureHttp) ? { url: known, returnParam } : null
}
