import { AdapterError, CredentialsSignin } from '../kernel/errors.js'
import type { AccountsDependencies } from './dependencies.js'
import type { Entry, SettledUser } from './identity.js'
import type { StoredUsers } from './stored-users.js'

/** Visitors whom `authorize()` has identified. The users are the application's own, and Latchkey creates none. */
export function createCredentialsSettlement({
  users,
  store,
  sessionsNeedUser,
}: Pick<AccountsDependencies, 'store' | 'sessionsNeedUser'> & { readonly users: StoredUsers }) {
  const { mailsLinks } = users
  return async ({ identity }: Entry): Promise<SettledUser> => {
    const { user, account, checkedFrom = Number.POSITIVE_INFINITY, isCreatedConfirmed = false } = identity
    const mayBeStored = sessionsNeedUser || (mailsLinks && store.has('getUser'))
    const stored = mayBeStored ? await users.byId(user.id) : null
    if (sessionsNeedUser && !stored) {
      throw new AdapterError(
        'authorize() gave the id of no stored user. With stored sessions it must give a user that the adapter has, with its id.',
      )
    }
    if (stored !== null) users.requireAdmitted(stored)
    if (!mailsLinks || stored === null) return { user, account, isNewUser: false }
    // The owner of the address confirmed it while the application checked a password. That confirmation revoked the
    // password. A user whom `authorize()` has just created looks the same, unless it gives what `createUser` returned.
    if (!isCreatedConfirmed && stored.emailVerified && new Date(stored.emailVerified).getTime() > checkedFrom) {
      throw new CredentialsSignin(CONFIRMED_MEANWHILE)
    }
    return { user, account, isNewUser: false, ...(!stored.emailVerified && { isUnconfirmed: true }) }
  }
}

const CONFIRMED_MEANWHILE =
  "The user's address was confirmed while what was entered was being checked. If authorize() itself has just created the user with " +
  '`emailVerified`, this sign-in is refused by mistake: return the object that `createUser` of an adapter of Latchkey gave, or ' +
  'create the user with an `emailVerified` from before the sign-in.'
