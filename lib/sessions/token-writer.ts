import type { LifetimeChoice } from '../crypto/lifetime-choice.js'
import { newSessionClaim, type SessionClaim, type SessionToken } from '../crypto/session-claim.js'
import type { SessionJwtCodec } from '../crypto/session-jwt.js'
import { JWTSessionError } from '../errors.js'
import type { CookieChange, CookieSpec } from '../http/cookies.js'
import type { RequestContext } from '../http/request-context.js'
import { clearSessionCookie, writeSessionCookie } from '../http/session-cookie.js'
import { isFirstTime, type Log } from '../logger.js'
import { cookieLifetimes } from './cookie-lifetime.js'
import { subjectAtStart } from './jwt-claims.js'
import type { Expiry } from './lifetime.js'
import { type ReadBack, readBack } from './read-back.js'
import type { SessionBeginning } from './session-store.js'

/** A token that was written. */
export interface WrittenToken {
  readonly value: string
  /** The cookies that give it to the browser. */
  readonly changes: readonly CookieChange[]
}

/** The beginning of a session in a token. */
export interface BegunToken {
  /** Null if the `jwt` callback gave nobody: then no session begins. */
  readonly sessionClaim: SessionClaim | null
  readonly changes: readonly CookieChange[]
}

/** Writes tokens for a cookie. */
export interface TokenWriter {
  write(
    request: RequestContext,
    content: SessionToken,
    expiry: Pick<Expiry, 'issuedAt' | 'expires'>,
  ): Promise<WrittenToken>
  /**
   * Writes the first token of a session.
   *
   * @param needsClaim whether the sign-in fails if the codec of the application loses the session claim
   */
  begin(request: RequestContext, beginning: SessionBeginning, needsClaim?: boolean): Promise<BegunToken>
}

/** Writes tokens with a codec, for one cookie. */
export function createTokenWriter({
  cookie,
  codec,
  asksToRemember,
  logger,
}: {
  readonly cookie: CookieSpec
  readonly codec: SessionJwtCodec
  readonly asksToRemember: boolean
  readonly logger: Pick<Log, 'warn'>
}): TokenWriter {
  const cookieFor = cookieLifetimes(cookie, asksToRemember)

  const write: TokenWriter['write'] = async ({ cookies, source }, content, { issuedAt, expires }) => {
    const value = await codec.encode(content, { issuedAt: issuedAt / 1000, expiresAt: expires / 1000 })
    if (value.length > LARGE && isFirstTime(cookie, 'large-session'))
      logger.warn('large-session', { fix: KEEP_LESS }, source)
    const { spec, until } = cookieFor(content.sessionClaim.lifetime, expires)
    return { value, changes: writeSessionCookie(cookies, spec, value, until) }
  }

  return {
    write,
    async begin(request, beginning, needsClaim = false) {
      const { start, claims, refreshedAt, authenticatedAt, lifetime, issuedAt, expires, providerSession } = beginning
      if (claims === null) return { sessionClaim: null, changes: clearSessionCookie(request.cookies, cookie) }
      const subject = subjectAtStart(start)
      const unconfirmed = start.isUnconfirmed && { unconfirmed: String(start.user.id) }
      const choice = lifetime && { lifetime }
      const reading = refreshedAt !== undefined && { refreshedAt }
      const began = providerSession && { providerSession }
      const sessionClaim = newSessionClaim({
        subject,
        authenticatedAt,
        ...unconfirmed,
        ...choice,
        ...reading,
        ...began,
      })
      const { value, changes } = await write(request, { claims, sessionClaim }, { issuedAt, expires })
      if (needsClaim || choosesTimes(lifetime)) {
        const written = await readBack(codec, value, expires)
        requireChosenTimes(written, lifetime)
        if (needsClaim && written.kept?.id !== sessionClaim.id) throw new JWTSessionError(LOST_CLAIM)
      }
      return { sessionClaim, changes }
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
