import type { DPoPHandle } from 'openid-client'
import type { ResolvedOAuthProvider } from '../../providers/provider.js'
import type { OAuthClient } from './client.js'
import { announcedName, changedAssertion, importPrivateKey } from './client-keys.js'

/** What calls to a provider get as their options: with the key that tokens are bound to, if there is one. */
export interface BoundCalls {
  readonly DPoP?: DPoPHandle
}

const handles = new WeakMap<ResolvedOAuthProvider, Promise<DPoPHandle>>()
/** The newest names of algorithms that a provider lists: a handle outlives the metadata that it was made with. */
const announced = new WeakMap<ResolvedOAuthProvider, unknown>()

/**
 * The options for every call of the protocol library that gets or shows an access token: the code exchange, the refresh,
 * userinfo, and pushed authorization requests. All calls of a provider share what the library remembers, the nonces of the
 * servers (RFC 9449 §8).
 *
 * @returns an empty object if the provider has no key for it
 */
export async function dpopOf(provider: ResolvedOAuthProvider, client: OAuthClient): Promise<BoundCalls> {
  if (!provider.keys.dpop) return {}
  announced.set(provider, client.server['dpop_signing_alg_values_supported'])
  const known = handles.get(provider)
  if (known) return { DPoP: await known }
  const made = makeHandle(provider, client)
  handles.set(provider, made)
  return { DPoP: await made }
}

async function makeHandle(
  provider: ResolvedOAuthProvider,
  { library, configuration }: OAuthClient,
): Promise<DPoPHandle> {
  const { dpop } = provider.keys
  if (!dpop?.publicKey) throw new TypeError('dpop needs a key whose public part is known')
  const { importJWK } = await import('jose')
  const publicKey = await importJWK({ ...dpop.publicKey.export({ format: 'jwk' }), ext: true }, dpop.alg)
  const keyPair = { privateKey: await importPrivateKey(dpop), publicKey }
  const named = changedAssertion(library, () => announcedName(dpop.alg, announced.get(provider)))
  return library.getDPoPHandle(configuration, keyPair as Parameters<typeof library.getDPoPHandle>[1], named)
}
