import { sha256Base64url } from '../kernel/digest.js'
import { SessionChanged } from '../kernel/errors.js'
import type { Identity } from './identity.js'
import type { SignedInUser } from './signed-in-user.js'

/** A user as the transaction cookies keep the initiator: a short digest, since an id may be of any length. */
export const userDigest = ({ id }: { readonly id: unknown }): string => sha256Base64url(String(id)).slice(0, 22)

/** The initiator of a transaction that began when nobody was signed in. No digest of a user is like it. */
export const NOBODY = 'nobody'

/** Whether an initiator is a user. */
export const isUser = (initiator: string | null | undefined): boolean => (initiator ?? NOBODY) !== NOBODY

/** A session as the transaction cookies keep it: a digest of its public id. */
export const sessionDigest = (id: string): string => sha256Base64url(`session ${id}`).slice(0, 22)

/**
 * Returns the signed-in user if that user is the initiator of the transaction.
 *
 * @param signedIn null when nobody is signed in
 * @throws {SessionChanged} when the initiator's session has ended since, or another user is signed in
 */
export function requireInitiator(identity: Identity, signedIn: SignedInUser | null): SignedInUser {
  const { account, initiator } = identity
  if (signedIn && userDigest(signedIn.user) === initiator && isInSameSession(identity, signedIn)) return signedIn
  throw new SessionChanged(
    `Provider "${account.provider}": the sign-in was begun by somebody who was signed in, to add an account, and they are not signed in any more.`,
  )
}

/**
 * A link counts in the session in which it began, and in no later one of the same user: whoever signs out ends what was
 * begun before.
 */
const isInSameSession = ({ linkSessionDigest = null }: Identity, { sessionId }: SignedInUser): boolean =>
  linkSessionDigest === null || (sessionId !== null && sessionDigest(sessionId) === linkSessionDigest)
