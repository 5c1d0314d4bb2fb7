import { EXPIRY_TOLERANCE_SECONDS, isBeforeEnd, type JWT, requireClaims } from '../kernel/claims.js'
import type { CookieSpec } from '../kernel/cookies.js'
import { isError } from '../kernel/describe-value.js'
import { JWTSessionError } from '../kernel/errors.js'
import { isFirstTime, type Log, type LogSource } from '../kernel/logger.js'
import { personDigestAtStart } from './jwt-claims.js'
import type { Expiry } from './lifetime.js'
import {
  type LifetimeChoice,
  newSessionClaim,
  type SessionClaim,
  type SessionToken,
  takeSessionClaim,
  withSessionClaim,
} from './session-claim.js'
import { requireRoomInCookie } from './session-cookie.js'
import type { JWTDecodeParams, JWTEncodeParams, SessionJwtCodec } from './session-jwt.js'
import type { IssuedToken } from './session-manager.js'
import type { SessionBeginning, TokenBeginning } from './session-store.js'

type TokenTimes = Pick<Expiry, 'issuedAt' | 'expires'>

/** Writes tokens with a codec, for one cookie. */
export function createTokenWriter({
  cookie,
  codec,
  keepsProviderSession,
  logger,
}: {
  readonly cookie: CookieSpec
  readonly codec: SessionJwtCodec
  /** Whether it matters where a session began: a token need not say it otherwise. */
  readonly keepsProviderSession: boolean
  readonly logger: Pick<Log, 'warn'>
}) {
  const encode = (content: SessionToken, { issuedAt, expires }: TokenTimes) =>
    codec.encode(content, { issuedAt: issuedAt / 1000, expiresAt: expires / 1000 })

  const write = async (content: SessionToken, times: TokenTimes, source: LogSource | undefined): Promise<string> => {
    const value = await encode(content, times)
    requireRoomInCookie(value)
    if (value.length > LARGE && isFirstTime(cookie, 'large-session'))
      logger.warn('large-session', { fix: KEEP_LESS }, source)
    return value
  }

  return {
    write,
    /**
     * Writes the first token of a session; null if the `jwt` callback gave nobody.
     *
     * @param needsClaim whether the sign-in fails if the codec of the application loses the session claim
     */
    async begin(beginning: SessionBeginning, needsClaim: boolean, source: LogSource | undefined) {
      const { start, claims, refreshedAt, authenticatedAt, lifetime, expires, providerSession } = beginning
      if (claims === null) return null
      const sessionClaim = newSessionClaim({
        personDigest: personDigestAtStart(start),
        authenticatedAt,
        ...(start.isUnconfirmed && { unconfirmed: String(start.user.id) }),
        ...(lifetime && { lifetime }),
        ...(refreshedAt !== undefined && { refreshedAt }),
        ...(keepsProviderSession && providerSession && { providerSession }),
        ...(start.authentication && { authentication: start.authentication }),
      })
      const value = await write({ claims, sessionClaim }, beginning, source)
      if (needsClaim || choosesTimes(lifetime)) {
        const written = await readBack(codec, value, expires)
        requireChosenTimes(written, lifetime)
        if (needsClaim && written.kept?.id !== sessionClaim.id) throw new JWTSessionError(LOST_CLAIM)
      }
      return { sessionClaim, value }
    },
    /** Writes the token of a program: it has the claims of the session in which it is issued. */
    async issue(found: SessionToken, beginning: TokenBeginning): Promise<IssuedToken> {
      const { personDigest, unconfirmed, authentication } = found.sessionClaim
      const { claims = found.claims, scope, expires } = beginning
      const sessionClaim = newSessionClaim({
        personDigest,
        // A program proves nothing about the person, so no rule about a recent sign-in lets it pass.
        authenticatedAt: null,
        kind: 'token',
        ...(unconfirmed !== undefined && { unconfirmed }),
        ...(scope !== null && { scope }),
        ...(authentication && { authentication }),
      })
      const { id } = sessionClaim
      const token = await encode({ claims, sessionClaim }, beginning)
      const { kept, isTooLong } = await readBack(codec, token, expires)
      const isKept = kept?.kind === 'token' && kept.id === id && (kept.scope ?? null) === scope
      if (!isKept || isTooLong) throw new JWTSessionError(LOST_ISSUED_CLAIM)
      return { token, id, expires: new Date(expires) }
    },
  }
}

/** Of the 8 kB that proxies such as nginx take as one header, the other cookies of an application have the rest. */
const LARGE = 6000

const KEEP_LESS =
  'Keep less in the token: the jwt callback decides what is in it. Or keep sessions in a store, or raise the limits of the proxy.'

const choosesTimes = (choice: LifetimeChoice | undefined): boolean =>
  choice?.maxAge !== undefined || choice?.maxLifetime !== undefined

/**
 * Without its choice, or with a later expiry, the session would not end when the `signIn` callback said. A lost `remember`
 * does no harm: then the cookie ends with the browser.
 */
function requireChosenTimes({ kept, isTooLong }: ReadBack, choice: LifetimeChoice | undefined): void {
  if (!choosesTimes(choice)) return
  if (kept?.lifetime?.maxAge !== choice?.maxAge || kept?.lifetime?.maxLifetime !== choice?.maxLifetime) {
    throw new JWTSessionError(LOST_LIFETIME)
  }
  // `maxLifetime` is checked without `exp`.
  if (choice?.maxAge !== undefined && isTooLong) throw new JWTSessionError(LATER_EXPIRY)
}

const LOST_LIFETIME =
  'The signIn callback chose a lifetime for a session, and jwt.encode or jwt.decode of the application lost it. They must keep the claim `latchkey`.'

const LATER_EXPIRY =
  'The signIn callback chose a lifetime for a session, and jwt.encode of the application wrote a token without `exp`, or with a later one. It must make `exp` of `maxAge`.'

/** Without the claim, each token of the session would be a session of its own. */
const LOST_CLAIM =
  'jwt.encode or jwt.decode of the application lost the claim `latchkey`, so the session could not be revoked. With `session.revocation`, they must keep it.'

/** Without the claim, the token would be that of a browser session, without a scope, whose id nobody knows. */
const LOST_ISSUED_CLAIM =
  'No token was issued: jwt.encode or jwt.decode of the application lost the claim `latchkey`, or wrote another `exp` than that of `maxAge`.'

/** What a token says that was written a moment ago. */
interface ReadBack {
  /** Undefined if the codec does not accept its own token. */
  readonly kept: SessionClaim | undefined
  /** Whether it expires later than it should, or never. */
  readonly isTooLong: boolean
}

/**
 * Reads a token that was just written: the codec of an application may lose the session claim, and write any expiry.
 *
 * @param expires when the token should expire, milliseconds since the epoch
 */
async function readBack(codec: SessionJwtCodec, token: string, expires: number): Promise<ReadBack> {
  const written = await codec.decode(token)
  const exp = written?.claims.exp ?? Number.POSITIVE_INFINITY
  // The codec may take the time anew, a moment later.
  const latest = expires + EXPIRY_TOLERANCE_SECONDS * 1000
  // What is no number is too long, too.
  return { kept: written?.sessionClaim, isTooLong: !(exp * 1000 <= latest) }
}

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
  if (!isError(error)) return false
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  return /^ERR_JW[TSEK]/.test(code) || /^(JsonWebToken|TokenExpired|NotBefore)Error$/.test(error.name)
}
