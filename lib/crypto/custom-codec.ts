import { isBeforeEnd, requireClaims } from './claims.js'
import type { JWT } from './jwt.js'
import { takeSessionClaim, withSessionClaim } from './session-claim.js'
import type { JWTDecodeParams, JWTEncodeParams, SessionJwtCodec } from './session-jwt.js'

/** An application's own functions for session tokens. */
export interface CustomCodecFunctions {
  encode?: (params: JWTEncodeParams) => string | PromiseLike<string>
  decode?: (params: JWTDecodeParams) => JWT | null | PromiseLike<JWT | null>
}

/** What came back of a token that an application's own codec wrote. */
export interface FirstToken {
  /** Whether it has the claim that is ours. */
  readonly keepsSessionClaim: boolean
  /** Seconds from its writing to its end; null when it says none. */
  readonly lifetime: number | null
}

/**
 * A codec over an application's own `jwt.encode` and `jwt.decode`; the built-in one stands in for either that is missing.
 * What they throw is a fault and is let through, unless it is a JWT library's word for a token that is not good. Which claims a token must have is for
 * them to say; an `exp` that they give counts, and must be one that a date can have.
 */
export function createCustomCodec(
  { encode, decode }: CustomCodecFunctions,
  builtIn: SessionJwtCodec,
  settings: {
    readonly secret: string | string[]
    readonly salt: string
    readonly maxAge: number
    /** Milliseconds since the epoch. */
    readonly now: () => number
    /** Told of the first token that was written here, once it has been read again. */
    readonly onFirst: (found: FirstToken) => void
  },
): SessionJwtCodec {
  const { secret, salt, maxAge, now, onFirst } = settings
  if (!encode && !decode) return builtIn

  const write: SessionJwtCodec['encode'] = encode
    ? async (content, { issuedAt, expiresAt }) =>
        encode({ token: withSessionClaim(content), secret, salt, maxAge: expiresAt - issuedAt })
    : builtIn.encode

  const read: SessionJwtCodec['decode'] = decode
    ? async (token) => {
        try {
          const members = requireClaims(await decode({ token, secret, salt, maxAge }), 'jwt.decode')
          if (!members) return null
          return members['exp'] === undefined || isBeforeEnd(members['exp'], now())
            ? takeSessionClaim(members, token)
            : null
        } catch (error) {
          if (isRefusal(error)) return null
          throw error
        }
      }
    : builtIn.decode

  let isChecked = false
  return {
    async encode(content, lifetime) {
      const token = await write(content, lifetime)
      if (isChecked) return token
      isChecked = true
      try {
        const found = await read(token)
        const exp = found?.claims.exp
        onFirst({
          keepsSessionClaim: found?.sessionClaim.id === content.sessionClaim.id,
          lifetime: typeof exp === 'number' ? exp - lifetime.issuedAt : null,
        })
      } catch {
        // A fault of the moment, which whoever reads the session is told of.
        isChecked = false
      }
      return token
    },
    decode: read,
    goodFor: decode ? () => 'unsaid' : builtIn.goodFor,
  }
}

/** JWT libraries throw for a token that is expired or not theirs: that is no fault, and no session. */
function isRefusal(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  return /^ERR_JW[TSEK]/.test(code) || /^(JsonWebToken|TokenExpired|NotBefore)Error$/.test(error.name)
}
