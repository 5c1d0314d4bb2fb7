import { types } from 'node:util'
import type { JWK } from 'jose'
import type { CryptoKey, ModifyAssertionOptions } from 'openid-client'
import { onceFor } from '../kernel/awaitable.js'
import type { ClientKey } from '../providers/client-keys.js'
import { publishableKeys } from '../providers/client-security.js'
import { isOAuthProvider, type ResolvedOAuthProvider, type ResolvedProvider } from '../providers/provider.js'

/** A private key as the protocol library takes it. */
export interface PrivateKey {
  readonly key: CryptoKey
  /** Goes into the headers of what is signed; absent for the only key of a provider, if none was configured. */
  readonly kid?: string
  /** The name of its algorithm by which the provider knows it. */
  readonly alg: string
}

/** The protocol library, which is loaded when it is first needed. */
export type Library = typeof import('openid-client')

/** The private key, imported once. It cannot be exported again. */
export const importPrivateKey = onceFor(async ({ privateKey, alg }: ClientKey): Promise<CryptoKey> => {
  if (types.isCryptoKey(privateKey)) return privateKey as CryptoKey
  const { importJWK } = await import('jose')
  return (await importJWK({ ...(privateKey as JWK), ext: false }, alg)) as CryptoKey
})

/**
 * The key that signs, with the id by which the provider finds it.
 *
 * @param announced the algorithms that the metadata list for what it signs
 */
export async function signingKey(
  provider: ResolvedOAuthProvider,
  key: ClientKey,
  announced: unknown,
): Promise<PrivateKey> {
  const isOneOfSeveral = publishableKeys(provider.keys).filter(({ use }) => use === 'sig').length > 1
  const kid = key.kid ?? (isOneOfSeveral ? await clientKeyId(key) : undefined)
  const alg = announcedName(key.alg, announced)
  return { key: await importPrivateKey(key), alg, ...(kid !== undefined && { kid }) }
}

/** Makes the library write this name of an algorithm, and this audience. It would write the name of RFC 9864, and the issuer. */
export const changedAssertion = (
  library: Library,
  alg: () => string,
  audience?: string | string[],
): ModifyAssertionOptions => ({
  [library.modifyAssertion]: (header, claims) => {
    header['alg'] = alg()
    if (audience) claims['aud'] = audience
  },
})

/** The id of a key: the configured one, else its thumbprint (RFC 7638). Undefined if the key cannot be exported and has none. */
export async function clientKeyId({ kid, publicKey }: ClientKey): Promise<string | undefined> {
  if (kid !== undefined || publicKey === null) return kid
  const { calculateJwkThumbprint } = await import('jose')
  return calculateJwkThumbprint(publicKey.export({ format: 'jwk' }) as JWK)
}

/** Whether a provider may read public keys of the application. */
export const publishesKeys = (provider: ResolvedProvider): boolean =>
  isOAuthProvider(provider) && publishableKeys(provider.keys).some(({ publicKey }) => publicKey !== null)

/** Members of public keys, of all kinds that there are (RFC 7518 §6, RFC 8037 §2). None of them is private. */
const PUBLIC_MEMBERS = ['kty', 'crv', 'x', 'y', 'n', 'e'] as const

/**
 * The public parts of the keys of a provider, each with the name of its algorithm by which this provider knows it.
 *
 * @param announced the metadata of the provider, read only where a name depends on them
 * @see RFC 7517 §4
 */
export async function publicKeysOf(
  provider: ResolvedOAuthProvider,
  announced: () => Promise<Readonly<Record<string, unknown>>>,
): Promise<readonly JWK[]> {
  const { keys, client } = provider
  const found: JWK[] = []
  for (const key of publishableKeys(keys)) {
    const kid = await clientKeyId(key)
    if (key.publicKey === null || kid === undefined) continue
    const exported = key.publicKey.export({ format: 'jwk' }) as Record<string, unknown>
    const members = PUBLIC_MEMBERS.filter((name) => typeof exported[name] === 'string')
    const isForAssertions = client.token_endpoint_auth_method === 'private_key_jwt' && keys.assertion.includes(key)
    const list = `${isForAssertions ? 'token_endpoint_auth' : 'request_object'}_signing_alg_values_supported`
    const alg = isEd25519(key.alg) ? announcedName(key.alg, (await announced())[list]) : key.alg
    found.push({ ...Object.fromEntries(members.map((name) => [name, exported[name]])), kid, use: key.use, alg } as JWK)
  }
  return found
}

/**
 * The keys of all providers as one set. A key that several providers have is in it once, and without `alg` if they know its
 * algorithm by different names: a key with a name is for that name alone.
 *
 * @see RFC 7517 §5
 */
export function keySetOf(keysOfProviders: readonly (readonly JWK[])[]): { readonly keys: readonly JWK[] } {
  const keys = new Map<string, JWK>()
  for (const key of keysOfProviders.flat()) {
    const id = `${key.use} ${key.kid}`
    const { alg, ...nameless } = keys.get(id) ?? key
    keys.set(id, alg === key.alg ? key : nameless)
  }
  return { keys: [...keys.values()] }
}

/** The names of one algorithm: that of RFC 9864, and the older one of RFC 8037, which many servers know alone. */
const ED25519: readonly string[] = ['Ed25519', 'EdDSA']

/**
 * The name of a signing algorithm by which a server knows it.
 *
 * @param alg as configured, or as the kind of the key has it
 * @param announced a list of the metadata; anything else is none
 * @returns `alg`, unless the server lists only another name of the same algorithm
 */
export function announcedName(alg: string, announced: unknown): string {
  if (!isEd25519(alg) || !Array.isArray(announced) || announced.includes(alg)) return alg
  return ED25519.find((name) => announced.includes(name)) ?? alg
}

const isEd25519 = (alg: string): boolean => ED25519.includes(alg)
