import { sha256Base64url } from '../crypto/digest.js'
import { SessionChanged } from '../errors.js'
import type { Claim } from './claim.js'
import type { Holding } from './directory.js'

/** Who was signed in when a sign-in began, as its one-time cookies keep it: a digest, since an id may be of any length. */
export const markOfUser = ({ id }: { readonly id: unknown }): string => sha256Base64url(String(id)).slice(0, 22)

/**
 * The user that a sign-in may add its account to: whoever was signed in when it began, and still is. A sign-in that began with nobody signed in adds
 * nothing to anybody, since whoever signed in meanwhile never asked for that.
 *
 * @returns null when the account is to stand for itself
 * @throws {SessionChanged} when it began in a session that has ended since, or has become somebody else's
 */
export function stillSignedIn({ account, begunBy = null }: Claim, holding: Holding | null): Holding | null {
  if (begunBy === null) return null
  if (holding && markOfUser(holding.user) === begunBy) return holding
  throw new SessionChanged(
    `Provider "${account.provider}": the sign-in was begun by somebody who was signed in, to add an account, and they are not signed in any more.`,
  )
}
