import type { Profile, TokenSet } from '../../providers/provider.js'
import { CLOCK_TOLERANCE_SECONDS, openClient } from './client.js'
import { withHeaders } from './exchange-code.js'
import { cleanError, ProviderFault, textsIn } from './faults.js'
import type { Finishing } from './finish-sign-in.js'
import { signingAlgorithms } from './id-token.js'

/**
 * What the provider says of the person: the ID token's claims, or the userinfo endpoint's answer, with the provider's
 * additions.
 *
 * @param claims verified claims of the ID token; null for plain OAuth
 * @throws {ProviderFault} when the answer is not a profile, or is another person's than the ID token's
 */
export async function readProfile(
  finishing: Finishing,
  tokens: TokenSet,
  claims: (Profile & { sub: string }) | null,
): Promise<Profile> {
  const { answer, parts, params, secrets } = finishing
  const { provider } = answer
  const found = claims && provider.idToken ? claims : await askUserinfo(finishing, tokens, claims?.sub ?? null)
  for (const text of textsIn(found)) secrets.add(text)
  if (!provider.completeProfile) return found
  try {
    return (await provider.completeProfile(found, tokens, { params, fetch: parts.channelOf(provider) })) as Profile
  } catch (error) {
    throw new ProviderFault(
      `Provider "${provider.id}": its completeProfile failed. ${cleanError(error, secrets).message}`,
    )
  }
}

async function askUserinfo(finishing: Finishing, tokens: TokenSet, subject: string | null): Promise<Profile> {
  const { answer, secrets } = finishing
  const { provider } = answer
  let profile: unknown
  try {
    profile = provider.userinfo.request
      ? await askHook(finishing, tokens)
      : await askEndpoint(finishing, tokens, subject)
  } catch (error) {
    if (error instanceof ProviderFault) throw error
    throw new ProviderFault(
      `Provider "${provider.id}": the profile could not be fetched: ${cleanError(error, secrets).message}`,
    )
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

const askHook = ({ answer: { provider }, hookProvider, parts }: Finishing, tokens: TokenSet) =>
  provider.userinfo.request?.({ tokens, provider: hookProvider, fetch: parts.channelOf(provider) })

async function askEndpoint(finishing: Finishing, tokens: TokenSet, subject: string | null): Promise<unknown> {
  const { answer, metadata, parts } = finishing
  const { provider } = answer
  const endpoint = metadata.server.userinfo_endpoint
  if (endpoint === undefined)
    throw new ProviderFault(
      `Provider "${provider.id}": its metadata has no userinfo_endpoint. Set the userinfo option.`,
    )
  const { library, configuration } = await openClient({ provider, metadata, fetch: observe(finishing), now: parts.now })
  const accessToken = tokens.access_token ?? ''
  if (subject !== null) return library.fetchUserInfo(configuration, accessToken, subject)

  const accept = new Headers({ accept: 'application/json' })
  const response = await library.fetchProtectedResource(
    configuration,
    accessToken,
    new URL(endpoint),
    'GET',
    undefined,
    accept,
  )
  if (!response.ok) {
    throw new ProviderFault(
      `Provider "${provider.id}": the userinfo endpoint answered with the status ${response.status}.`,
    )
  }
  return response.json().catch(() => {
    throw new ProviderFault(`Provider "${provider.id}": the userinfo endpoint gave something that is not JSON.`)
  })
}

/** The call to the userinfo endpoint, with the provider's headers and `conform`; the signature of a signed answer is verified. */
function observe({ answer: { provider }, metadata, parts }: Finishing): typeof fetch {
  const channel = parts.channelOf(provider)
  return async (input, init) => {
    const headers = withHeaders(init, provider.userinfo.headers)
    const answer = await channel(input, { ...init, headers })
    const response = (await provider.userinfo.conform?.(answer.clone())) ?? answer
    if (!response.headers.get('content-type')?.startsWith('application/jwt')) return response
    const { jwks_uri, userinfo_signing_alg_values_supported } = metadata.server
    if (!jwks_uri)
      throw new ProviderFault(`Provider "${provider.id}": a signed userinfo answer came and no jwks_endpoint is known.`)
    await parts.keySets.verify(provider, jwks_uri, await response.clone().text(), {
      algorithms: signingAlgorithms(
        provider.client.userinfo_signed_response_alg,
        userinfo_signing_alg_values_supported,
      ),
      clockTolerance: CLOCK_TOLERANCE_SECONDS,
      currentDate: new Date(parts.now()),
    })
    return response
  }
}
