import type { AdapterUser } from '../adapters/adapter.js'
import { isRecent } from '../sessions/recent-auth.js'
import type { Principal } from '../sessions/session.js'
import { type AccountsDependencies, hasMailedLinks } from './dependencies.js'
import type { PrincipalReader } from './identity.js'
import { isSameUser, type StoredUsers } from './stored-users.js'

/** The user who is signed in in this browser, as stored. */
export interface SignedInUser {
  readonly user: AdapterUser
  /** When the user signed in, milliseconds since the epoch; null when that is not known. */
  readonly authenticatedAt: number | null
  /** Whether the sign-in is recent enough to add an account or a passkey. */
  readonly isRecent: boolean
}

/** Reads which user is signed in in the browser that an identity comes from. */
export interface SignedInUsers {
  /** Null when nobody is signed in, or the user of the session is deleted. */
  read(readPrincipal: PrincipalReader): Promise<SignedInUser | null>
  /**
   * Whether a user whose session was read before something was added to them still has that session. The owner of the address may
   * have confirmed it in between, which revokes sessions. What is added later than that would stay.
   */
  isStillSignedIn(user: AdapterUser, readPrincipal: PrincipalReader): Promise<boolean>
}

/** Reads signed-in users from an adapter. */
export function createSignedInUsers({
  users,
  providers,
  recentAuthAge,
  now,
}: Pick<AccountsDependencies, 'providers' | 'recentAuthAge' | 'now'> & {
  readonly users: StoredUsers
}): SignedInUsers {
  const mailsLinks = hasMailedLinks(providers)
  return {
    async read(readPrincipal) {
      const principal = await readPrincipal()
      const user = principal && (await users.byId(principal.id))
      if (!user) return null
      const mayAdd = isRecent(principal, recentAuthAge, now) && !beganBeforeConfirmation(principal, user)
      return { user, authenticatedAt: principal.authenticatedAt, isRecent: mayAdd }
    },

    async isStillSignedIn(user, readPrincipal) {
      if (!mailsLinks) return true
      if (await users.wasConfirmedSince(user)) return false
      const principal = await readPrincipal()
      return principal !== null && isSameUser(principal, user)
    },
  }
}

/** Stores round times. Of two times within a second it is not known which was first. */
const ROUNDING_MS = 1000

/**
 * Whether a session began before its user's address was confirmed. The session may belong to a person who used the address before
 * its owner did. A token session goes on after the application has changed the address, and must not add anything that stays.
 */
const beganBeforeConfirmation = ({ authenticatedAt }: Principal, { emailVerified }: AdapterUser): boolean =>
  authenticatedAt !== null && emailVerified ? new Date(emailVerified).getTime() > authenticatedAt + ROUNDING_MS : false
