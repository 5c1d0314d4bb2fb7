import { createPrivateKey, createPublicKey, KeyObject, type webcrypto } from 'node:crypto'
import { types } from 'node:util'
import type { ClientPrivateKey } from './client-config.js'

/** What a key pair of the application is for: to sign what it sends, or to decrypt what it gets (RFC 7517 §4.2). */
type KeyUse = 'sig' | 'enc'

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
  const alg = algorithmOf(privateKey, { use, algorithm })
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

type PrivateKey = webcrypto.CryptoKey | webcrypto.JsonWebKey

/** By kind of key: the algorithms that it can have. The first is the usual one. */
type Algorithms = Readonly<Record<string, readonly string[]>>

const SIGNATURES: Algorithms = {
  RSA: ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  'P-256': ['ES256'],
  'P-384': ['ES384'],
  'P-521': ['ES512'],
  Ed25519: ['Ed25519', 'EdDSA'],
}

const AGREEMENTS = ['ECDH-ES', 'ECDH-ES+A128KW', 'ECDH-ES+A192KW', 'ECDH-ES+A256KW']
/** The ones of openid-client. RSA1_5 is not among them: whoever can ask often enough can decrypt with it (RFC 8017 §7.2). */
const DECRYPTIONS: Algorithms = {
  RSA: ['RSA-OAEP-256', 'RSA-OAEP', 'RSA-OAEP-384', 'RSA-OAEP-512'],
  'P-256': AGREEMENTS,
  X25519: AGREEMENTS,
}

/** By use: the verb of messages, the usages one of which a `CryptoKey` must have, and its algorithms. */
const PURPOSES = {
  /** RFC 7518 §3.1, RFC 8037, RFC 9864. */
  sig: { verb: 'sign', usages: ['sign'], known: SIGNATURES },
  /** RFC 7518 §4.1. */
  enc: { verb: 'decrypt', usages: ['decrypt', 'unwrapKey', 'deriveBits', 'deriveKey'], known: DECRYPTIONS },
} satisfies Record<KeyUse, object>

/** @throws {UnusableKey} when the key has no algorithm for its use, or not the one that is wanted */
function algorithmOf(key: PrivateKey, { use, algorithm: wanted }: KeyReading): string {
  const { verb, usages, known } = PURPOSES[use]
  if (types.isCryptoKey(key)) {
    const { kind, fixed } = cryptoKeyFacts(key)
    const mayBe = known[kind] ?? []
    if (mayBe.length === 0 || !key.usages.some((each) => usages.includes(each)) || (fixed && !mayBe.includes(fixed)))
      throw new UnusableKey(`is a CryptoKey that cannot ${verb} here`)
    return chosen(fixed ? [fixed] : mayBe, wanted)
  }
  const jwk = key as webcrypto.JsonWebKey
  if (jwk.use !== undefined && jwk.use !== use)
    throw new UnusableKey(`has another use; a key to ${verb} with has "${use}"`)
  const mayBe = known[jwk.kty === 'RSA' ? 'RSA' : (jwk.crv ?? '')] ?? []
  if (mayBe.length === 0)
    throw new UnusableKey(`is of a kind that cannot ${verb} here. Use one of ${Object.keys(known).join(', ')}`)
  // A client decrypts with several keys of different kinds, and signs with the one algorithm that is registered.
  return chosen(mayBe, use === 'sig' ? (wanted ?? jwk.alg) : (jwk.alg ?? wanted))
}

function chosen(mayBe: readonly string[], wanted: string | undefined): string {
  const [usual = ''] = mayBe
  if (wanted === undefined || mayBe.includes(wanted)) return wanted ?? usual
  throw new UnusableKey(`does not fit its algorithm. This kind of key can have ${mayBe.join(', ')}`)
}

/** The kind of a CryptoKey, and the one algorithm that it was made for, if there is only one. */
function cryptoKeyFacts({ algorithm }: webcrypto.CryptoKey): { readonly kind: string; readonly fixed?: string } {
  const { name } = algorithm
  const hash = (algorithm as webcrypto.RsaHashedKeyAlgorithm).hash?.name.slice(-3)
  switch (name) {
    case 'RSASSA-PKCS1-v1_5':
      return { kind: 'RSA', fixed: `RS${hash}` }
    case 'RSA-PSS':
      return { kind: 'RSA', fixed: `PS${hash}` }
    case 'RSA-OAEP':
      return { kind: 'RSA', fixed: hash === 'A-1' ? 'RSA-OAEP' : `RSA-OAEP-${hash}` }
    case 'ECDSA':
    case 'ECDH':
      return { kind: (algorithm as webcrypto.EcKeyAlgorithm).namedCurve }
    default:
      return { kind: name }
  }
}
