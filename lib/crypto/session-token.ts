import { EncryptJWT, jwtDecrypt } from 'jose'
import { type ContentEncryption, createKeyRing, type KeyRing } from './keys.js'
import { randomId } from './random.js'

/** Longer tokens are refused before anything is decoded. */
const MAX_TOKEN_LENGTH = 64 * 1024
/** Machines' clocks differ a little; Auth.js allows as much. */
const CLOCK_TOLERANCE_SECONDS = 15

/** Claims of a session token. */
export interface DefaultJWT extends Record<string, unknown> {
  name?: string | null
  email?: string | null
  picture?: string | null
  /** Id of the user. */
  sub?: string
  /** Issued at, seconds since the epoch. */
  iat?: number
  /** Expires at, seconds since the epoch. */
  exp?: number
  /** Id of this token. */
  jti?: string
}

/** Claims of a session token; add your own by augmenting this interface. */
export interface JWT extends Record<string, unknown>, DefaultJWT {}

/** When a token is valid, in seconds since the epoch. */
export interface TokenLifetime {
  readonly issuedAt: number
  readonly expiresAt: number
}

/** Writes and reads session tokens of one cookie. */
export interface SessionTokenCodec {
  /** An encrypted token with these claims; `iat`, `exp` and `jti` are always new. */
  encode(claims: JWT, lifetime: TokenLifetime): Promise<string>
  /** The claims of a token, or null when it is not ours, is damaged, or has expired; it does not tell which. */
  decode(token: string): Promise<JWT | null>
}

/** What an application's own `jwt.encode` is given. */
export interface JWTEncodeParams {
  token?: JWT
  /** As configured: one secret, or the list of them, newest first. */
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
 * @see RFC 7516 (JWE), RFC 7518 §5.2.5 (A256CBC-HS512)
 */
export function createSessionTokenCodec(
  secrets: readonly string[],
  salt: string,
  now: () => number,
): SessionTokenCodec {
  let keys: KeyRing | undefined
  const ring = () => {
    keys ??= createKeyRing(secrets, salt)
    return keys
  }
  return {
    async encode(claims, { issuedAt, expiresAt }) {
      const { sealing } = ring()
      return new EncryptJWT(claims)
        .setProtectedHeader({ alg: 'dir', enc: 'A256CBC-HS512', kid: sealing.id })
        .setIssuedAt(issuedAt)
        .setExpirationTime(expiresAt)
        .setJti(randomId())
        .encrypt(sealing.bytes)
    },
    async decode(token) {
      if (token.length > MAX_TOKEN_LENGTH) return null
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
            clockTolerance: CLOCK_TOLERANCE_SECONDS,
            currentDate: new Date(now()),
          },
        )
        return payload as JWT
      } catch {
        // One result for every failure (TOK-06): what is not a session is no session.
        return null
      }
    },
  }
}

/**
 * A codec over an application's own `jwt.encode` and `jwt.decode`; the built-in one stands in for either that is missing.
 * What they throw is a fault and is let through, unless it is a JWT library's word for a token that is not good.
 */
export function createCustomCodec(
  custom: {
    encode?: (params: JWTEncodeParams) => string | PromiseLike<string>
    decode?: (params: JWTDecodeParams) => JWT | null | PromiseLike<JWT | null>
  },
  builtIn: SessionTokenCodec,
  settings: { readonly secret: string | string[]; readonly salt: string; readonly maxAge: number },
): SessionTokenCodec {
  const { secret, salt, maxAge } = settings
  const { encode, decode } = custom
  return {
    encode: encode
      ? async (token, { issuedAt, expiresAt }) => encode({ token, secret, salt, maxAge: expiresAt - issuedAt })
      : builtIn.encode,
    decode: decode
      ? async (token) => {
          try {
            return (await decode({ token, secret, salt, maxAge })) ?? null
          } catch (error) {
            if (isRefusal(error)) return null
            throw error
          }
        }
      : builtIn.decode,
  }
}

/** JWT libraries throw for a token that is expired or not theirs: that is no fault, and no session. */
function isRefusal(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  return /^ERR_JW[TSEK]/.test(code) || /^(JsonWebToken|TokenExpired|NotBefore)Error$/.test(error.name)
}
