import { isBeforeEnd, type JWT, requireClaims } from '../kernel/claims.js'
import { takeSessionClaim, withSessionClaim } from './session-claim.js'
import type { JWTDecodeParams, JWTEncodeParams, SessionJwtCodec } from './session-jwt.js'

/** Functions of an application that write and read session tokens. */
export interface CustomCodecFunctions {
  encode?: (params: JWTEncodeParams) => string | PromiseLike<string>
  decode?: (params: JWTDecodeParams) => JWT | null | PromiseLike<JWT | null>
}

/** What the functions of an application kept of the first token that they wrote and read. */
export interface FirstToken {
  /** Whether it still has the session claim of Latchkey. */
  readonly keepsSessionClaim: boolean
  /** Seconds from its writing to its expiry; null if it has no expiry. */
  readonly lifetime: number | null
}

/**
 * A codec that calls `jwt.encode` and `jwt.decode` of an application. If one of them is missing, the built-in codec takes
 * its place. An error that they throw is a fault and is thrown again, unless it is an error with which a JWT library refuses
 * a token. They decide which claims a token must have. If a token has `exp`, it is checked here: it must be a time that a
 * Date can have, and not be over.
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
    /** Called with what was found in the first token, which is read again after it was written. */
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
        // The fault may be a passing one, so the next token is checked instead. Reading this token throws the fault again.
        isChecked = false
      }
      return token
    },
    decode: read,
    acceptedByOthers: decode ? () => 'unknown' : builtIn.acceptedByOthers,
  }
}

/** JWT libraries throw if a token has expired or was made by somebody else. That is not a fault: there is no session. */
function isRefusal(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  return /^ERR_JW[TSEK]/.test(code) || /^(JsonWebToken|TokenExpired|NotBefore)Error$/.test(error.name)
}
