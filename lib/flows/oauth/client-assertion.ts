import type { ClientAuth, ServerMetadata } from 'openid-client'
import type { ResolvedOAuthProvider } from '../../providers/provider.js'
import { changedAssertion, type Library, signingKey } from './client-keys.js'
import { ProviderFault } from './faults.js'

/**
 * Authenticates with a token that the key of the application signs, or the client secret (OpenID Connect Core 1.0 §9).
 *
 * @param secret signs; undefined for `private_key_jwt`
 */
export async function clientAssertion(
  library: Library,
  provider: ResolvedOAuthProvider,
  server: ServerMetadata,
  secret?: { readonly text: string | undefined },
): Promise<ClientAuth> {
  const { id, client, clientAssertionAudience, keys } = provider
  const refused = refusedAudience(provider, server)
  if (refused) throw new ProviderFault(`Provider "${id}": clientAssertionAudience is refused: ${refused}.`)
  const audience = clientAssertionAudience === 'issuer' ? undefined : [server.issuer, server.token_endpoint ?? '']
  if (!secret) {
    const [key] = keys.assertion
    if (!key) throw new TypeError('private_key_jwt needs token.clientPrivateKey')
    const signing = await signingKey(provider, key, server.token_endpoint_auth_signing_alg_values_supported)
    return library.PrivateKeyJwt(
      signing,
      changedAssertion(library, () => signing.alg, audience),
    )
  }
  const { token_endpoint_auth_signing_alg: alg = 'HS256' } = client
  const authenticate = library.ClientSecretJwt(
    secret.text,
    changedAssertion(library, () => alg, audience),
  )
  if (alg === 'HS256') return authenticate
  const { decodeJwt, SignJWT } = await import('jose')
  return async (...request) => {
    await authenticate(...request)
    // The library signs with HS256 only, whatever the header says.
    const [, , body] = request
    const assertion = new SignJWT(decodeJwt(body.get('client_assertion') ?? '')).setProtectedHeader({ alg })
    body.set('client_assertion', await assertion.sign(new TextEncoder().encode(secret.text)))
  }
}

/**
 * Why no assertion may name the token endpoint, to end a sentence; false if one may. A dishonest server could name that of another
 * one as its own, and use there what it gets. So the endpoint is of the issuer's origin, or the application has configured it.
 *
 * @see draft-ietf-oauth-rfc7523bis
 */
export const refusedAudience = (
  { token, client, clientAssertionAudience }: ResolvedOAuthProvider,
  { issuer, token_endpoint = issuer }: Pick<ServerMetadata, 'issuer' | 'token_endpoint'>,
): string | false =>
  clientAssertionAudience === 'token_endpoint' &&
  client.token_endpoint_auth_method?.endsWith('_jwt') === true &&
  token.url === null &&
  new URL(token_endpoint).origin !== new URL(issuer).origin &&
  'the token endpoint in the metadata is not of the origin of the issuer. If that is right, set the option token to its URL'
