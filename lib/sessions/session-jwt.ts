import type { MaybePromise } from '../kernel/awaitable.js'
import {
  CLOCK_DIFFERENCE_SECONDS,
  hasYetToBegin,
  isBeforeEnd,
  isInForce,
  type JWT,
  outOfTime,
} from '../kernel/claims.js'
import { parseObject } from '../kernel/json-object.js'
import { createJweDecrypter, createJweEncrypter, keyIdOf, mayBeOfOtherKey } from '../kernel/jwe.js'
import { createKeyRing, isContentEncryption, type KeyRing } from '../kernel/keys.js'
import { bigIntAsText } from '../kernel/objects.js'
import { randomId } from '../kernel/random.js'
import { createRecentCache } from '../kernel/recent-cache.js'
import { type DecodedSessionToken, type SessionToken, takeSessionClaim, withSessionClaim } from './session-claim.js'

/** Longer tokens are refused before anything is decoded. */
const MAX_TOKEN_LENGTH = 64 * 1024
/** How many decrypted tokens are remembered, and the bytes for each on average, which is more than most tokens need. */
const DEFAULT_CACHE_SIZE = 10_000
const BYTES_PER_TOKEN = 2048

/** When a token is valid, in seconds since the epoch. */
interface TokenLifetime {
  readonly issuedAt: number
  readonly expiresAt: number
}

/**
 * Whether another process may accept a token that {@link SessionJwtCodec.decode} refused. `no`; `yes` for a process that has
 * the secret of the token, or whose clock is ahead; `unknown` if `jwt.decode` of the application refused it, which does not
 * say why.
 */
type AcceptedByOthers = 'no' | 'yes' | 'unknown'

/** Writes and reads the session tokens of one cookie. */
export interface SessionJwtCodec {
  /** An encrypted token with these claims and this session claim. Its `iat`, `exp` and `jti` are always new. */
  encode(content: SessionToken, lifetime: TokenLifetime): Promise<string>
  /**
   * The content of a token; null for every token that was not made with a secret of the configuration, is damaged, or has
   * expired. What is remembered is frozen ({@link ownClaims}). If nothing has to be waited for, there is no promise.
   *
   * @param time milliseconds since the epoch; the present by default
   */
  decode(token: string, time?: number): MaybePromise<DecodedSessionToken | null>
  /** Whether another process may accept a refused token. The answer reveals nothing that is not in the token itself. */
  acceptedByOthers(refused: string): AcceptedByOthers
}

/** What `jwt.encode` of an application is called with. */
export interface JWTEncodeParams<Payload = JWT> {
  token?: Payload
  /** As configured: one secret, or a list. The first one makes new tokens; a token may have been made with any of them. */
  secret: string | string[]
  /** Lifetime of the token in seconds. */
  maxAge?: number
  /** Name of the session cookie. */
  salt: string
}

/** What `jwt.decode` of an application is called with. */
export interface JWTDecodeParams {
  token?: string
  secret: string | string[]
  maxAge?: number
  salt: string
}

/**
 * The session tokens of Auth.js: compact JWEs, `dir` with `A256CBC-HS512`, whose key is derived from the secret and the name
 * of the cookie.
 *
 * @param secrets the first encrypts. A token is decrypted with the secret that its `kid` names, or with the first
 * @param salt name of the session cookie
 * @param now milliseconds since the epoch
 * @param cacheSize how many decrypted tokens are remembered, so that they need not be decrypted again; fewer if they are
 *   large; 0 for none
 * @param onNotYet called for an authentic token that is refused because it begins in the future, with the seconds until then
 * @param onOtherConfiguration called for a token that names a key of another configuration in this process
 * @see RFC 7516 (JWE), RFC 7518 §5.2.5 (A256CBC-HS512)
 */
export function createSessionJwtCodec(
  secrets: readonly string[],
  salt: string,
  now: () => number,
  cacheSize = DEFAULT_CACHE_SIZE,
  onNotYet: (seconds: number) => void = () => {},
  onOtherConfiguration: () => void = () => {},
): SessionJwtCodec {
  let keys: KeyRing | undefined
  const ring = () => {
    keys ??= noted(createKeyRing(secrets, salt))
    return keys
  }
  const decrypt = createJweDecrypter(ring)
  const encrypt = createJweEncrypter(ring)
  const decrypted = createRecentCache<number, Remembered>(cacheSize, { bytes: cacheSize * BYTES_PER_TOKEN, sizeOf })

  const decodeWithJose = async (token: string): Promise<DecodedSessionToken | null> => {
    const { jwtDecrypt } = await import('jose')
    try {
      const { payload } = await jwtDecrypt(
        token,
        ({ enc, kid, zip }) => {
          const key = zip === undefined && isContentEncryption(enc) ? ring().decryptionKey(enc, kid) : undefined
          if (!key) throw new Error('no key')
          return key.bytes
        },
        {
          keyManagementAlgorithms: ['dir'],
          contentEncryptionAlgorithms: ['A256CBC-HS512', 'A256GCM'],
          // The larger of the two tolerances. The expiry is checked again below, with the smaller one.
          clockTolerance: CLOCK_DIFFERENCE_SECONDS,
          currentDate: new Date(now()),
        },
      )
      return isSession(payload, now()) ? takeSessionClaim(payload as JWT, token) : null
    } catch {
      // One result for every failure (TOK-06).
      return null
    }
  }

  return {
    async encode(content, lifetime) {
      return encrypt(plaintextOf(withSessionClaim(content), lifetime))
    },
    decode(token, time = now()) {
      const known = decrypted.get(keyOf(token))
      if (known?.token === token) return isBeforeEnd(known.content.claims.exp, time) ? known.content : null
      if (token.length > MAX_TOKEN_LENGTH) return null
      const result = decrypt(token)
      if (result === 'unknown') return decodeWithJose(token)
      const members = result && parseObject(result.plaintext)
      if (!members) {
        if (KEY_IDS.has(keyIdOf(token)) && mayBeOfOtherKey(token, ring())) onOtherConfiguration()
        return null
      }
      if (!isSession(members, time)) {
        const reason = outOfTime(members, time)
        if (reason?.state === 'not-yet') onNotYet(reason.seconds)
        return null
      }
      const content = takeSessionClaim(members, token)
      if (cacheSize > 0) decrypted.set(keyOf(token), { token: copyOf(token), content: frozen(content) })
      return content
    },
    acceptedByOthers(refused) {
      if (refused.length > MAX_TOKEN_LENGTH) return 'no'
      if (mayBeOfOtherKey(refused, ring())) return 'yes'
      const result = decrypt(refused)
      const members = result === null || result === 'unknown' ? null : parseObject(result.plaintext)
      return members && hasYetToBegin(members, now()) ? 'yes' : 'no'
    },
  }
}

/** Ids of the newest keys of all configurations of this process, the oldest first. */
const KEY_IDS = new Set<unknown>()
const MOST_KEY_IDS = 1000

function noted(ring: KeyRing): KeyRing {
  KEY_IDS.add(ring.encryptionKey.id)
  const [oldest] = KEY_IDS
  if (KEY_IDS.size > MOST_KEY_IDS) KEY_IDS.delete(oldest)
  return ring
}

/** A session token with exactly these claims, and new `iat`, `exp` and `jti`: without a session claim if they have none. */
export const encryptClaims = (secrets: readonly string[], salt: string, claims: JWT, lifetime: TokenLifetime): string =>
  createJweEncrypter(() => createKeyRing(secrets, salt))(plaintextOf(claims, lifetime))

const plaintextOf = (claims: JWT, { issuedAt, expiresAt }: TokenLifetime): string =>
  JSON.stringify({ ...claims, iat: issuedAt, exp: expiresAt, jti: randomId() }, bigIntAsText)

/** Whether claims are those of a session that is in force. Auth.js and Latchkey give every token a `jti`. */
const isSession = (claims: Readonly<Record<string, unknown>>, now: number): boolean =>
  isInForce(claims, now) && typeof claims['jti'] === 'string' && claims['jti'] !== ''

/**
 * The key of a token in the cache: 30 bits from the end of its tag. A Map with the whole token as its key would hash it for
 * every request, which takes longer than all other work with a remembered token. The whole token is compared afterwards.
 */
function keyOf(token: string): number {
  let key = 0
  // The last character of a tag has only four bits.
  for (let at = token.length - 6; at < token.length - 1; at++) key = (key << 6) ^ token.charCodeAt(at)
  return key & 0x3fffffff
}

/** A decrypted token. */
interface Remembered {
  readonly token: string
  readonly content: DecodedSessionToken
}

/** Freezes an object of JSON, with all that is in it. */
function frozen<T extends object>(value: T): T {
  for (const member of Object.values(value)) if (typeof member === 'object' && member !== null) frozen(member as object)
  return Object.freeze(value)
}

/** A string that was cut out of a longer one, such as a `Cookie` header, keeps the longer one in memory. A copy does not. */
const copyOf = (token: string): string => Buffer.from(token, 'latin1').toString('latin1')

/** The bytes that a remembered token uses: the token, its claims, and the objects around them. Measured, and rounded up. */
const sizeOf = ({ token }: Remembered): number => 512 + 2 * token.length
