import { createPrivateKey, createPublicKey, KeyObject, type webcrypto } from 'node:crypto'
import { types } from 'node:util'
import type { ClientPrivateKey } from './client-config.js'
import { decryptionAlgorithm, signingAlgorithm } from './key-algorithms.js'

/** What a key pair of the application is for: to sign what it sends, or to decrypt what it gets (RFC 7517 §4.2). */
export type KeyUse = 'sig' | 'enc'

/** A key pair of the application for one provider, checked. */
export interface ClientKey {
  readonly use: KeyUse
  /** The private key, as the application gave it. */
  readonly privateKey: webcrypto.CryptoKey | webcrypto.JsonWebKey
  /** The public key; null if the key is a `CryptoKey` that cannot be exported and came without its public key. */
  readonly publicKey: KeyObject | null
  /** As configured. Without one, the published id is the thumbprint of the key (RFC 7638). */
  readonly kid: string | undefined
  /** Name of the algorithm (RFC 7518). */
  readonly alg: string
}

/** How a key is read. */
export interface KeyReading {
  readonly use: KeyUse
  /** The algorithm of the client metadata, if they name one. */
  readonly algorithm: string | undefined
}

/** Why a key cannot be used. The message ends a sentence that begins with the name of the option. It has no part of the key. */
export class UnusableKey extends Error {
  override readonly name = 'UnusableKey'
}

/**
 * Reads one key of an option.
 *
 * @throws {UnusableKey} when it is not a private key, or has the wrong kind for its use
 */
export function readClientKey(given: ClientPrivateKey, { use, algorithm }: KeyReading): ClientKey {
  const { key, kid } = withId(given)
  if (types.isKeyObject(key))
    throw new UnusableKey('is a KeyObject. Give it as a JWK: privateKey.export({ format: "jwk" })')
  const pair = 'privateKey' in key ? key : null
  const privateKey = pair ? pair.privateKey : (key as webcrypto.CryptoKey | webcrypto.JsonWebKey)
  const publicKey = pair ? readPublicKey(pair.publicKey) : publicKeyOf(privateKey)
  const alg = (use === 'sig' ? signingAlgorithm : decryptionAlgorithm)(privateKey, algorithm)
  if (typeof alg !== 'string') throw new UnusableKey(alg.refusal)
  const { asymmetricKeyDetails } = publicKey ?? {}
  if (asymmetricKeyDetails?.modulusLength !== undefined && asymmetricKeyDetails.modulusLength < 2048)
    throw new UnusableKey('is an RSA key of less than 2048 bits (RFC 7518 §3.3)')
  const ownId = types.isCryptoKey(privateKey) ? undefined : (privateKey as { kid?: unknown }).kid
  return Object.freeze({ use, privateKey, publicKey, kid: kid ?? (typeof ownId === 'string' ? ownId : undefined), alg })
}

function withId(given: ClientPrivateKey) {
  const isWrapped = !types.isCryptoKey(given) && 'key' in given
  return isWrapped ? { key: given.key, kid: given.kid } : { key: given, kid: undefined }
}

function readPublicKey(key: webcrypto.CryptoKey): KeyObject {
  if (!types.isCryptoKey(key) || key.type !== 'public')
    throw new UnusableKey('has a publicKey that is no public CryptoKey')
  return KeyObject.from(key)
}

/** The public key of a private key. Only a public key can come out of `createPublicKey`, whatever the private key has. */
function publicKeyOf(key: webcrypto.CryptoKey | webcrypto.JsonWebKey): KeyObject | null {
  if (types.isCryptoKey(key)) {
    if (key.type !== 'private') throw new UnusableKey('is not a private key')
    return key.extractable ? createPublicKey(KeyObject.from(key) as never) : null
  }
  if ((key as webcrypto.JsonWebKey).kty === 'oct')
    throw new UnusableKey('is a symmetric key. Give a private key: kty RSA, EC or OKP')
  try {
    return createPublicKey(createPrivateKey({ key: key as never, format: 'jwk' }) as never)
  } catch {
    // The error of the parser may quote a member of the key.
    throw new UnusableKey('is not a private key as a JWK or a CryptoKey')
  }
}
