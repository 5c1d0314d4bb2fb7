import { sha256Base64url } from '../crypto/digest.js'
import { SessionChanged } from '../errors.js'
import type { SignedInUser } from './directory.js'
import type { Identity } from './identity.js'

/** A user as the one-time cookies of a sign-in keep them: a digest, since an id may be of any length. */
export const userDigest = ({ id }: { readonly id: unknown }): string => sha256Base64url(String(id)).slice(0, 22)

/**
 * Whoever is signed in, if they are the user who began a sign-in to add an account.
 *
 * @throws {SessionChanged} when they are not: the session it began in has ended since, or has become somebody else's
 */
export function requireSameUser({ account, initiator }: Identity, signedIn: SignedInUser | null): SignedInUser {
  if (signedIn && userDigest(signedIn.user) === initiator) return signedIn
  throw new SessionChanged(
    `Provider "${account.provider}": the sign-in was begun by somebody who was signed in, to add an account, and they are not signed in any more.`,
  )
}
