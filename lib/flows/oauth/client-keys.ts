import { types } from 'node:util'
import type { JWK } from 'jose'
import type { CryptoKey } from 'openid-client'
import type { ClientKey } from '../../providers/client-keys.js'
import type { ResolvedOAuthProvider } from '../../providers/provider.js'
import { publishableKeys } from '../../providers/resolve-client-keys.js'

/** A private key as the protocol library takes it. */
export interface PrivateKey {
  readonly key: CryptoKey
  /** Goes into the headers of what is signed; absent for the only key of a provider, if none was configured. */
  readonly kid?: string
}

const imported = new WeakMap<ClientKey, Promise<CryptoKey>>()

/** The private key, imported once. It cannot be exported again. */
export function importPrivateKey(key: ClientKey): Promise<CryptoKey> {
  const known = imported.get(key)
  if (known) return known
  const made = (async () => {
    if (types.isCryptoKey(key.privateKey)) return key.privateKey as CryptoKey
    const { importJWK } = await import('jose')
    return (await importJWK({ ...(key.privateKey as JWK), ext: false }, key.alg)) as CryptoKey
  })()
  imported.set(key, made)
  return made
}

/** The key that signs, with the id by which the provider finds it. */
export async function signingKey(provider: ResolvedOAuthProvider, key: ClientKey): Promise<PrivateKey> {
  const isOneOfSeveral = publishableKeys(provider.keys).filter(({ use }) => use === 'sig').length > 1
  const kid = key.kid ?? (isOneOfSeveral ? await keyIdOf(key) : undefined)
  return { key: await importPrivateKey(key), ...(kid !== undefined && { kid }) }
}

/** The id of a key: the configured one, else its thumbprint (RFC 7638). Undefined if the key cannot be exported and has none. */
export async function keyIdOf({ kid, publicKey }: ClientKey): Promise<string | undefined> {
  if (kid !== undefined || publicKey === null) return kid
  const { calculateJwkThumbprint } = await import('jose')
  return calculateJwkThumbprint(publicKey.export({ format: 'jwk' }) as JWK)
}

/** Members of public keys, of all kinds that there are (RFC 7518 §6, RFC 8037 §2). None of them is private. */
const PUBLIC_MEMBERS = ['kty', 'crv', 'x', 'y', 'n', 'e'] as const

/**
 * The public parts of all keys of these providers, as a JWK Set. A key that several providers have is in it once.
 *
 * @see RFC 7517 §5
 */
export async function publicKeySet(
  providers: Iterable<ResolvedOAuthProvider>,
): Promise<{ readonly keys: readonly JWK[] }> {
  const keys = new Map<string, JWK>()
  for (const provider of providers) {
    for (const key of publishableKeys(provider.keys)) {
      const kid = await keyIdOf(key)
      if (key.publicKey === null || kid === undefined) continue
      const exported = key.publicKey.export({ format: 'jwk' }) as Record<string, unknown>
      const members = PUBLIC_MEMBERS.filter((name) => typeof exported[name] === 'string')
      const jwk = {
        ...Object.fromEntries(members.map((name) => [name, exported[name]])),
        kid,
        use: key.use,
        alg: named(key),
      }
      keys.set(`${key.use} ${kid}`, jwk as JWK)
    }
  }
  return { keys: [...keys.values()] }
}

/** The protocol library signs with the name of RFC 9864, under which the key must then be found. */
const named = ({ alg }: ClientKey): string => (alg === 'EdDSA' ? 'Ed25519' : alg)
