import type { AdapterUser } from '../adapters/adapter.js'
import { sha256Base64url } from '../kernel/digest.js'
import { SessionChanged } from '../kernel/errors.js'
import { isRecentHere } from '../sessions/may-be-used.js'
import type { Principal } from '../sessions/session.js'
import type { UserDependencies } from './dependencies.js'
import type { Identity, PrincipalReader, SignedInUser } from './identity.js'
import { isSameUser, type StoredUsers } from './stored-users.js'

export type SignedInUsers = ReturnType<typeof createSignedInUsers>

/** Reads which user is signed in in the browser that an identity comes from. */
export function createSignedInUsers({
  users,
  recentAuthAge,
  now,
}: Pick<UserDependencies, 'recentAuthAge' | 'now'> & {
  readonly users: StoredUsers
}) {
  return {
    /** Null when nobody is signed in, or the user of the session is deleted, or disabled and therefore refused. */
    async read(readPrincipal: PrincipalReader): Promise<SignedInUser | null> {
      const principal = await readPrincipal()
      const user = principal && (await users.byId(principal.id))
      if (!user || users.isDisabled(user)) return null
      const mayAdd = mayAddTo(user, principal, { recentAuthAge, now })
      return { user, authenticatedAt: principal.authenticatedAt, sessionId: principal.sessionId ?? null, mayAdd }
    },

    /**
     * Call this after something was added to the user and stored. Says whether the user may keep it: the session that was
     * read before must still be valid, so it is read once more. Meanwhile the user may have signed out, which revokes the
     * session and what it adds later. Or the owner of the address may have confirmed it, which revokes all access to the user.
     *
     * @returns false when the address was confirmed, or the user deleted
     * @throws {SessionChanged} when it is not the same session of a recent sign-in in this browser any more
     */
    async mayKeepAdded({ user, sessionId }: SignedInUser, readPrincipal: PrincipalReader): Promise<boolean> {
      if (users.mailsLinks && (await users.wasConfirmedSince(user))) return false
      const principal = await readPrincipal()
      const isSame = principal !== null && isSameUser(principal, user) && (principal.sessionId ?? null) === sessionId
      if (isSame && isRecentHere(principal, recentAuthAge, now)) return true
      throw new SessionChanged('The session in which an account or a passkey was being added has ended meanwhile.')
    },
  }
}

/** Stores round times. Of two times within a second it is not known which was first. */
const ROUNDING_MS = 1000

/** Whether somebody may add a way to sign in to the user of their session. */
export const mayAddTo = (
  user: AdapterUser,
  principal: Principal,
  { recentAuthAge, now }: Pick<UserDependencies, 'recentAuthAge' | 'now'>,
): boolean => isRecentHere(principal, recentAuthAge, now) && !beganBeforeConfirmation(principal, user)

/**
 * Whether a session began before its user's address was confirmed. The session may belong to a person who used the address before
 * its owner did. If it is a token session, and the application has changed the address since, it may still run, but may not
 * add accounts or passkeys.
 */
const beganBeforeConfirmation = ({ authenticatedAt }: Principal, { emailVerified }: AdapterUser): boolean =>
  authenticatedAt !== null && emailVerified ? new Date(emailVerified).getTime() > authenticatedAt + ROUNDING_MS : false

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
