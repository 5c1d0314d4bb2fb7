import type { webcrypto } from 'node:crypto'

/** How the application authenticates at the token endpoint (RFC 7591 §2). */
export type ClientAuthMethod =
  | 'client_secret_basic'
  | 'client_secret_post'
  | 'client_secret_jwt'
  | 'private_key_jwt'
  | 'tls_client_auth'
  | 'self_signed_tls_client_auth'
  | 'none'

/** Client metadata that an application may set (RFC 7591 §2). */
export interface ClientOverrides {
  token_endpoint_auth_method?: ClientAuthMethod | (string & {})
  /**
   * Algorithm that the ID token must have; by default any in the metadata of the provider, or RS256 if they list none.
   * `HS256` is verified with the client secret.
   */
  id_token_signed_response_alg?: string
  userinfo_signed_response_alg?: string
  /** Algorithm of client assertions; by default that of the key, or HS256 for a secret. */
  token_endpoint_auth_signing_alg?: string
  /**
   * Algorithm with which the provider encrypts the key of an ID token. If it is set, an ID token that is not encrypted so is
   * refused (OpenID Connect Core 1.0 §3.1.3.7).
   */
  id_token_encrypted_response_alg?: string
  /** Algorithm with which the provider encrypts the content of an ID token; `A128CBC-HS256` by default. */
  id_token_encrypted_response_enc?: string
  /** Algorithm that the JWT of an authorization response must have, as `id_token_signed_response_alg` says it for ID tokens. */
  authorization_signed_response_alg?: string
  /** As `id_token_encrypted_response_alg`, for userinfo answers: others are refused. */
  userinfo_encrypted_response_alg?: string
  userinfo_encrypted_response_enc?: string
  /** As `id_token_encrypted_response_alg`, for authorization responses: others are refused. They must be JWTs. */
  authorization_encrypted_response_alg?: string
  authorization_encrypted_response_enc?: string
  /** Algorithm of request objects; by default that of the key. */
  request_object_signing_alg?: string
  /**
   * Whether calls go to the endpoints that the provider has for mutual TLS (RFC 8705 §5). By default they do if the client
   * has a certificate.
   */
  use_mtls_endpoint_aliases?: boolean
  [member: string]: unknown
}

/** A private key: a `CryptoKey`, a `CryptoKeyPair`, a JWK, or one of them with its key id. */
export type ClientPrivateKey =
  | webcrypto.CryptoKey
  | webcrypto.CryptoKeyPair
  | webcrypto.JsonWebKey
  | { key: webcrypto.CryptoKey | webcrypto.CryptoKeyPair | webcrypto.JsonWebKey; kid?: string }

/** How authorization requests are signed (RFC 9101). */
export interface RequestObjects {
  /** Signs them; by default the first key of `token.clientPrivateKey` does. */
  signingKey?: ClientPrivateKey
}

/** Binds the tokens of a provider to a key of the application (RFC 9449). */
export interface DPoPOptions {
  /** One key pair for all processes. A `CryptoKey` that cannot be exported needs its public key beside it, as a `CryptoKeyPair`. */
  key: ClientPrivateKey
}

/** The certificate with which the application calls a provider (RFC 8705), or the authority of the provider's, as PEM. */
export interface ClientCertificate {
  /** The certificate, and after it those that lead to its authority. Absent, with `key`: the application shows none. */
  cert?: string | Buffer
  /** The private key of the certificate. */
  key?: string | Buffer
  /** Opens `key`, if it is encrypted. */
  passphrase?: string
  /** The authorities that the certificate of the provider may come from, in place of those that Node.js trusts. */
  ca?: string | Buffer | (string | Buffer)[]
}
