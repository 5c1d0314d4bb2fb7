import type { JWTPayload, JWTVerifyOptions } from 'jose'
import type { ResolvedOAuthProvider } from '../../providers/provider.js'

type KeySet = ReturnType<typeof import('jose').createRemoteJWKSet>

const LIFETIME_MS = 10 * 60 * 1000
/**
 * Fetches because of a key that is not there: so many at once, and then one in so long. Rotation is noticed at once, several of them, and nobody can make
 * us hammer.
 */
const BURST = 5
const REFILL_MS = 1000
/** Longer than the back channel's own limit, which gives the better message. */
const TIMEOUT_MS = 60_000

/** A token whose signature was verified. */
export interface VerifiedToken {
  readonly claims: JWTPayload
  readonly algorithm: string
  /** The `typ` of its header. */
  readonly type: unknown
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

/** The keys of one provider, and what may still be fetched. */
interface Entry {
  readonly url: string
  readonly keys: KeySet
  readonly allowance: Allowance
  /** How often the keys were fetched again. */
  reloads: number
  reloading: Promise<void> | undefined
}

/** Key sets that are fetched when first needed, kept for minutes, and fetched again when a token names an unknown key. */
export function createKeySets(
  channelOf: (provider: ResolvedOAuthProvider) => typeof fetch,
  now: () => number,
): KeySets {
  const known = new WeakMap<ResolvedOAuthProvider, Entry>()
  const entryOf = async (provider: ResolvedOAuthProvider, url: string): Promise<Entry> => {
    const jose = await import('jose')
    const before = known.get(provider)
    if (before?.url === url) return before
    const keys = jose.createRemoteJWKSet(new URL(url), {
      cacheMaxAge: LIFETIME_MS,
      // When to fetch again is decided here.
      cooldownDuration: Number.POSITIVE_INFINITY,
      timeoutDuration: TIMEOUT_MS,
      [jose.customFetch]: channelOf(provider),
    })
    const entry: Entry = { url, keys, allowance: createAllowance(now), reloads: 0, reloading: undefined }
    known.set(provider, entry)
    return entry
  }
  return {
    async verify(provider, url, token, options) {
      const jose = await import('jose')
      const entry = await entryOf(provider, url)
      for (let hasAsked = false; ; ) {
        const { reloads } = entry
        try {
          return await verifyWith(jose, entry.keys, token, options)
        } catch (error) {
          // A key may have been replaced by another under the same id, or without any.
          const mayBeReplaced =
            error instanceof jose.errors.JWKSNoMatchingKey ||
            error instanceof jose.errors.JWSSignatureVerificationFailed
          if (!mayBeReplaced || hasAsked) throw error
          // Others may have fetched newer keys while this token was verified.
          if (entry.reloads !== reloads) continue
          if (!(await reload(entry))) throw error
          hasAsked = true
        }
      }
    },
  }
}

/** Fetches the keys again, once for all who ask meanwhile. False when too many fetches were asked for. */
async function reload(entry: Entry): Promise<boolean> {
  if (!entry.reloading) {
    if (!entry.allowance.take()) return false
    entry.reloading = entry.keys.reload().finally(() => {
      entry.reloads += 1
      entry.reloading = undefined
    })
  }
  await entry.reloading
  return true
}

/** Permits that come back one by one. */
interface Allowance {
  /** Whether one was left. */
  take(): boolean
}

function createAllowance(now: () => number): Allowance {
  let left = BURST
  let since = now()
  return {
    take() {
      const back = Math.floor((now() - since) / REFILL_MS)
      if (back > 0) {
        left = Math.min(BURST, left + back)
        since += back * REFILL_MS
      }
      if (left === 0) return false
      left -= 1
      return true
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
    return { claims: payload, algorithm: protectedHeader.alg, type: protectedHeader.typ }
  } catch (error) {
    if (!(error instanceof jose.errors.JWKSMultipleMatchingKeys)) throw error
    // Several keys fit and the token does not say which: it must be signed by one of them.
    for await (const key of error) {
      try {
        const { payload, protectedHeader } = await jose.jwtVerify(token, key, options)
        return { claims: payload, algorithm: protectedHeader.alg, type: protectedHeader.typ }
      } catch (attempt) {
        if (!(attempt instanceof jose.errors.JWSSignatureVerificationFailed)) throw attempt
      }
    }
    throw new jose.errors.JWSSignatureVerificationFailed()
  }
}
