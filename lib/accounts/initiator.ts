import { sha256Base64url } from '../crypto/digest.js'
import { SessionChanged } from '../errors.js'
import type { Identity } from './identity.js'
import type { SignedInUser } from './signed-in-user.js'

/** A user as the transaction cookies keep the initiator: a short digest, since an id may be of any length. */
export const userDigest = ({ id }: { readonly id: unknown }): string => sha256Base64url(String(id)).slice(0, 22)

/**
 * Returns the signed-in user if that user is the initiator of the transaction.
 *
 * @param signedIn null when nobody is signed in
 * @throws {SessionChanged} when the initiator's session has ended since, or another user is signed in
 */
export function requireInitiator({ account, initiator }: Identity, signedIn: SignedInUser | null): SignedInUser {
  if (signedIn && userDigest(signedIn.user) === initiator) return signedIn
  throw new SessionChanged(
    `Provider "${account.provider}": the sign-in was begun by somebody who was signed in, to add an account, and they are not signed in any more.`,
  )
}
