import { type JWT, ownClaims } from '../crypto/claims.js'
import { type SessionClaim, userIdOf } from '../crypto/session-claim.js'
import type { User } from '../providers/provider.js'
import { copyOf } from '../shapes/objects.js'
import type { FreshUsers } from './fresh-users.js'
import { addedParams, claimsGiven, claimText, paramsOf, withUser } from './jwt-claims.js'
import type { JWTCallback } from './session.js'
import type { ClaimsChange } from './session-store.js'

/** A session in a token, as far as its claims can change. */
export interface ClaimedSession {
  readonly claims: JWT
  /** The claim `latchkey`; its `id` stays the same when the token is issued again. */
  readonly sessionClaim: SessionClaim
  /** Whether the token itself has the session claim. */
  readonly hasSessionClaim: boolean
  /** The claims before they were brought up to date; absent if that was not done. */
  readonly claimsBefore?: string
  /** Whether the user was read again, and the token should record when. */
  readonly isRefreshed?: boolean
  readonly userId: string | null
}

/** Who decides which claims the token of a session has, after its beginning. */
interface ClaimSources {
  /** Null if the application has none. */
  readonly jwtCallback: JWTCallback | null
  /** Null if users are not read again. */
  readonly freshUsers: FreshUsers | null
}

/** Gives a token session with the claims that it has now; null for nobody. */
type ClaimsUpdate = <Found extends ClaimedSession>(found: Found, change: ClaimsChange) => Promise<Found | null>

/**
 * The function that brings the claims of a token up to date: from the user as it is now, if that is due, and by the `jwt`
 * callback. Undefined if neither is there.
 */
export function createClaimsUpdate({ jwtCallback, freshUsers }: ClaimSources): ClaimsUpdate | undefined {
  if (jwtCallback === null && freshUsers === null) return undefined

  /** The claims as the callback wants them; null for nobody. */
  const decide = async (claims: JWT, user: User | null, { update, added }: ClaimsChange): Promise<JWT | null> => {
    if (jwtCallback === null) return claims
    const changed = (token: JWT) => (added ? addedParams(token, added) : paramsOf(token, update))
    if (user === null) return claimsGiven(await jwtCallback(changed(claims)))
    const refreshed = claimsGiven(await jwtCallback({ token: claims, user: ownCopy(user), trigger: 'refresh' }))
    return refreshed && (update || added) ? claimsGiven(await jwtCallback(changed(refreshed))) : refreshed
  }

  return async (found, change) => {
    const reading = freshUsers?.isDue(found) ? await freshUsers.read(found) : null
    if (reading === null && jwtCallback === null) return found
    if (reading?.user === null) return null
    // Saved before the call: the callback may change its argument in place.
    const before = ownClaims(found.claims)
    const claimsBefore = claimText(before)
    const user = reading?.user ?? null
    const claims = await decide(user === null ? before : withUser(before, user), user, change)
    if (claims === null) return null
    const updated = { ...found, claims, claimsBefore, userId: userIdOf(claims) }
    if (reading === null) return updated
    // A codec that loses the session claim would lose the time as well, and each request would write the token again.
    const isRecorded = freshUsers?.isRecorded === true && found.hasSessionClaim
    const sessionClaim = { ...found.sessionClaim, refreshedAt: reading.readAt }
    return { ...updated, sessionClaim, isRefreshed: isRecorded }
  }
}

/** The callback may change its argument, and other requests use the same reading. An entity of a library is not copied. */
const ownCopy = (user: User): User => (copyOf(user) as User | undefined) ?? user
