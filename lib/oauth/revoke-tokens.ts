import type { ResolvedOAuthProvider, RevocationDialect } from '../providers/provider.js'
import { type ResolvedRevocation, revocationOf } from '../providers/resolve-endpoints.js'
import { openClient } from './client.js'
import { clientSecretBasicHeader } from './client-authentication.js'
import { endpointFetch } from './endpoint-fetch.js'
import { cleanError, ProviderFault } from './faults.js'
import type { OAuthClient } from './metadata.js'
import { type ProviderMetadata, usableEndpoint } from './metadata.js'
import type { TokenToRevoke } from './token-calls.js'

/** The parts of a call that revokes a token. */
interface RevocationCall {
  readonly method: 'POST' | 'DELETE'
  readonly headers: Record<string, string>
  readonly body?: string
}

/** What a dialect makes a call of. */
interface Ingredients {
  readonly token: string
  readonly clientId: string
  /** Empty for a public client. */
  readonly clientSecret: string
}

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
const JSON_TYPE = { 'content-type': 'application/json' }
const form = (fields: Record<string, string>): string => new URLSearchParams(fields).toString()
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
const basic = ({ clientId, clientSecret }: Ingredients) => ({
  authorization: clientSecretBasicHeader(clientId, clientSecret),
})

/** The dialects that differ from RFC 7009, each as {@link RevocationDialect} describes it. */
const DIALECTS: Record<Exclude<RevocationDialect, 'rfc7009'>, (with_: Ingredients) => RevocationCall> = {
  public: ({ token, clientId }) => ({ method: 'POST', headers: FORM, body: form({ client_id: clientId, token }) }),
  'token-only': ({ token }) => ({ method: 'POST', headers: FORM, body: form({ token }) }),
  'access-token': ({ token, clientId, clientSecret }) => ({
    method: 'POST',
    headers: FORM,
    body: form({ access_token: token, client_id: clientId, client_secret: clientSecret }),
  }),
  json: (given) => ({
    method: 'POST',
    headers: { ...JSON_TYPE, ...basic(given) },
    body: JSON.stringify({ token: given.token }),
  }),
  bearer: ({ token }) => ({ method: 'POST', headers: bearer(token) }),
  'delete-json': (given) => ({
    method: 'DELETE',
    headers: { ...JSON_TYPE, ...basic(given) },
    body: JSON.stringify({ access_token: given.token }),
  }),
  'delete-bearer': ({ token }) => ({ method: 'DELETE', headers: bearer(token) }),
}

/** Dialects whose endpoint knows nothing but access tokens. */
const ACCESS_ONLY: ReadonlySet<RevocationDialect> = new Set(['access-token', 'bearer', 'delete-json', 'delete-bearer'])

/**
 * Revokes tokens at a provider, in its dialect: the refresh token first. Every token is tried, also if another one failed.
 *
 * @throws {ProviderFault} when a token could not be revoked; the message has no token in it
 */
export async function revokeAtProvider(
  provider: ResolvedOAuthProvider,
  tokens: readonly TokenToRevoke[],
  dependencies: OAuthClient,
): Promise<void> {
  const revocation = revocationOf(provider)
  if (revocation === null) return
  const { dialect } = revocation
  const only = revocation.only ?? (ACCESS_ONLY.has(dialect) ? 'access' : undefined)
  const secrets = [provider.clientSecret ?? '', ...tokens.map(({ token }) => token)]
  const failures: string[] = []
  let isGrantRevoked = false
  for (const each of tokens.filter(({ kind }) => only === undefined || kind === only)) {
    try {
      if (dialect === 'rfc7009') await revokeByStandard(provider, revocation, each, dependencies)
      else await revokeInDialect(provider, revocation, DIALECTS[dialect], each, dependencies)
      isGrantRevoked ||= each.kind === 'refresh'
    } catch (error) {
      // With a refresh token the server ends the access tokens as well (RFC 7009 §2.1), and may not know them any more.
      if (isGrantRevoked) continue
      failures.push(`the ${each.kind} token: ${cleanError(error, secrets).message}`)
    }
  }
  if (failures.length > 0) throw new ProviderFault(`Not revoked were ${failures.join('; ')}`)
}

/** @see RFC 7009 §2.1 */
async function revokeByStandard(
  provider: ResolvedOAuthProvider,
  { url, headers }: ResolvedRevocation,
  { token, kind }: TokenToRevoke,
  dependencies: OAuthClient,
): Promise<void> {
  const metadata = await dependencies.metadataOf(provider)
  const endpoint = url === 'metadata' ? announcedEndpoint(provider, metadata) : url.href
  if (endpoint === null) return
  const { library, configuration } = await openClient({
    provider,
    metadata: { ...metadata, server: { ...metadata.server, revocation_endpoint: endpoint } },
    fetch: endpointFetch(dependencies.channelOf(provider), endpointOf(provider, headers)),
    now: dependencies.now,
  })
  await library.tokenRevocation(configuration, token, { token_type_hint: `${kind}_token` })
}

/**
 * The endpoint in the metadata; null if they have none.
 *
 * @throws {ProviderFault} when it may not be called
 */
function announcedEndpoint(
  provider: ResolvedOAuthProvider,
  { server: { revocation_endpoint } }: ProviderMetadata,
): string | null {
  if (revocation_endpoint === undefined) return null
  const isForeign = provider.discoveryUrl?.protocol === 'https:'
  if (usableEndpoint(provider, revocation_endpoint, isForeign) !== null) return revocation_endpoint
  throw new ProviderFault('revocation_endpoint in the metadata is not an https URL')
}

async function revokeInDialect(
  provider: ResolvedOAuthProvider,
  { url, headers }: ResolvedRevocation,
  callOf: (given: Ingredients) => RevocationCall,
  { token }: TokenToRevoke,
  { channelOf, metadataOf }: OAuthClient,
): Promise<void> {
  const endpoint = url === 'metadata' ? announcedEndpoint(provider, await metadataOf(provider)) : url.href
  if (endpoint === null) return
  const { clientId } = provider
  const clientSecret = provider.clientSecret ?? ''
  const call = callOf({ token, clientId, clientSecret })
  const ask = endpointFetch(channelOf(provider), endpointOf(provider, headers))
  await ask(endpoint, { ...call, headers: { accept: 'application/json', ...call.headers } })
}

const endpointOf = ({ clientSecret }: ResolvedOAuthProvider, headers: ResolvedRevocation['headers']) => ({
  name: 'revocation endpoint',
  secrets: [clientSecret],
  headers,
})
