import type { MaybePromise } from '../awaitable.js'
import { EXPIRY_TOLERANCE_SECONDS } from '../crypto/claims.js'
import type { JWT } from '../crypto/jwt.js'
import type { LifetimeChoice } from '../crypto/lifetime-choice.js'
import { newSessionClaim, type SessionClaim, type SessionToken } from '../crypto/session-claim.js'
import type { SessionJwtCodec } from '../crypto/session-jwt.js'
import { JWTSessionError, withoutDetails } from '../errors.js'
import type { CookieChange, CookieSpec } from '../http/cookies.js'
import type { RequestContext } from '../http/request-context.js'
import {
  clearLeftoverPieces,
  clearSessionCookie,
  readSessionCookie,
  writeSessionCookie,
} from '../http/session-cookie.js'
import type { LoggerInstance } from '../logger.js'
import { cookieLifetimes } from './cookie-lifetime.js'
import {
  claimsGiven,
  claimText,
  differs,
  paramsOf,
  signInParams,
  subjectAtStart,
  userIdOf,
  userOf,
} from './jwt-claims.js'
import { type Expiry, textOfTime } from './lifetime.js'
import { lastExpiryOf, type RevokedTokens } from './revoked-tokens.js'
import type { JWTCallback } from './session.js'
import type { SessionBeginning, SessionRecord, SessionStore } from './session-store.js'
import type { LongestTimes } from './token-times.js'

/** A session in a token. */
export interface TokenRecord extends SessionRecord {
  readonly claims: JWT
  /** The claim `latchkey`; its `id` stays the same when the token is issued again. */
  readonly sessionClaim: SessionClaim
  /** The claims before the call of the `jwt` callback; null if it is not called. */
  readonly claimsBefore: string | null
}

/** What the store of tokens depends on. */
export interface TokenStoreDependencies {
  readonly cookie: CookieSpec
  readonly codec: SessionJwtCodec
  /** Null if the application has none: then a token keeps its claims. */
  readonly jwtCallback: JWTCallback | null
  readonly revoked: RevokedTokens
  /** Whether visitors are asked if they want to stay signed in. */
  readonly asksToRemember: boolean
  /** The longest lifetimes that any token of these secrets may have. */
  readonly longestTimes: () => LongestTimes
  readonly logger: Pick<LoggerInstance, 'debug'>
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

/** Keeps the whole session in an encrypted token in the visitor's cookie. */
export function createTokenStore({
  cookie,
  codec,
  jwtCallback,
  revoked,
  asksToRemember,
  longestTimes,
  logger,
  now,
}: TokenStoreDependencies): SessionStore<TokenRecord> {
  const cookieFor = cookieLifetimes(cookie, asksToRemember)

  const load = ({ cookies }: RequestContext): MaybePromise<TokenRecord | null> => {
    const value = readSessionCookie(cookies, cookie)
    if (value === undefined) return null
    const leftoverPieces = clearLeftoverPieces(cookies, cookie)
    const token = codec.decode(value)
    // Written out, because every request of a guard comes here: it costs no function and no call.
    return token instanceof Promise
      ? token.then((token) => recordOf(token, leftoverPieces))
      : recordOf(token, leftoverPieces)
  }

  const acceptedByOthers = ({ cookies }: RequestContext) => {
    const value = readSessionCookie(cookies, cookie)
    return value === undefined ? 'no' : codec.acceptedByOthers(value)
  }

  const isRevoked = ({ sessionClaim }: TokenRecord) => revoked.has(sessionClaim)

  const revoke = ({ sessionClaim, expires, lifetime }: TokenRecord) => {
    const { maxAge, maxLifetime } = longestTimes()
    const longest = { maxAge: Math.max(maxAge, lifetime?.maxAge ?? 0), maxLifetime }
    revoked.add(sessionClaim, lastExpiryOf(expires, sessionClaim.authenticatedAt, longest, now()))
  }

  const write = async (
    { cookies }: RequestContext,
    content: SessionToken,
    { issuedAt, expires }: Pick<Expiry, 'issuedAt' | 'expires'>,
  ) => {
    const value = await codec.encode(content, { issuedAt: issuedAt / 1000, expiresAt: expires / 1000 })
    const { spec, until } = cookieFor(content.sessionClaim.lifetime, expires)
    return { value, changes: writeSessionCookie(cookies, spec, value, until) }
  }

  const begin = async (
    request: RequestContext,
    { start, claims, authenticatedAt, lifetime, issuedAt, expires }: SessionBeginning,
  ): Promise<readonly CookieChange[]> => {
    if (claims === null) return clearSessionCookie(request.cookies, cookie)
    const subject = subjectAtStart(start)
    const unconfirmed = start.isUnconfirmed && { unconfirmed: start.user.id }
    const choice = lifetime && { lifetime }
    const sessionClaim = newSessionClaim({ subject, authenticatedAt, ...unconfirmed, ...choice })
    const { value, changes } = await write(request, { claims, sessionClaim }, { issuedAt, expires })
    await requireChosenTimes(value, lifetime, expires)
    return changes
  }

  /**
   * The codec of an application may drop the session claim, or write no expiry or a later one. Then the session would not
   * end when the `signIn` callback said. A lost `remember` does no harm: then the cookie ends with the browser.
   */
  const requireChosenTimes = async (
    value: string,
    choice: LifetimeChoice | undefined,
    expires: number,
  ): Promise<void> => {
    if (choice?.maxAge === undefined && choice?.maxLifetime === undefined) return
    const written = await codec.decode(value)
    const kept = written?.sessionClaim.lifetime
    if (kept?.maxAge !== choice.maxAge || kept?.maxLifetime !== choice.maxLifetime) {
      throw new JWTSessionError(LOST_LIFETIME)
    }
    // `maxLifetime` is checked without `exp`.
    if (choice.maxAge === undefined) return
    // The codec may take the time anew, a moment later.
    const exp = written?.claims.exp ?? Number.POSITIVE_INFINITY
    if (exp * 1000 > expires + EXPIRY_TOLERANCE_SECONDS * 1000) throw new JWTSessionError(LATER_EXPIRY)
  }

  const show: SessionStore<TokenRecord>['show'] = ({ claims }, expires) => ({
    user: userOf(claims),
    expires: textOfTime(expires),
  })

  return {
    name: 'jwt',
    resolution: 1000,
    expiryTolerance: EXPIRY_TOLERANCE_SECONDS * 1000,
    rewritesFreely: true,

    load,
    /**
     * A cookie that another process may be able to decrypt stays: while a secret is rotated, this process may not know
     * the secret with which the cookie was encrypted a moment ago.
     */
    cookiesWithoutSession(request) {
      const accepted = acceptedByOthers(request)
      if (accepted === 'yes') logger.debug('session-token-left-alone', { reason: ACCEPTED_ELSEWHERE })
      return accepted === 'no' ? clearSessionCookie(request.cookies, cookie) : []
    },
    isRevoked,
    // A token session exists only in its cookie.
    discard: async () => {},

    async claimsAtStart(start) {
      const params = signInParams(start)
      return jwtCallback ? claimsGiven(await jwtCallback(params)) : params.token
    },
    ...(jwtCallback && {
      async updateClaims(found, update) {
        // Saved before the call: the callback may change its argument in place.
        const claimsBefore = claimText(found.claims)
        const claims = claimsGiven(await jwtCallback(paramsOf(found.claims, update)))
        return claims && { ...found, claims, claimsBefore, userId: userIdOf(claims) }
      },
    }),
    show,
    callbackParams: (found, expires) => ({ session: show(found, expires), token: found.claims }),

    // The new expiry is in the token that is saved.
    renew: (_found, expiry) => expiry,
    save(request, { claims, sessionClaim, claimsBefore, leftoverPieces }, expiry, mayWrite) {
      // Between renewals, a token is issued again only if the callback changed its claims, as with rotated tokens of a
      // provider. The expiry stays.
      const isChanged = mayWrite && claimsBefore !== null && differs(claimText(claims), claimsBefore)
      if (!expiry.isRenewed && !isChanged) return leftoverPieces
      return write(request, { claims, sessionClaim }, expiry).then(({ changes }) => changes)
    },
    async create(request, beginning) {
      // A cookie that the codec does not accept is no session. If the codec throws, the cookie may be a session, and copies of it
      // would stay valid: the sign-in fails.
      const previous = await load(request)
      if (previous !== null && !isRevoked(previous)) revoke(previous)
      return begin(request, beginning)
    },
    /** Nothing is awaited before the previous session is revoked. So one request at most replaces it. */
    async replace(request, previous, beginning) {
      if (isRevoked(previous)) return []
      revoke(previous)
      return begin(request, beginning)
    },
    async revoke(request) {
      try {
        const found = await load(request)
        if (found !== null) {
          if (isRevoked(found)) return { ended: null }
          revoke(found)
          return { ended: { token: found.claims } }
        }
        // A token that was encrypted with an unknown secret cannot be revoked here: other processes accept copies of it.
        return { ended: null, ...(acceptedByOthers(request) === 'yes' && { fault: new Error(UNKNOWN_SECRET) }) }
      } catch (error) {
        // The claims of the token cannot be read, so copies of it cannot be revoked.
        return { ended: null, fault: withoutDetails(error) }
      }
    },
    /** Errors of the application stay as they are. */
    faultOf: (verb, error) =>
      error instanceof JWTSessionError
        ? error
        : new JWTSessionError(`Could not ${verb} a token session.`, { err: withoutDetails(error) }),
  }
}

function recordOf(token: SessionToken | null, leftoverPieces: readonly CookieChange[]): TokenRecord | null {
  if (token === null) return null
  const { claims, sessionClaim } = token
  return {
    id: sessionClaim.id,
    userId: userIdOf(claims),
    authenticatedAt: sessionClaim.authenticatedAt,
    expires: claims.exp === undefined ? null : claims.exp * 1000,
    lifetime: sessionClaim.lifetime,
    unconfirmed: sessionClaim.unconfirmed,
    claims,
    leftoverPieces,
    sessionClaim,
    claimsBefore: null,
  }
}

const LOST_LIFETIME =
  'The signIn callback chose a lifetime for a session, and jwt.encode or jwt.decode of the application lost it. They must keep the claim `latchkey`.'

const LATER_EXPIRY =
  'The signIn callback chose a lifetime for a session, and jwt.encode of the application wrote a token without `exp`, or with a later one. It must make `exp` of `maxAge`.'

const UNKNOWN_SECRET = 'The session token was made with a secret that this process does not have.'

const ACCEPTED_ELSEWHERE =
  'It was made with a secret that this process does not have, or by a process whose clock is ahead.'
