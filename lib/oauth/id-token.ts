import { createHash } from 'node:crypto'
import type { JWTPayload, JWTVerifyOptions } from 'jose'
import { describeValue } from '../kernel/describe-value.js'
import { equalInConstantTime } from '../kernel/digest.js'
import { AccessDenied } from '../kernel/errors.js'
import { parseUrl } from '../kernel/urls.js'
import type { Profile, ResolvedOAuthProvider } from '../providers/provider.js'
import { cleanError, faultOf, isOutage, ProviderFault } from './faults.js'
import { issuerOfTenant, isTenantTemplate } from './issuer.js'
import { type KeySets, type VerifiedToken, verified } from './key-sets.js'
import type { ProviderMetadata } from './metadata.js'
import { shown } from './provider-words.js'
import { ALGORITHMS, type Doing, refusedValue, type TokenKind, UNUSABLE_ID } from './refusals.js'
import { clockHint, PROVIDER_CLOCK_TOLERANCE_SECONDS } from './times.js'

/**
 * The greatest age of an ID token by its `iat`. The token endpoint issues a new one for each request, so an older one
 * is not the answer to ours.
 */
const MAX_TOKEN_AGE_SECONDS = 60 * 60
const MAX_SUBJECT_LENGTH = 255

/** What the signature of a provider's token is verified against. */
export interface SignatureChecks {
  readonly provider: ResolvedOAuthProvider
  readonly metadata: ProviderMetadata
  readonly keySets: KeySets
  /** Milliseconds since the epoch. */
  readonly now: () => number
  /** The `Date` header of the answer that brought the token, for an error; null or absent if it is not known. */
  readonly answerDate?: string | null
  /** What the token is called in an error. */
  readonly kind: TokenKind
}

/** What an ID token is verified against. */
export interface IdTokenChecks extends Omit<SignatureChecks, 'kind'> {
  /**
   * The nonce that was sent; undefined when none was. Then a nonce says nothing, and some providers put one of their own
   * there: the standard asks for a check of what was sent (§3.1.3.7, item 11).
   */
  readonly nonce: string | undefined
  /**
   * For the answer to a refresh. It may repeat the nonce of the sign-in, and need not say again how the person signed in:
   * both were checked then (OpenID Connect Core 1.0 §12.2).
   */
  readonly isRefresh?: boolean
  /** Seconds; set when `max_age` was asked for. */
  readonly maxAge: number | undefined
  /** Whether a visitor asked for it, and not the application. */
  readonly isOwnMaxAge?: boolean
  /** One of these must be the `acr`, or any if there are none; undefined when none was demanded. */
  readonly acr?: readonly string[] | undefined
  /** Undefined when none came. */
  readonly accessToken: string | undefined
}

/**
 * The claims of an ID token, after a check of its signature and of every claim of the standard.
 *
 * @throws {ProviderFault} when a check fails; the message names the claim, and what is no secret and says nothing of the person
 * @see OpenID Connect Core 1.0 §3.1.3.7
 */
export async function verifyIdToken(idToken: string, checks: IdTokenChecks): Promise<Profile & { sub: string }> {
  const { provider, metadata } = checks
  const issuer = metadata.issuer ?? ''
  const demands: ClaimDemands = {
    audience: provider.clientId,
    requiredClaims: ['iss', 'sub', 'aud', 'exp', 'iat'],
    maxTokenAge: MAX_TOKEN_AGE_SECONDS,
    ...(isTenantTemplate(issuer) ? {} : { issuer }),
  }
  const { claims, algorithm, type } = await verifySignature(idToken, demands, { ...checks, kind: 'ID token' })
  const seen = seenAlgorithms.get(provider) ?? new Set()
  seenAlgorithms.set(provider, seen.add(algorithm))
  const refuse: Refuse = (why, doing = 'registration'): never => {
    throw new ProviderFault(`Provider "${provider.id}": its ID token is refused: ${why}.`, { doing })
  }
  checkKind(stated(type), claims['events'], refuse)
  if (isTenantTemplate(issuer) && claims.iss !== issuerOfTenant(issuer, claims['tid']))
    refuse(`iss is not the issuer of its tenant (tid): it is ${shown(claims.iss)}, and issuer is ${shown(issuer)}`)
  checkAudience(claims, provider, refuse)
  if (checks.nonce !== undefined) checkNonce(claims['nonce'], checks.nonce, refuse)
  const isTimeNeeded =
    checks.maxAge !== undefined || (provider.client['require_auth_time'] === true && !checks.isRefresh)
  if (isTimeNeeded) checkAuthenticationTime(claims['auth_time'], checks, refuse)
  if (checks.acr) checkAuthenticationClass(claims['acr'], checks.acr, refuse)
  const isAcrChecked = !checks.isRefresh || stated(claims['acr']) !== undefined
  if (provider.requiredAcr.length > 0 && isAcrChecked)
    checkAuthenticationClass(claims['acr'], provider.requiredAcr, refuse)
  if (checks.accessToken !== undefined) checkAccessTokenHash(claims['at_hash'], checks.accessToken, refuse)
  const { sub } = claims
  if (!isSubject(sub)) throw unusableSubject(provider, sub)
  return { ...claims, sub } as Profile & { sub: string }
}

/**
 * A person whom the provider gave a subject that OpenID Connect Core 1.0 §2 forbids. It is neither cut nor digested: two persons would
 * become one, or a logout token would not fit.
 */
function unusableSubject({ id }: ResolvedOAuthProvider, sub: unknown): AccessDenied {
  const found = typeof sub === 'string' ? `one of ${sub.length} characters` : describeValue(sub)
  const message = `Provider "${id}": its ID token is refused: sub is not a text of 1 to 255 ASCII characters, but ${found}. This person cannot sign in until the provider has another id for them.`
  return new AccessDenied(message, { provider: id, code: UNUSABLE_ID, isFault: true })
}

/** The algorithms that the ID tokens of a provider had in this process. Its logout tokens have one of them, if any is known. */
export const seenAlgorithms = new WeakMap<ResolvedOAuthProvider, Set<string>>()

/** Claims of a verified ID token. */
export type IdTokenClaims = Profile & { readonly sub: string; readonly sid?: unknown }

/** Whether a value can be a session at a provider: what every column can hold (OpenID Connect Back-Channel Logout 1.0 §2.1). */
export const isSid = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= MAX_SUBJECT_LENGTH && /^[\x20-\x7e]+$/.test(value)

/** Whether a value can be a subject (OpenID Connect Core 1.0 §2). */
export const isSubject = (value: unknown): value is string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII is what the standard says
  typeof value === 'string' && value.length <= MAX_SUBJECT_LENGTH && /^[\x00-\x7f]+$/.test(value)

/**
 * Algorithms that a token may be signed with: the configured one, else those the metadata names. Never `none`; and an
 * HMAC only when it is configured, or a public key could serve as its secret.
 */
export function signingAlgorithms(configured: string | undefined, announced: unknown): string[] {
  if (configured !== undefined) return configured === 'none' ? [] : [configured]
  const usable = (Array.isArray(announced) ? announced : []).filter(
    (name): name is string => typeof name === 'string' && name !== 'none' && !name.startsWith('HS'),
  )
  return usable.length > 0 ? usable : ['RS256']
}

/** What the claims of a token must be. */
export type ClaimDemands = Pick<JWTVerifyOptions, 'audience' | 'issuer' | 'requiredClaims' | 'maxTokenAge'>

/**
 * Verifies the signature of a provider's token, and its claims. A token with an algorithm that the metadata do not list fetches
 * them once more, unless the algorithm is configured: the provider may have changed it. A logout token does not, because it must
 * have an algorithm that ID tokens had.
 *
 * @throws {ProviderFault} when a check fails; the message has algorithms, issuers and audiences alone. {@link ProviderOutage}
 *   when the keys could not be fetched
 */
export async function verifySignature(
  token: string,
  demands: ClaimDemands,
  checks: SignatureChecks,
): Promise<VerifiedToken> {
  const { provider, metadata, keySets, kind } = checks
  const configured = provider.client[ALGORITHMS[kind].option]
  const options: JWTVerifyOptions = {
    ...demands,
    algorithms: signingAlgorithms(configured, metadata.server[ALGORITHMS[kind].list]),
    clockTolerance: PROVIDER_CLOCK_TOLERANCE_SECONDS,
    currentDate: new Date(checks.now()),
  }
  try {
    if (options.algorithms?.[0]?.startsWith('HS')) {
      // Anybody can sign with an empty secret.
      if (!provider.clientSecret) throw new ProviderFault(`Provider "${provider.id}": it has no clientSecret.`)
      const { jwtVerify } = await import('jose')
      return verified(await jwtVerify(token, new TextEncoder().encode(provider.clientSecret), options))
    }
    if (!metadata.server.jwks_uri)
      throw new ProviderFault(`Provider "${provider.id}": its metadata has no jwks_uri. Set jwks_endpoint.`)
    return await keySets.verify(provider, metadata.server.jwks_uri, token, options)
  } catch (error) {
    const newer = kind === 'logout token' ? null : await renewedFor(error, configured, metadata)
    if (newer) return verifySignature(token, demands, { ...checks, metadata: newer })
    if (error instanceof ProviderFault && error.doing !== 'provider') throw error
    const hint =
      clockHint(error, checks.now(), checks.answerDate) || (await refusedValue(error, token, options, checks))
    // `jose` quotes a name of crit, which anybody can write.
    const message = cleanError(error).message.replace(/(Header Parameter) ".*/s, '$1 (crit) is not known')
    const why = `${message.replace(/\.?$/, '.')}${hint}`
    throw faultOf(
      error,
      `Provider "${provider.id}": its ${kind} ${isOutage(error) ? 'could not be verified' : 'is refused'}: ${why}`,
    )
  }
}

/**
 * The metadata, fetched once more, if a token was refused for an algorithm that they do not list. Null if that is not the reason,
 * the algorithm is configured, or nothing may be fetched now.
 */
export async function renewedFor(
  error: unknown,
  configured: string | undefined,
  { renew }: ProviderMetadata,
): Promise<ProviderMetadata | null> {
  const { code, cause } = error as { readonly code?: unknown; readonly cause?: { readonly code?: unknown } | undefined }
  if (configured !== undefined || ![code, cause?.code].includes('ERR_JOSE_ALG_NOT_ALLOWED')) return null
  const newer = await renew?.().catch(() => null)
  return newer ? { ...newer, renew: async () => null } : null
}

/** An optional claim; undefined if it is null or empty, as some providers write it where they have nothing to say. */
export const stated = (claim: unknown): unknown => (claim === null || claim === '' ? undefined : claim)

/** Refuses a token. The reason goes to the log, so it has no secret and nothing of the person. */
export type Refuse = (why: string, doing?: Doing) => never

/**
 * Refuses tokens of other kinds, which a provider signs with the same keys for the same audience. Their header has a
 * type that ends in +jwt (RFC 8725 §3.11), or they have the claim `events` (RFC 8417 §2.2), as a logout token without a
 * type has.
 */
function checkKind(type: unknown, events: unknown, refuse: Refuse): void {
  if (type !== undefined && (typeof type !== 'string' || /\+jwt/i.test(type))) refuse('typ says that it is no ID token')
  if (typeof events === 'object' && events !== null && Object.keys(events).some((name) => parseUrl(name) !== null))
    refuse('events says that it reports an event, as a logout token does')
}

/** Refuses a token that is for other clients too, unless they are trusted. Gives those. */
export function checkOtherAudiences({ aud }: JWTPayload, provider: ResolvedOAuthProvider, refuse: Refuse) {
  const { clientId, trustedAudiences: trusted } = provider
  const others = (Array.isArray(aud) ? aud : [aud]).filter((audience) => audience !== clientId)
  const untrusted = trusted.includes('*') ? [] : others.filter((audience) => !trusted.includes(String(audience)))
  if (untrusted.length > 0)
    refuse(`aud names other clients, ${shown(untrusted)}; list those you trust in trustedAudiences`)
  return others
}

function checkAudience(claims: JWTPayload & { azp?: unknown }, provider: ResolvedOAuthProvider, refuse: Refuse): void {
  const azp = stated(claims.azp)
  const others = checkOtherAudiences(claims, provider, refuse)
  if (others.length > 0 && azp === undefined) refuse('aud names several clients and azp is missing')
  if (azp !== undefined && azp !== provider.clientId)
    refuse(`azp is another client: it is ${shown(azp)}, and clientId is ${shown(provider.clientId)}`)
}

function checkNonce(received: unknown, expected: string, refuse: Refuse): void {
  if (typeof received !== 'string' || !equalInConstantTime(received, expected))
    refuse('nonce is not the one that was sent')
}

function checkAuthenticationTime(
  received: unknown,
  { maxAge = Number.POSITIVE_INFINITY, isOwnMaxAge, now }: Pick<IdTokenChecks, 'maxAge' | 'isOwnMaxAge' | 'now'>,
  refuse: Refuse,
): void {
  const doing = isOwnMaxAge ? 'incomplete' : 'registration'
  const seconds = typeof received === 'number' ? Math.round(now() / 1000 - received) : Number.NaN
  if (Number.isNaN(seconds)) refuse('auth_time is missing, though max_age was sent or require_auth_time is set', doing)
  else if (seconds > maxAge + PROVIDER_CLOCK_TOLERANCE_SECONDS)
    refuse(
      `auth_time is longer ago than max_age: ${seconds} s, and max_age is ${maxAge}. Does the provider heed it`,
      doing,
    )
}

/** How the person signed in, where the application requires a way (OpenID Connect Core 1.0 §3.1.3.7, item 12; §5.5.1.1). */
function checkAuthenticationClass(received: unknown, accepted: readonly string[], refuse: Refuse): void {
  if (typeof received !== 'string') refuse('acr is missing, though a way of signing in is required')
  else if (accepted.length > 0 && !accepted.includes(received))
    refuse(
      `acr is another way of signing in than those that are required: it is ${shown(received)}, required is ${shown(accepted)} (requireAcr, or an essential acr in claims)`,
      'incomplete',
    )
}

/**
 * The left half of the access token's hash binds the two tokens together (OpenID Connect Core 1.0 §3.1.3.8). The hash should be
 * that of the signature, but Ory Hydra always has SHA-256. Each of the three shows that it is this access token.
 */
function checkAccessTokenHash(received: unknown, accessToken: string, refuse: Refuse): void {
  if (stated(received) === undefined) return
  const fits = HASHES.some((name) => {
    const digest = createHash(name).update(accessToken).digest()
    const expected = digest.subarray(0, digest.length / 2).toString('base64url')
    return typeof received === 'string' && equalInConstantTime(received, expected)
  })
  if (!fits) refuse('at_hash does not fit the access token')
}

/** Those of RFC 7518 §3.1 and of Ed25519. */
const HASHES = ['sha256', 'sha384', 'sha512'] as const
