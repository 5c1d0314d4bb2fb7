import type { UserDependencies } from './dependencies.js'
import type { Users } from './identity.js'
import { isSameUser, type StoredUsers } from './stored-users.js'

/** As {@link Users.changeAddress}. */
export function createAddressChange({
  users,
  store,
  emit,
  now,
}: Pick<UserDependencies, 'store' | 'emit' | 'now'> & { readonly users: StoredUsers }): Users['changeAddress'] {
  return async (user, email, source) => {
    users.requireEnabled(user)
    try {
      // Both at once: no other request can confirm one address with the other.
      await store.updateUser({ id: user.id, email, emailVerified: new Date(now()) })
    } catch (error) {
      const holder = await users.byEmail(email)
      if (holder === null) throw error
      // The store may have done it, and its answer was lost.
      if (!isSameUser(holder, user)) return null
    }
    const changed = await users.byId(user.id)
    if (changed?.email !== email) return null
    await emit('updateUser', { user: changed }, source)
    return changed
  }
}
