import type { AdapterUser } from '../adapters/adapter.js'
import type { EmailConfirmation } from './confirm-email.js'
import type { UserDependencies } from './dependencies.js'
import type { Users } from './identity.js'
import { isSameUser, type StoredUsers } from './stored-users.js'

type ChangeAddress = Users['changeAddress']

/** As {@link Users.changeAddress}. */
export function createAddressChange({
  users,
  confirmation,
  store,
  emit,
  now,
}: Pick<UserDependencies, 'store' | 'emit' | 'now'> & {
  readonly users: StoredUsers
  readonly confirmation: EmailConfirmation
}): ChangeAddress {
  /** Gives the user as stored; null if another user has the address. */
  const put = async (user: AdapterUser, changes: Pick<AdapterUser, 'email' | 'emailVerified'>) => {
    try {
      await store.updateUser({ id: user.id, ...changes })
    } catch (error) {
      const holder = await users.byEmail(changes.email)
      if (holder === null) throw error
      // The store may have done it, and its answer was lost.
      if (!isSameUser(holder, user)) return null
    }
    const stored = await users.byId(user.id)
    return stored?.email === changes.email ? stored : null
  }

  /**
   * Nobody has confirmed the present address, so its owner may do that at the same time, and get this user. So first the user has
   * no address: either that is seen here, or the confirmation sees that the address is gone. Then the new one is confirmed as by
   * any mailed link: who is not signed in as the user removes what others can sign in with (ACCT-05).
   */
  const moveUnconfirmed: ChangeAddress = async (user, email, readPrincipal, source) => {
    await store.updateUser({ id: user.id, email: '' })
    const current = await users.byId(user.id)
    try {
      const moved = current && !current.emailVerified ? await put(user, { email, emailVerified: null }) : null
      if (moved) return await confirmation.byLink(moved, readPrincipal, source)
    } catch (error) {
      await store.updateUser({ id: user.id, email: user.email, emailVerified: null })
      throw error
    }
    await store.updateUser({ id: user.id, email: user.email })
    return null
  }

  return async (user, email, readPrincipal, source) => {
    users.requireAdmitted(user)
    const changed = user.emailVerified
      ? await put(user, { email, emailVerified: new Date(now()) })
      : await moveUnconfirmed(user, email, readPrincipal, source)
    if (changed) await emit('updateUser', { user: changed }, source)
    return changed
  }
}
