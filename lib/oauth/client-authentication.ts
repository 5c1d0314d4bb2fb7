import type { ClientAuth, CustomFetch, ServerMetadata } from 'openid-client'
import type { ResolvedOAuthProvider } from '../providers/provider.js'
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
  const { client, clientAssertionAudience, keys, issuer } = provider
  const { token_endpoint = server.issuer } = server
  // An issuer that the metadata alone name could be that of another provider.
  const both = issuer === undefined ? token_endpoint : [server.issuer, token_endpoint]
  const audience = clientAssertionAudience === 'issuer' ? undefined : both
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
 * one as its own, and use there what it gets. So the endpoint is of the issuer's origin, or the application has configured it; and
 * whatever gets such an assertion is of the origin of the token endpoint.
 *
 * @param called the endpoint that gets it; undefined for the token endpoint
 * @see draft-ietf-oauth-rfc7523bis
 */
export function refusedAudience(
  { token, client, clientAssertionAudience }: ResolvedOAuthProvider,
  { issuer, token_endpoint = issuer }: Pick<ServerMetadata, 'issuer' | 'token_endpoint'>,
  called = token_endpoint,
): string | false {
  const isUsed = client.token_endpoint_auth_method?.endsWith('_jwt') === true
  if (clientAssertionAudience !== 'token_endpoint' || !isUsed) return false
  const { origin } = new URL(token_endpoint)
  if (token.url === null && origin !== new URL(issuer).origin)
    return 'the token endpoint in the metadata is not of the origin of the issuer. If that is right, set the option token to its URL'
  const isForeign = new URL(called).origin !== origin
  return isForeign && `an assertion would go to ${new URL(called).host}, which is not the host of the token endpoint`
}

/** The `fetch` of a client, which sends an assertion to no endpoint that must not have it. */
export const guardedFetch =
  (provider: ResolvedOAuthProvider, server: ServerMetadata, fetch: CustomFetch): CustomFetch =>
  (url, init) => {
    const refused = String(init.body).includes('client_assertion=') && refusedAudience(provider, server, url)
    if (!refused) return fetch(url, init)
    throw new ProviderFault(`Provider "${provider.id}": clientAssertionAudience is refused: ${refused}.`)
  }

/**
 * Authenticates a client with its secret by HTTP Basic.
 *
 * Id and secret are form-encoded first (RFC 6749 §2.3.1), and not every server decodes them. So no more is encoded than
 * form encoding asks for: servers of both kinds understand letters, digits and `-._`, of which ids and secrets nearly
 * always are.
 */
export function clientSecretBasic(secret: string): ClientAuth {
  return (_server, client, _body, headers) =>
    headers.set('authorization', clientSecretBasicHeader(client.client_id, secret))
}

/** The header `Authorization` of such a client. */
export const clientSecretBasicHeader = (clientId: string, secret: string): string =>
  `Basic ${Buffer.from(`${formEncoded(clientId)}:${formEncoded(secret)}`).toString('base64')}`

// Form encoding would write a tilde as %7E and a space as a plus. A server that decodes forms reads a tilde and %20 as
// well. A server that decodes nothing gets the tilde as it is, and a server that decodes URLs only gets no plus in
// place of a space.
const formEncoded = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
