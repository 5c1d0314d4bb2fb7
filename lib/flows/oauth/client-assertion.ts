import type { ClientAuth, ModifyAssertionOptions, ServerMetadata } from 'openid-client'
import type { ResolvedOAuthProvider } from '../../providers/provider.js'
import { announcedName, signingKey } from './client-keys.js'
import { ProviderFault } from './faults.js'

type Library = typeof import('openid-client')

/** Authenticates with a token that the key of the application signs (RFC 7523 §2.2). */
export async function privateKeyJwt(
  library: Library,
  provider: ResolvedOAuthProvider,
  server: ServerMetadata,
): Promise<ClientAuth> {
  const [key] = provider.keys.assertion
  if (!key) throw new TypeError('private_key_jwt needs token.clientPrivateKey')
  const alg = announcedName(key.alg, server.token_endpoint_auth_signing_alg_values_supported)
  return library.PrivateKeyJwt(await signingKey(provider, key), changing(library, provider, server, alg))
}

/** Authenticates with a token that the client secret signs (OpenID Connect Core 1.0 §9). */
export async function clientSecretJwt(
  library: Library,
  provider: ResolvedOAuthProvider,
  server: ServerMetadata,
  secret: string | undefined,
): Promise<ClientAuth> {
  const { token_endpoint_auth_signing_alg: alg = 'HS256' } = provider.client
  const authenticate = library.ClientSecretJwt(secret, changing(library, provider, server, alg))
  if (alg === 'HS256') return authenticate
  const { decodeJwt, SignJWT } = await import('jose')
  return async (...request) => {
    await authenticate(...request)
    // The library signs with HS256 only, whatever the header says.
    const [, , body] = request
    const assertion = new SignJWT(decodeJwt(body.get('client_assertion') ?? '')).setProtectedHeader({ alg })
    body.set('client_assertion', await assertion.sign(new TextEncoder().encode(secret)))
  }
}

function changing(
  library: Library,
  provider: ResolvedOAuthProvider,
  server: ServerMetadata,
  alg: string,
): ModifyAssertionOptions {
  const { id, clientAssertionAudience } = provider
  if (clientAssertionAudience === 'token_endpoint' && !hasOwnTokenEndpoint(provider, server))
    throw new ProviderFault(`Provider "${id}": clientAssertionAudience is refused: ${FOREIGN_TOKEN_ENDPOINT}.`)
  return {
    [library.modifyAssertion]: (header, claims) => {
      header['alg'] = alg
      if (clientAssertionAudience === 'token_endpoint') claims['aud'] = [server.issuer, server.token_endpoint ?? '']
    },
  }
}

/** The rest of a sentence about `clientAssertionAudience`. */
export const FOREIGN_TOKEN_ENDPOINT =
  'the token endpoint in the metadata is not of the origin of the issuer. If that is right, set its URL as token'

/**
 * Whether assertions may name the token endpoint. A dishonest server could name that of another one as its own, and use there
 * what it gets: so the endpoint is of the issuer's origin, or the application has configured it.
 *
 * @see draft-ietf-oauth-rfc7523bis
 */
export const hasOwnTokenEndpoint = (
  { token }: ResolvedOAuthProvider,
  { issuer, token_endpoint = issuer }: Pick<ServerMetadata, 'issuer' | 'token_endpoint'>,
): boolean => token.url !== null || new URL(token_endpoint).origin === new URL(issuer).origin
