import type { MaybePromise } from '../kernel/awaitable.js'
import { EXPIRY_TOLERANCE_SECONDS, type JWT, ownClaims } from '../kernel/claims.js'
import type { CookieSpec } from '../kernel/cookies.js'
import { InvalidConfiguration, JWTSessionError, withoutDetails } from '../kernel/errors.js'
import type { Log } from '../kernel/logger.js'
import type { RequestContext } from '../kernel/request-context.js'
import type { User } from '../providers/provider.js'
import type { FreshUsers } from './fresh-users.js'
import {
  type ClaimedSession,
  claimsGiven,
  claimText,
  createClaimsUpdate,
  differs,
  type JWTCallback,
  signInParams,
} from './jwt-claims.js'
import { textOfTime } from './lifetime.js'
import { UserNotAdmitted } from './may-be-used.js'
import type { RevokedTokens } from './revoked-tokens.js'
import { claimAfter, type LastExpiry } from './revoked-tokens.js'
import { clearLeftoverPieces, clearSessionCookie, readSessionCookie } from './session-cookie.js'
import type { SessionJwtCodec } from './session-jwt.js'
import type { SessionEnd } from './session-manager.js'
import { type ClaimsChange, faultText, type SessionRecord, type SessionStore } from './session-store.js'
import type { RegisteredSession } from './token-session-rows.js'
import { createTokenIssuer, createTokenWriter, type TokenWriter } from './token-writer.js'

/** A session in a token. */
export interface TokenRecord extends SessionRecord, ClaimedSession {
  readonly claims: JWT
  /** When the token was issued, milliseconds since the epoch; null if it does not say that. */
  readonly issuedAt: number | null
  /** What the revocation store knows of the session; absent before it was asked, and where there is none. */
  readonly registered?: RegisteredSession
}

/** Sessions in tokens, which are revoked in this process. */
export interface TokenStore extends SessionStore<TokenRecord>, Pick<TokenWriter, 'begin'> {
  /** As {@link SessionStore.updateClaims}. It keeps further members of the record. */
  updateClaims?<Found extends TokenRecord>(found: Found, change: ClaimsChange): Promise<Found | null>
  /** Revokes a session in this process. */
  revokeHere(found: TokenRecord): void
  /**
   * Why a request whose token does not count may have a session all the same. A token that was encrypted with an unknown
   * secret cannot be revoked here: other processes accept copies of it.
   */
  faultWithoutSession(request: RequestContext): Pick<SessionEnd, 'fault'>
}

interface TokenStoreDependencies {
  readonly cookie: CookieSpec
  readonly codec: SessionJwtCodec
  /** Null if the application has none: then a token keeps its claims. */
  readonly jwtCallback: JWTCallback | null
  /** Null if users are not read again. */
  readonly freshUsers: FreshUsers | null
  readonly revoked: RevokedTokens
  /** Whether visitors are asked if they want to stay signed in. */
  readonly asksToRemember: boolean
  /** Whether it matters where a session began. */
  readonly keepsProviderSession: boolean
  readonly lastExpiry: LastExpiry
  readonly logger: Pick<Log, 'debug' | 'warn'>
}

/** Keeps the whole session in an encrypted token in the visitor's cookie. */
export function createTokenStore({
  cookie,
  codec,
  jwtCallback,
  freshUsers,
  revoked,
  asksToRemember,
  keepsProviderSession,
  lastExpiry,
  logger,
}: TokenStoreDependencies): TokenStore {
  const { write, begin } = createTokenWriter({ cookie, codec, asksToRemember, keepsProviderSession, logger })
  const updateClaims = createClaimsUpdate({ jwtCallback, freshUsers })

  const load = ({ cookies }: RequestContext, time?: number): MaybePromise<TokenRecord | null> => {
    const value = readSessionCookie(cookies, cookie)
    return value === undefined ? null : codec.decode(value, time)
  }

  const leftovers = ({ cookies }: RequestContext) => clearLeftoverPieces(cookies, cookie)

  const acceptedByOthers = ({ cookies }: RequestContext) => {
    const value = readSessionCookie(cookies, cookie)
    return value === undefined ? 'no' : codec.acceptedByOthers(value)
  }

  const isRevoked = ({ sessionClaim }: TokenRecord) => revoked.has(sessionClaim)

  const revoke = (found: TokenRecord) => revoked.add(found.sessionClaim, lastExpiry(found))

  const faultWithoutSession: TokenStore['faultWithoutSession'] = (request) =>
    acceptedByOthers(request) === 'yes' ? { fault: new Error(UNKNOWN_SECRET) } : {}

  const issue = createTokenIssuer(codec)

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
    leftovers,
    begin,
    revokeHere: revoke,
    faultWithoutSession,
    /**
     * A cookie that another process may be able to decrypt stays: while a secret is rotated, this process may not know
     * the secret with which the cookie was encrypted a moment ago.
     */
    cookiesWithoutSession(request) {
      const accepted = acceptedByOthers(request)
      if (accepted === 'yes') logger.debug('session-token-left-alone', { reason: ACCEPTED_ELSEWHERE }, request.source)
      return accepted === 'no' ? clearSessionCookie(request.cookies, cookie) : []
    },
    isRevoked,
    index() {
      throw new InvalidConfiguration(NEEDS_REVOCATION)
    },
    // A token session exists only in its cookie.
    discard: async () => {},

    async claimsAtStart(start) {
      const params = signInParams(start)
      const claims = jwtCallback ? claimsGiven(await jwtCallback(params)) : params.token
      return claims && { claims, refreshedAt: await freshUsers?.admit(start, claims) }
    },
    ...(updateClaims && { updateClaims }),
    isUpToDate: (found) => jwtCallback === null && !freshUsers?.isDue(found),
    show,
    callbackParams: (found, expires) => ({ session: show(found, expires), token: ownClaims(found.claims) }),

    // The new expiry is in the token that is saved.
    renew: (_request, _found, expiry) => expiry,
    save(request, found, expiry, mayWrite) {
      const { claims, claimsBefore, isRefreshed } = found
      // Between renewals, a token is issued again only if its claims were changed, as with rotated tokens of a provider, or
      // its user was read again. The expiry stays.
      const isChanged =
        mayWrite && (isRefreshed || (claimsBefore !== undefined && differs(claimText(claims), claimsBefore)))
      if (!expiry.isRenewed && !isChanged) return leftovers(request)
      const sessionClaim = claimAfter(found.sessionClaim, found, expiry)
      return write(request, { claims, sessionClaim }, expiry).then(({ changes }) => changes)
    },
    async create(request, beginning) {
      // A cookie that the codec does not accept is no session. If the codec throws, the cookie may be a session, and copies of it
      // would stay valid: the sign-in fails.
      const previous = await load(request)
      if (previous !== null && !isRevoked(previous)) revoke(previous)
      return (await begin(request, beginning)).changes
    },
    async revoke(request) {
      try {
        const found = await load(request)
        if (found !== null) {
          if (isRevoked(found)) return { ended: null }
          revoke(found)
          return { ended: { token: ownClaims(found.claims) } }
        }
        return { ended: null, ...faultWithoutSession(request) }
      } catch (error) {
        // The claims of the token cannot be read, so copies of it cannot be revoked.
        return { ended: null, fault: withoutDetails(error) }
      }
    },
    async issueToken(_request, found, beginning) {
      const issued = await issue(found, beginning)
      return isRevoked(found) ? null : issued
    },
    /** Errors of the application stay as they are. */
    faultOf: (verb, error) =>
      error instanceof JWTSessionError || error instanceof UserNotAdmitted
        ? error
        : new JWTSessionError(faultText(verb, 'a token session'), { err: withoutDetails(error) }),
  }
}

/** The user that a token's claims name. */
function userOf({ name, email, picture }: JWT): User {
  const user: User = {}
  if (name !== undefined) user.name = name
  if (email !== undefined) user.email = email
  if (picture !== undefined) user.image = picture
  return user
}

/** Sessions that no store knows are ended by their own browser only. */
const NEEDS_REVOCATION =
  'Sessions in tokens can be listed and revoked only if a store knows them. Set `session.revocation: { store }`, or keep sessions in a store with `session.strategy: "database"`.'

const UNKNOWN_SECRET = 'The session token was made with a secret that this process does not have.'

const ACCEPTED_ELSEWHERE =
  'It was made with a secret that this process does not have, or by a process whose clock is ahead.'
