import type { MaybePromise } from '../awaitable.js'
import { CLOCK_DIFFERENCE_SECONDS, hasYetToBegin, isBeforeEnd, isInForce, outOfTime, parseClaims } from './claims.js'
import { createJweDecrypter, mayBeOfOtherKey } from './decrypt-jwe.js'
import { createJweEncrypter } from './encrypt-jwe.js'
import type { JWT } from './jwt.js'
import { type ContentEncryption, createKeyRing, type KeyRing } from './keys.js'
import { randomId } from './random.js'
import { createRecentCache } from './recent-cache.js'
import { type SessionClaim, type SessionToken, takeSessionClaim, withSessionClaim } from './session-claim.js'

/** Longer tokens are refused before anything is decoded. */
const MAX_TOKEN_LENGTH = 64 * 1024
/** Opened tokens that are remembered, and the bytes that each may take up on average: usual ones take less. */
const DEFAULT_CACHE_SIZE = 10_000
const BYTES_PER_TOKEN = 2048

/** When a token is valid, in seconds since the epoch. */
export interface TokenLifetime {
  readonly issuedAt: number
  readonly expiresAt: number
}

/**
 * Where a token that {@link SessionJwtCodec.decode} refused may be good all the same: `nowhere`; `elsewhere`, in a process that has the secret that made it, or
 * whose clock is ahead; `unsaid` where an application's own `jwt.decode` refused it, which does not say why.
 */
export type GoodFor = 'nowhere' | 'elsewhere' | 'unsaid'

/** Writes and reads session tokens of one cookie. */
export interface SessionJwtCodec {
  /** An encrypted token with these claims and this claim of ours; `iat`, `exp` and `jti` are always new. */
  encode(content: SessionToken, lifetime: TokenLifetime): Promise<string>
  /**
   * What a token holds, or null when it is not ours, is damaged, or has expired; it does not tell which. Each call gives claims of
   * its own. There is no promise where nothing has to be waited for.
   */
  decode(token: string): MaybePromise<SessionToken | null>
  /** What may become of a token that was refused. It tells nothing that its header, which is for all to read, does not tell whoever has a token of ours. */
  goodFor(refused: string): GoodFor
}

/** What an application's own `jwt.encode` is given. */
export interface JWTEncodeParams {
  token?: JWT
  /** As configured: one secret, or the list of them: the first makes tokens, each may have made one. */
  secret: string | string[]
  /** Seconds the token is to live. */
  maxAge?: number
  /** Name of the session cookie. */
  salt: string
}

/** What an application's own `jwt.decode` is given. */
export interface JWTDecodeParams {
  token?: string
  secret: string | string[]
  maxAge?: number
  salt: string
}

/**
 * The session token of Auth.js: a compact JWE, `dir` with `A256CBC-HS512`, whose key comes from the secret and the cookie's name.
 *
 * @param secrets the first encrypts; a token opens with the one its `kid` names, without a `kid` with the first
 * @param salt name of the session cookie
 * @param now milliseconds since the epoch
 * @param cacheSize how many opened tokens are remembered, so that a session seen before costs no decryption; fewer where they are large; 0 for none
 * @param onNotYet told of a token of ours that is refused because it begins in the future, and by how many seconds
 * @see RFC 7516 (JWE), RFC 7518 §5.2.5 (A256CBC-HS512)
 */
export function createSessionJwtCodec(
  secrets: readonly string[],
  salt: string,
  now: () => number,
  cacheSize = DEFAULT_CACHE_SIZE,
  onNotYet: (seconds: number) => void = () => {},
): SessionJwtCodec {
  let keys: KeyRing | undefined
  const ring = () => {
    keys ??= createKeyRing(secrets, salt)
    return keys
  }
  const open = createJweDecrypter(ring)
  const seal = createJweEncrypter(ring)
  const opened = createRecentCache<number, Remembered>(cacheSize, { bytes: cacheSize * BYTES_PER_TOKEN, sizeOf })
  const remembered = (token: string): Remembered | undefined => {
    const found = opened.get(keyOf(token))
    return found?.token === token ? found : undefined
  }

  const decodeWithJose = async (token: string): Promise<SessionToken | null> => {
    const { jwtDecrypt } = await import('jose')
    try {
      const { payload } = await jwtDecrypt(
        token,
        ({ enc, kid, zip }) => {
          const key = zip === undefined ? ring().opening(enc as ContentEncryption, kid) : undefined
          if (!key) throw new Error('no key')
          return key.bytes
        },
        {
          keyManagementAlgorithms: ['dir'],
          contentEncryptionAlgorithms: ['A256CBC-HS512', 'A256GCM'],
          // The wider of the two; the end is looked at once more with the other.
          clockTolerance: CLOCK_DIFFERENCE_SECONDS,
          currentDate: new Date(now()),
        },
      )
      return isSession(payload, now()) ? takeSessionClaim(payload as JWT, token) : null
    } catch {
      // One result for every failure (TOK-06): what is not a session is no session.
      return null
    }
  }

  return {
    async encode(content, { issuedAt, expiresAt }) {
      return seal(JSON.stringify({ ...withSessionClaim(content), iat: issuedAt, exp: expiresAt, jti: randomId() }))
    },
    decode(token) {
      const known = remembered(token)
      if (known !== undefined) return isBeforeEnd(known.exp, now()) ? ownCopy(known) : null
      if (token.length > MAX_TOKEN_LENGTH) return null
      const result = open(token)
      if (result === 'unknown') return decodeWithJose(token)
      const members = result && parseClaims(result.plaintext)
      if (!members) return null
      if (!isSession(members, now())) {
        const reason = outOfTime(members, now())
        if (reason?.state === 'not-yet') onNotYet(reason.seconds)
        return null
      }
      const content = takeSessionClaim(members, token)
      opened.set(keyOf(token), remember(token, content))
      return content
    },
    goodFor(refused) {
      if (refused.length > MAX_TOKEN_LENGTH) return 'nowhere'
      if (mayBeOfOtherKey(refused, ring())) return 'elsewhere'
      const result = open(refused)
      const members = result === null || result === 'unknown' ? null : parseClaims(result.plaintext)
      return members && hasYetToBegin(members, now()) ? 'elsewhere' : 'nowhere'
    },
  }
}

/** Whether claims are those of a session that is in force. Auth.js gives every token an id, and so do we. */
const isSession = (claims: Readonly<Record<string, unknown>>, now: number): boolean =>
  isInForce(claims, now) && typeof claims['jti'] === 'string' && claims['jti'] !== ''

/**
 * What a token is looked up by: thirty bits from the end of its tag. Hashing the whole text, which comes anew with each request, would cost more than
 * all else that is done with a token seen before. Whether it is that token, the whole text decides.
 */
function keyOf(token: string): number {
  let key = 0
  // The last character of a tag stands for four bits only.
  for (let at = token.length - 6; at < token.length - 1; at++) key = (key << 6) ^ token.charCodeAt(at)
  return key & 0x3fffffff
}

/** An opened token. Nobody is ever handed these claims themselves, since whoever is given claims may change them. */
interface Remembered {
  readonly token: string
  readonly sessionClaim: SessionClaim
  readonly exp: number | undefined
  /** The claims, where a copy of the first level is a copy of all; else their text, to read them from anew. */
  readonly content: Readonly<JWT> | string
}

function remember(token: string, { claims, sessionClaim }: SessionToken): Remembered {
  const content = isFlat(claims) ? { ...claims } : JSON.stringify(claims)
  return { token: copyOf(token), sessionClaim, exp: claims.exp, content }
}

/** A text that is part of a longer one, as of a `Cookie` header, keeps all of that in memory; its copy does not. */
const copyOf = (token: string): string => Buffer.from(token, 'latin1').toString('latin1')

const ownCopy = ({ content, sessionClaim }: Remembered): SessionToken => ({
  claims: typeof content === 'string' ? (JSON.parse(content) as JWT) : { ...content },
  sessionClaim,
})

/** What a remembered token takes up, by its length: its text, what it says, and what holds both. Measured, and rounded up. */
const sizeOf = ({ token }: Remembered): number => 512 + 2 * token.length

function isFlat(claims: JWT): boolean {
  for (const name in claims) {
    const value = claims[name]
    if (typeof value === 'object' && value !== null) return false
  }
  return true
}
