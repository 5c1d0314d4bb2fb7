import { isDeepStrictEqual } from 'node:util'
import type { MaybePromise } from '../kernel/awaitable.js'
import { EXPIRY_TOLERANCE_SECONDS, ownClaims } from '../kernel/claims.js'
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
  ownerAtStart,
  signInParams,
} from './jwt-claims.js'
import { UserNotAdmitted } from './may-be-used.js'
import { claimAfter, type LastExpiry, type RevokedTokens } from './revoked-tokens.js'
import { readSessionCookie } from './session-cookie.js'
import { requireRoomForToken } from './session-index.js'
import type { SessionJwtCodec } from './session-jwt.js'
import type { SessionEnd } from './session-manager.js'
import { faultText, type SessionStore } from './session-store.js'
import type { TokenRegistry } from './token-registry.js'
import { ENDED, ownerInRow, type RegisteredSession } from './token-session-rows.js'
import { createTokenWriter } from './token-writer.js'

/** A session in a token. */
interface FoundToken extends ClaimedSession {
  /** What the registry knows of the session; absent where there is no registry. */
  readonly registered?: RegisteredSession
}

interface TokenStoreDependencies {
  readonly cookie: CookieSpec
  readonly codec: SessionJwtCodec
  /** Null if the application has none: then a token keeps its claims. */
  readonly jwtCallback: JWTCallback | null
  /** Null if users are not read again. */
  readonly freshUsers: FreshUsers | null
  /** The sessions that have ended in this process. */
  readonly revoked: RevokedTokens
  /** The sessions that a store knows, and that end in every process; null if none does. */
  readonly registry: TokenRegistry | null
  /** Whether it matters where a session began. */
  readonly keepsProviderSession: boolean
  readonly lastExpiry: LastExpiry
  readonly logger: Pick<Log, 'debug' | 'warn'>
}

/**
 * Keeps the whole session in an encrypted token in the visitor's cookie. With a registry, a store says whether the session
 * still counts. If that store fails, nobody knows, so each method throws except `end`: it ends the session in this process
 * at least, and gives the fault.
 */
export function createTokenStore(dependencies: TokenStoreDependencies): SessionStore<FoundToken> {
  const { cookie, codec, jwtCallback, freshUsers, revoked, registry, lastExpiry, logger } = dependencies
  const writer = createTokenWriter(dependencies)
  const updateClaims = createClaimsUpdate({ jwtCallback, freshUsers })

  const hasEnded = (found: FoundToken) => revoked.has(found) || found.registered?.isRevoked === true

  const read = ({ cookies }: RequestContext, time?: number): MaybePromise<ClaimedSession | null> => {
    const value = readSessionCookie(cookies, cookie)
    return value === undefined ? null : codec.decode(value, time)
  }

  const register = (
    request: RequestContext,
    found: ClaimedSession,
    looksAnew: boolean | undefined,
  ): MaybePromise<FoundToken> => {
    if (registry === null) return found
    // What this process has ended needs no look-up: a copy of the cookie does not wait for a store that is down.
    const registered = revoked.has(found) ? ENDED : registry.find(found, request, looksAnew)
    return registered instanceof Promise
      ? registered.then((registered) => ({ ...found, registered }))
      : { ...found, registered }
  }

  const acceptedByOthers = ({ cookies }: RequestContext) => {
    const value = readSessionCookie(cookies, cookie)
    return value === undefined ? 'no' : codec.acceptedByOthers(value)
  }

  const ownerIn = ({ registered, userId }: FoundToken) => (registered ? ownerInRow(registered.userId, userId) : null)

  const endHere = (found: ClaimedSession) => revoked.add(found, lastExpiry(found))

  /** The visitor has signed out, so the session has ended here in any case. */
  const endHereAtLeast = async (found: ClaimedSession): Promise<Omit<SessionEnd, 'cookies'>> => {
    endHere(found)
    const ended = { token: ownClaims(found.claims) }
    try {
      return { ended: registry === null || (await registry.end(found)) ? ended : null }
    } catch (error) {
      registry?.endLater(found.id)
      return { ended, fault: withoutDetails(error), isRetried: true }
    }
  }

  /**
   * Does what a new session still needs, and ends the session if that fails or gives false. Nobody has its token yet, so
   * its row can be revoked later.
   */
  const endUnless = async (id: string, finish: () => Promise<boolean>): Promise<boolean> => {
    let isFinished = false
    try {
      isFinished = await finish()
      return isFinished
    } finally {
      if (!isFinished) registry?.endLater(id)
    }
  }

  return {
    name: 'jwt',
    resolution: 1000,
    expiryTolerance: EXPIRY_TOLERANCE_SECONDS * 1000,
    rewritesFreely: true,

    // Every request of a guard comes here.
    load(request, time, looksAnew) {
      const found = read(request, time)
      if (found instanceof Promise) return found.then((found) => found && register(request, found, looksAnew))
      return found && register(request, found, looksAnew)
    },
    /**
     * A cookie that another process may be able to decrypt stays: while a secret is rotated, this process may not know
     * the secret with which the cookie was encrypted a moment ago.
     */
    keepsCookie(request) {
      const accepted = acceptedByOthers(request)
      if (accepted === 'yes') logger.debug('session-token-left-alone', { reason: ACCEPTED_ELSEWHERE }, request.source)
      return accepted !== 'no'
    },
    hasEnded,
    index() {
      if (registry === null) throw new InvalidConfiguration(NEEDS_REVOCATION)
      return registry.index
    },
    ...(registry && {
      ownerIn: ownerIn,
      noteUse: registry.noteUse,
    }),
    // A token session exists only in its cookie.
    deleteExpired: async () => {},

    async claimsAtStart(start) {
      const params = signInParams(start)
      const claims = jwtCallback ? claimsGiven(await jwtCallback(params)) : params.token
      return claims && { claims, refreshedAt: await freshUsers?.admit(start, claims) }
    },
    updateClaims,
    userShown: userOf,
    callbackParams: ({ claims }) => ({ token: ownClaims(claims) }),

    // The new expiry is in the token that is saved.
    renew: (_request, _found, expiry) => expiry,
    async save({ source }, found, expiry, mayWrite) {
      const { claims, claimsBefore, isRefreshed } = found
      // Between renewals, a token is issued again only if its claims were changed, as with rotated tokens of a provider, or
      // its user was read again. The expiry stays.
      const isChanged =
        mayWrite && (isRefreshed || (claimsBefore !== undefined && differs(claimText(claims), claimsBefore)))
      if (!expiry.isRenewed && !isChanged) return null
      // The session may have proved more since: then the browser has a cookie that counts, and must not get another one.
      if (await registry?.isOutdated(found.sessionClaim)) return null
      return writer.write({ claims, sessionClaim: claimAfter(found.sessionClaim, found, expiry) }, expiry, source)
    },
    async create(request, beginning) {
      // A cookie that the codec does not accept is no session. If the codec throws, the cookie may be a session, and copies of it
      // would stay valid: the sign-in fails.
      const previous = await read(request)
      const begun = await writer.begin(beginning, registry !== null, request.source)
      const endPrevious = async () => {
        if (previous === null || revoked.has(previous)) return true
        await registry?.end(previous)
        endHere(previous)
        return true
      }
      if (begun === null) {
        await endPrevious()
        return null
      }
      const { id } = begun.sessionClaim
      const { authenticatedAt: createdAt, issuedAt, expires, lifetime, providerSession: at } = beginning
      const userId = ownerAtStart(beginning)
      await registry?.begin(request, { id, userId, createdAt, issuedAt, expires, lifetime, at })
      // If the previous session cannot be ended, the sign-in fails and the visitor keeps that session.
      await endUnless(id, endPrevious)
      return begun.value
    },
    timeOfProof: ({ sessionClaim }, time) => registry?.proofAfter(sessionClaim, time) ?? time,
    async raise({ source }, raised, expiry) {
      const { claims, authenticatedAt, authentication, lifetime } = raised
      const claim = { ...raised.sessionClaim, authenticatedAt, ...(authentication && { authentication }) }
      // The same id: a sign-out at this moment ends both tokens. A registry lets the earlier one count no more.
      const sessionClaim = claimAfter({ ...claim, ...(lifetime && { lifetime }) }, raised, expiry)
      const value = await writer.write({ claims, sessionClaim }, expiry, source)
      const written = (await codec.decode(value))?.sessionClaim
      if (!isDeepStrictEqual(written?.authentication, authentication)) throw new JWTSessionError(LOST_AUTHENTICATION)
      const isRaised = (await registry?.raise(raised.sessionClaim, authenticatedAt, expiry.issuedAt)) ?? true
      return !isRaised || hasEnded(raised) ? null : value
    },
    async end(request) {
      try {
        const found = await read(request)
        if (found !== null) return revoked.has(found) ? { ended: null } : await endHereAtLeast(found)
        // A token that was encrypted with an unknown secret cannot be revoked here: other processes accept copies of it.
        return { ended: null, ...(acceptedByOthers(request) === 'yes' && { fault: new Error(UNKNOWN_SECRET) }) }
      } catch (error) {
        // The claims of the token cannot be read, so copies of it cannot be revoked.
        return { ended: null, fault: withoutDetails(error) }
      }
    },
    async issueToken(request, found, beginning) {
      // The same user as the session has in the list, because all of them end together.
      const userId = ownerIn(found)
      if (registry !== null && userId !== null) await requireRoomForToken(registry.index, userId)
      const issued = await writer.issue(found, beginning)
      if (registry === null || userId === null) return hasEnded(found) ? null : issued
      const { id } = issued
      const { issuedAt, expires, scope, name } = beginning
      await registry.begin(request, { id, userId, createdAt: issuedAt, issuedAt, expires, kind: 'token', scope, name })
      // Asked anew: what this process knows of the session may be older than its end in another one.
      const isLasting = async () =>
        !hasEnded(found) &&
        (await registry.index.ownerOf(found)) !== null &&
        !(await registry.isOutdated(found.sessionClaim))
      return (await endUnless(id, isLasting)) ? issued : null
    },
    /** Errors of the application stay as they are. */
    faultOf: (verb, error) =>
      error instanceof JWTSessionError || error instanceof UserNotAdmitted
        ? error
        : new JWTSessionError(faultText(verb, 'a token session'), { err: withoutDetails(error) }),
  }
}

/** The user that a token's claims name. */
function userOf({ claims: { name, email, picture } }: FoundToken): User {
  const user: User = {}
  if (name !== undefined) user.name = name
  if (email !== undefined) user.email = email
  if (picture !== undefined) user.image = picture
  return user
}

/** Sessions that no store knows are ended by their own browser only. */
const NEEDS_REVOCATION =
  'Sessions in tokens can be listed and revoked only if a store knows them. Set `session.revocation: { store }`, or keep sessions in a store with `session.strategy: "database"`.'

const LOST_AUTHENTICATION =
  'jwt.encode or jwt.decode of the application lost the claim `latchkey`, which says that a second factor was shown. They must keep it.'

const UNKNOWN_SECRET = 'The session token was made with a secret that this process does not have.'

const ACCEPTED_ELSEWHERE =
  'It was made with a secret that this process does not have, or by a process whose clock is ahead.'
