import type { ProviderSession } from '../../adapters/adapter.js'
import { OAuthProfileParseError } from '../../kernel/errors.js'
import { randomId } from '../../kernel/random.js'
import { dpopOf, openClient } from '../../oauth/client.js'
import { decryptToken } from '../../oauth/decrypt-token.js'
import { endpointFetch } from '../../oauth/endpoint-fetch.js'
import { cleanError, faultOf, ProviderFault, ProviderOutage } from '../../oauth/faults.js'
import { type IdTokenClaims, isSid, renewedFor, signingAlgorithms, stated } from '../../oauth/id-token.js'
import { textsIn } from '../../oauth/provider-words.js'
import { PROVIDER_CLOCK_TOLERANCE_SECONDS } from '../../oauth/times.js'
import { scopeWords } from '../../oauth/token-calls.js'
import { configuredParameter } from '../../providers/authorization-parameters.js'
import { checkMappedUser, mailboxOf, noteLeftOut } from '../../providers/mapped-user.js'
import { hasText, isAffirmed, isDenied } from '../../providers/profile-mapping.js'
import type { Account, Profile, TokenSet } from '../../providers/provider.js'
import { authenticationIn } from '../../sessions/authentication.js'
import type { Identity } from '../../users/identity.js'
import type { AcceptedCallback } from './exchange-code.js'

/**
 * The profile of the person: the ID token's claims, the userinfo endpoint's answer, or both, with what the provider's
 * `completeProfile` adds.
 *
 * @param claims verified claims of the ID token; null for plain OAuth
 * @throws {ProviderFault} when the answer is not a profile, or is another person's than the ID token's
 */
export async function readProfile(
  callback: AcceptedCallback,
  tokens: TokenSet,
  claims: (Profile & { sub: string }) | null,
): Promise<Profile> {
  const { provider, metadata, fetch, params, secrets } = callback
  const found = await findClaims(callback, tokens, claims)
  // Who gave the profile, and to whom, is no secret, and belongs in a message.
  const known = [metadata.issuer, provider.clientId]
  for (const text of textsIn(found)) if (!known.includes(text)) secrets.add(text)
  if (!provider.completeProfile) return found
  try {
    return (await provider.completeProfile(found, tokens, { params, fetch })) as Profile
  } catch (error) {
    throw faultOf(error, `Provider "${provider.id}": its completeProfile failed. ${cleanError(error, secrets).message}`)
  }
}

async function findClaims(
  callback: AcceptedCallback,
  tokens: TokenSet,
  claims: (Profile & { sub: string }) | null,
): Promise<Profile> {
  const { provider, secrets, dependencies, source } = callback
  if (claims === null) return askUserinfo(callback, tokens, null)
  if (provider.claimsFrom === 'userinfo')
    return keepVerifiedOnlyIfAgreed(await askUserinfo(callback, tokens, claims.sub), claims)
  if (provider.claimsFrom === 'id-token' || !isAnsweredAtUserinfo(callback, tokens, claims)) return claims
  try {
    return mergeClaims(claims, await askUserinfo(callback, tokens, claims.sub))
  } catch (error) {
    // The ID token proves who it is, and a name is no reason to keep a person out.
    const reason = cleanError(error, secrets).message
    dependencies.logger.warn('userinfo-not-read', { provider: provider.id, reason }, source)
    return claims
  }
}

/**
 * Whether name and address were asked for, and are not in the ID token: a provider that gives an access token may have them at
 * userinfo only (OpenID Connect Core 1.0 §5.4).
 */
function isAnsweredAtUserinfo({ provider, metadata }: AcceptedCallback, tokens: TokenSet, claims: Profile): boolean {
  const hasEndpoint = metadata.server.userinfo_endpoint !== undefined || provider.userinfo.request !== undefined
  const scope = scopeWords(tokens.scope || configuredParameter(provider, 'scope'))
  return hasEndpoint && scope.some((word) => word === 'profile' || word === 'email') && lacksNameAndEmail(claims)
}

async function askUserinfo(callback: AcceptedCallback, tokens: TokenSet, subject: string | null): Promise<Profile> {
  const { provider, secrets } = callback
  if (tokens.access_token === undefined)
    throw new ProviderFault(`Provider "${provider.id}": the token answer has no access_token, which the profile needs.`)
  let profile: unknown
  try {
    profile = provider.userinfo.request
      ? await askHook(callback, tokens)
      : await askEndpoint(callback, tokens, subject).catch(async (error: unknown) => {
          const newer = await renewedFor(error, provider.client.userinfo_signed_response_alg, callback.metadata)
          if (newer) return askEndpoint({ ...callback, metadata: newer }, tokens, subject)
          throw error
        })
  } catch (error) {
    const fault = cleanError(error, secrets)
    if (fault instanceof ProviderFault) throw fault
    throw faultOf(error, `Provider "${provider.id}": the profile could not be fetched: ${fault.message}`)
  }
  if (typeof profile !== 'object' || profile === null || Array.isArray(profile)) {
    throw new ProviderFault(
      `Provider "${provider.id}": the userinfo endpoint gave something that is not a JSON object.`,
    )
  }
  // Another subject's profile would sign in the wrong person (OpenID Connect Core 1.0 §5.3.2).
  if (subject !== null && (profile as Profile).sub !== subject) {
    throw new ProviderFault(`Provider "${provider.id}": the sub of the userinfo answer is not that of the ID token.`)
  }
  return profile as Profile
}

const askHook = ({ provider, hookProvider, fetch }: AcceptedCallback, tokens: TokenSet) =>
  provider.userinfo.request?.({ tokens, provider: hookProvider, fetch })

async function askEndpoint(callback: AcceptedCallback, tokens: TokenSet, subject: string | null): Promise<unknown> {
  const { provider, metadata, dependencies } = callback
  const { userinfo_endpoint, mtls_endpoint_aliases } = metadata.server
  const alias = provider.usesMutualTls ? mtls_endpoint_aliases?.userinfo_endpoint : undefined
  const endpoint = alias ?? userinfo_endpoint
  if (endpoint === undefined)
    throw new ProviderFault(
      `Provider "${provider.id}": its metadata has no userinfo_endpoint. Set the userinfo option.`,
    )
  const client = await openClient({
    provider,
    metadata,
    fetch: verifyingFetch(callback),
    now: dependencies.now,
  })
  const { library, configuration } = client
  const bound = await dpopOf(provider, client)
  const accessToken = tokens.access_token ?? ''
  if (subject !== null) return library.fetchUserInfo(configuration, accessToken, subject, bound)

  const accept = new Headers({ accept: 'application/json' })
  const response = await library.fetchProtectedResource(
    configuration,
    accessToken,
    new URL(endpoint),
    'GET',
    undefined,
    accept,
    bound,
  )
  return response.json().catch(() => {
    throw new ProviderFault(`Provider "${provider.id}": the userinfo endpoint gave something that is not JSON.`)
  })
}

/** The `fetch` for the userinfo endpoint; it verifies the signature of a signed answer. */
function verifyingFetch({ provider, metadata, fetch, secrets, dependencies }: AcceptedCallback): typeof fetch {
  const ask = endpointFetch(fetch, { ...provider.userinfo, name: 'userinfo endpoint', secrets })
  return async (input, init) => {
    const response = await ask(input, init)
    const { client } = provider
    if (!response.headers.get('content-type')?.startsWith('application/jwt')) {
      if (response.ok && (client.userinfo_encrypted_response_alg ?? client.userinfo_signed_response_alg) !== undefined)
        throw new ProviderFault(
          `Provider "${provider.id}": its userinfo answer is no JWT, though a signed or encrypted one is configured.`,
        )
      return response
    }
    const { jwks_uri, userinfo_signing_alg_values_supported } = metadata.server
    if (!jwks_uri)
      throw new ProviderFault(`Provider "${provider.id}": a signed userinfo answer came and no jwks_endpoint is known.`)
    const jwt = await decryptToken(provider, await response.clone().text(), 'userinfo')
    await dependencies.keySets.verify(provider, jwks_uri, jwt, {
      algorithms: signingAlgorithms(
        provider.client.userinfo_signed_response_alg,
        userinfo_signing_alg_values_supported,
      ),
      clockTolerance: PROVIDER_CLOCK_TOLERANCE_SECONDS,
      currentDate: new Date(dependencies.now()),
    })
    return new Response(jwt, { status: response.status, headers: response.headers })
  }
}

const PERSON = ['name', 'nickname', 'preferred_username', 'email'] as const

/** Whether claims say neither how a person is called nor their address. */
const lacksNameAndEmail = (claims: Profile): boolean => !PERSON.some((name) => hasText(claims[name]))

/** The claims of an ID token, with what only userinfo has. `email_verified` is taken from userinfo, because the address is. */
function mergeClaims(claims: Profile, userinfo: Profile): Profile {
  const own = Object.entries(claims).filter(([name, value]) => name !== 'email_verified' && stated(value) !== undefined)
  return keepVerifiedOnlyIfAgreed({ ...userinfo, ...Object.fromEntries(own) }, claims)
}

/**
 * An answer of userinfo. Its address does not count as verified if the signed ID token does not agree: if it says no, anything but
 * yes, or has another address. Some servers call every address at userinfo verified, whatever their ID token says.
 */
function keepVerifiedOnlyIfAgreed(userinfo: Profile, claims: Profile): Profile {
  if (isDenied(claims.email_verified)) return { ...userinfo, email_verified: false }
  const isUnclear = stated(claims.email_verified) !== undefined && !isAffirmed(claims.email_verified)
  return isUnclear || isOtherAddress(userinfo.email, claims.email) ? { ...userinfo, email_verified: null } : userinfo
}

/** Whether a second address is there, and is not the first one. A value that is no text is another one. */
const isOtherAddress = (email: unknown, other: unknown): boolean =>
  stated(email) !== undefined &&
  stated(other) !== undefined &&
  (typeof email !== 'string' || typeof other !== 'string' || mailboxOf(email) !== mailboxOf(other))

/**
 * The identity that a profile stands for.
 *
 * @returns the mapped user with an id that is new at every sign-in; the account has the provider's id
 * @param claims those of the verified ID token; null for plain OAuth
 * @throws {OAuthProfileParseError} when the mapping throws or gives no usable user, or when the provider's
 *   `verifiedEmail` throws
 */
export async function toIdentity(
  callback: AcceptedCallback,
  tokens: TokenSet,
  profile: Profile,
  claims: IdTokenClaims | null,
): Promise<Identity> {
  const { provider, transaction, dependencies } = callback
  const mapped = await mapProfile(callback, tokens, profile)
  const { user, accountId, isEmailVerified } = checkMappedUser(
    provider,
    mapped,
    profile,
    noteLeftOut(dependencies.logger, provider),
  )
  // Latchkey decides to which user the account belongs, so a `userId` in the provider's answer is left out.
  const { userId: _, ...answer } = tokens
  const account: Account = { ...answer, provider: provider.id, type: provider.type, providerAccountId: accountId }
  return {
    user: { ...user, id: randomId() },
    account,
    profile,
    ...(claims && {
      providerSession: providerSessionOf(provider.id, claims),
      authentication: authenticationIn({ amr: claims['amr'], acr: claims['acr'] }),
    }),
    initiator: transaction.initiator,
    ...(provider.checks.size === 0 && { isUnbound: true }),
    linkSessionDigest: transaction.linkSessionDigest,
    linking: {
      isEmailVerified,
      linksByEmail: provider.allowDangerousEmailAccountLinking,
      storedTokens: provider.account,
    },
  }
}

/** The session at the provider. A `sid` that no column can hold counts as absent: a logout by subject still finds the session. */
function providerSessionOf(provider: string, { sub: subject, sid }: IdTokenClaims): ProviderSession {
  return { provider, subject, ...(isSid(sid) && { sid }) }
}

/** What the provider's `profile()` gives, which may be anything. */
async function mapProfile(
  { provider, fetch, params, secrets }: AcceptedCallback,
  tokens: TokenSet,
  profile: Profile,
): Promise<unknown> {
  try {
    return await provider.profile(profile, tokens, { params, fetch })
  } catch (error) {
    const cause = cleanError(error, secrets)
    const outage = faultOf(error, `Provider "${provider.id}": profile() could not ask for more. ${cause.message}`)
    if (outage instanceof ProviderOutage) throw outage
    throw new OAuthProfileParseError(`Provider "${provider.id}": profile() threw. ${cause.message}`, {
      err: cause,
      provider: provider.id,
    })
  }
}
