import type { ClientAuth } from 'openid-client'

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
