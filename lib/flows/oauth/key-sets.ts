import type { JWTPayload, JWTVerifyOptions } from 'jose'
import type { ResolvedOAuthProvider } from '../../providers/provider.js'

type KeySet = ReturnType<typeof import('jose').createRemoteJWKSet>

const LIFETIME_MS = 10 * 60 * 1000
/** Between two fetches because of a key that is not there: rotation is noticed at once, and nobody can make us hammer. */
const MIN_INTERVAL_MS = 1000
/** Longer than the back channel's own limit, which gives the better message. */
const TIMEOUT_MS = 60_000

/** A token whose signature was verified. */
export interface VerifiedToken {
  readonly claims: JWTPayload
  readonly algorithm: string
}

/** Verifies signatures with the keys that providers publish. */
export interface KeySets {
  /**
   * The claims of a token signed by one of the keys at a URL. Keys named in the token's own header are never used.
   *
   * @throws an error of `jose` when no key fits, the signature is wrong, or a claim is not as demanded
   * @see RFC 7515 §4.1 (`jku`, `jwk`, `x5u`, `x5c` are ignored), OpenID Connect Core 1.0 §10.1.1 (rotation)
   */
  verify(provider: ResolvedOAuthProvider, url: string, token: string, options: JWTVerifyOptions): Promise<VerifiedToken>
}

/** Key sets that are fetched when first needed, kept for minutes, and fetched again when a token names an unknown key. */
export function createKeySets(channelOf: (provider: ResolvedOAuthProvider) => typeof fetch): KeySets {
  const known = new WeakMap<ResolvedOAuthProvider, { readonly url: string; readonly keys: KeySet }>()
  return {
    async verify(provider, url, token, options) {
      const jose = await import('jose')
      const entry = known.get(provider)
      const keys =
        entry?.url === url
          ? entry.keys
          : jose.createRemoteJWKSet(new URL(url), {
              cacheMaxAge: LIFETIME_MS,
              cooldownDuration: MIN_INTERVAL_MS,
              timeoutDuration: TIMEOUT_MS,
              [jose.customFetch]: channelOf(provider),
            })
      known.set(provider, { url, keys })
      try {
        return await verifyWith(jose, keys, token, options)
      } catch (error) {
        // A key may have been replaced by another under the same id, or without any.
        if (!(error instanceof jose.errors.JWSSignatureVerificationFailed) || keys.coolingDown) throw error
        await keys.reload()
        return verifyWith(jose, keys, token, options)
      }
    },
  }
}

async function verifyWith(
  jose: typeof import('jose'),
  keys: KeySet,
  token: string,
  options: JWTVerifyOptions,
): Promise<VerifiedToken> {
  try {
    const { payload, protectedHeader } = await jose.jwtVerify(token, keys, options)
    return { claims: payload, algorithm: protectedHeader.alg }
  } catch (error) {
    if (!(error instanceof jose.errors.JWKSMultipleMatchingKeys)) throw error
    // Several keys fit and the token does not say which: it must be signed by one of them.
    for await (const key of error) {
      try {
        const { payload, protectedHeader } = await jose.jwtVerify(token, key, options)
        return { claims: payload, algorithm: protectedHeader.alg }
      } catch (attempt) {
        if (!(attempt instanceof jose.errors.JWSSignatureVerificationFailed)) throw attempt
      }
    }
    throw new jose.errors.JWSSignatureVerificationFailed()
  }
}
