import { equalInConstantTime } from '../crypto/digest.js'
import { keyedDigest } from '../crypto/keyed-digest.js'
import { randomHex } from '../crypto/random.js'

/** Makes tokens of stored sessions, and tells them from texts that somebody made up. */
export interface OwnTokens {
  make(): string
  /** Whether this application may have made a token. Nobody else can make one for which this is true. */
  mayBeOwn(token: string): boolean
}

/** 192 bits; with the digest, a token has 64 characters, as before. */
const RANDOM_BYTES = 24
const RANDOM_LENGTH = 2 * RANDOM_BYTES
/** 64 bits. */
const DIGEST_LENGTH = 16

/**
 * A token is random, and ends with a keyed digest of its random part. While the store is down, nothing else says which
 * sign-outs are of sessions that exist.
 *
 * @param secrets the first makes digests, and those of all of them count
 */
export function createOwnTokens(secrets: readonly string[]): OwnTokens {
  const digestOf = (secret: string, random: string) =>
    keyedDigest(secret, 'stored-session', [random]).slice(0, DIGEST_LENGTH)
  return {
    make() {
      const random = randomHex(RANDOM_BYTES)
      return random + digestOf(secrets[0] ?? '', random)
    },
    mayBeOwn(token) {
      const [random, digest] = [
        token.slice(0, RANDOM_LENGTH),
        token.slice(RANDOM_LENGTH, RANDOM_LENGTH + DIGEST_LENGTH),
      ]
      return secrets.some((secret) => equalInConstantTime(digestOf(secret, random), digest))
    },
  }
}
