import type { JWTVerifyOptions, JWTVerifyResult } from 'jose'
import { loadOnce } from '../kernel/awaitable.js'
import type { ResolvedOAuthProvider } from '../providers/provider.js'
import { endpointFetch } from './endpoint-fetch.js'
import { cleanError, ProviderOutage } from './faults.js'
import { type CopyTimes, createLastGood, type LastGood, type Outage } from './last-good.js'

type KeySet = ReturnType<typeof import('jose').createLocalJWKSet>

/** An `import()` of what is loaded already still goes through the loader of modules, at each sign-in. */
const loadJose = loadOnce(() => import('jose'))

/**
 * When the keys are not fresh, a sign-in waits a moment for the new ones: a key may have been withdrawn.
 */
const TIMES: CopyTimes = { freshMs: 10 * 60 * 1000, waitFromMs: 10 * 60 * 1000, limitMs: 24 * 60 * 60 * 1000 }
/**
 * How many fetches an unknown key or algorithm may cause at once, and the time after which one more is allowed. A rotation of
 * keys is noticed at once, and nobody can use us to flood a provider.
 */
const BURST = 5
const REFILL_MS = 1000

/** A token whose signature was verified, with the `alg` and the `typ` of its header. */
export const verified = ({ payload, protectedHeader: { alg, typ } }: JWTVerifyResult) =>
  ({ claims: payload, algorithm: alg, type: typ as unknown }) as const

export type VerifiedToken = ReturnType<typeof verified>

/** The keys of one provider, and what may still be fetched. */
interface Entry {
  readonly url: string
  readonly keys: LastGood<KeySet>
  readonly allowance: Allowance
}

/**
 * Key sets that are fetched when first needed, kept for minutes, and fetched again when a token names an unknown key.
 * While they cannot be fetched, the last ones stay in use.
 *
 * @param report called when an outage begins, when the copy is given up, and when the outage ends
 */
export function createKeySets(
  channelOf: (provider: ResolvedOAuthProvider) => typeof fetch,
  now: () => number,
  report: (provider: ResolvedOAuthProvider, outage: Outage) => void,
) {
  const known = new WeakMap<ResolvedOAuthProvider, Entry>()
  const entryOf = (provider: ResolvedOAuthProvider, url: string): Entry => {
    const before = known.get(provider)
    if (before?.url === url) return before
    // Another address has other keys, so those of the old address are not used.
    const keys = createLastGood({
      fetch: () => fetchKeys(url, channelOf(provider), provider),
      times: TIMES,
      now,
      report: (outage) => report(provider, outage),
    })
    const entry: Entry = { url, keys, allowance: createAllowance(now) }
    known.set(provider, entry)
    return entry
  }
  return {
    /**
     * The claims of a token signed by one of the keys at a URL. Keys named in the token's own header are never used.
     *
     * @throws an error of `jose` when no key fits, the signature is wrong, or a claim is not as demanded
     * @see RFC 7515 §4.1 (`jku`, `jwk`, `x5u`, `x5c` are ignored), OpenID Connect Core 1.0 §10.1.1 (rotation)
     */
    async verify(
      provider: ResolvedOAuthProvider,
      url: string,
      token: string,
      options: JWTVerifyOptions,
    ): Promise<VerifiedToken> {
      const jose = await loadJose()
      const { keys, allowance } = entryOf(provider, url)
      let used = await keys.get()
      for (let hasAsked = false; ; ) {
        try {
          return await verifyWith(jose, used, token, options)
        } catch (error) {
          // A key may have been replaced by another key with the same id, or by one without an id.
          const mayBeReplaced =
            error instanceof jose.errors.JWKSNoMatchingKey ||
            error instanceof jose.errors.JWSSignatureVerificationFailed
          if (!mayBeReplaced || hasAsked) throw error
          // Others may have fetched newer keys while this token was verified.
          const newer = keys.current
          if (newer && newer !== used) {
            used = newer
            continue
          }
          if (!keys.isFetching && !allowance.take()) throw error
          used = await keys.refetch()
          hasAsked = true
        }
      }
    },
  }
}

/** Verifies signatures with the keys that providers publish. */
export type KeySets = ReturnType<typeof createKeySets>

/** @throws {ProviderOutage} whatever is wrong: without keys nobody can sign in, and new ones may be there soon */
async function fetchKeys(url: string, channel: typeof fetch, { clientSecret }: ResolvedOAuthProvider): Promise<KeySet> {
  const { createLocalJWKSet } = await loadJose()
  const { origin, pathname } = new URL(url)
  const ask = endpointFetch(channel, { name: `${origin}${pathname}`, secrets: [clientSecret] })
  const headers = { accept: 'application/json, application/jwk-set+json' }
  const answer = await ask(url, { headers }).catch((error: unknown) => {
    throw new ProviderOutage(cleanError(error).message)
  })
  try {
    return createLocalJWKSet(await answer.json())
  } catch {
    throw new ProviderOutage(`${origin}${pathname} answered with something that is not a set of keys.`)
  }
}

/** A number of permits, {@link BURST} at first. Each used permit comes back after a time. */
export function createAllowance(now: () => number) {
  let left = BURST
  let since = now()
  return {
    /** Whether one was left. */
    take(): boolean {
      // The clock was set back.
      since = Math.min(since, now())
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

export type Allowance = ReturnType<typeof createAllowance>

async function verifyWith(
  jose: typeof import('jose'),
  keys: KeySet,
  token: string,
  options: JWTVerifyOptions,
): Promise<VerifiedToken> {
  try {
    return verified(await jose.jwtVerify(token, keys, options))
  } catch (error) {
    if (!(error instanceof jose.errors.JWKSMultipleMatchingKeys)) throw error
    // Several keys fit and the token does not say which: it must be signed by one of them.
    for await (const key of error) {
      try {
        return verified(await jose.jwtVerify(token, key, options))
      } catch (refusal) {
        if (!(refusal instanceof jose.errors.JWSSignatureVerificationFailed)) throw refusal
      }
    }
    throw new jose.errors.JWSSignatureVerificationFailed()
  }
}
