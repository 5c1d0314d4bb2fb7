import type { AdapterAccount, AdapterUser } from '../adapters/adapter.js'
import { isTimeout } from '../adapters/failures.js'
import { membersOf } from '../kernel/objects.js'
import type { Account } from '../providers/provider.js'
import type { UserDependencies } from './dependencies.js'
import type { Identity } from './identity.js'
import { notLinked } from './refusals.js'
import type { Rollback } from './rollback.js'
import { isSameUser, requireUser, type StoredUsers } from './stored-users.js'

/** An account that is to be linked, and the user it is linked to. */
interface AccountLink {
  readonly identity: Identity
  /** The account of the identity as {@link accountToStore} made it. */
  readonly account: Account
  readonly user: AdapterUser
  /**
   * Called after the account is linked, and before the event. It may store what belongs to the account. When it returns false, the
   * account is unlinked and the identity refused; when it throws, the account is unlinked.
   */
  readonly isStillAllowed: () => Promise<boolean>
}

/**
 * Links an account, and emits `linkAccount`.
 *
 * @returns the owner of the account: another user than the given one when a concurrent sign-in was faster
 * @throws {OAuthAccountNotLinked} when it is no longer allowed; {@link AccountNotLinked} for a passkey
 * @throws {AdapterError} when the store fails, or the user has no usable id
 */
export type LinkAccount = (link: AccountLink) => Promise<AdapterUser>

/** Links accounts in an adapter. */
export function createLinkAccount({
  users,
  store,
  rollback,
  accountTokens,
  emit,
}: Pick<UserDependencies, 'store' | 'emit' | 'accountTokens'> & {
  readonly users: StoredUsers
  readonly rollback: Rollback
}): LinkAccount {
  return async ({ identity, account, user, isStillAllowed }) => {
    requireUser(user)
    let isLinkedByThisCall = true
    try {
      const stored = (await accountTokens?.toStore(account)) ?? account
      await store.linkAccount({ ...stored, userId: user.id } as AdapterAccount)
    } catch (error) {
      const owner = await users.byAccount(identity.account)
      if (!owner) throw error
      if (!isSameUser(owner, user)) return owner
      // The account is linked although the call failed: by this call, whose answer was lost, or by a concurrent sign-in, which emits
      // the event itself.
      isLinkedByThisCall = isTimeout(error)
    }
    try {
      if (!(await isStillAllowed())) throw notLinked(identity.account)
    } catch (error) {
      await rollback.unlinkAccount(account, user.id, identity.source)
      throw error
    }
    if (isLinkedByThisCall) await emit('linkAccount', { user, account, profile: identity.user }, identity.source)
    return user
  }
}

/**
 * The account as it is stored and given to events: its names, and the tokens that the provider's `account()` keeps. It has no
 * `userId`. Call it once for an account, since it calls a function of the application.
 */
export function accountToStore({ account, linking }: Identity): Account {
  const { provider, providerAccountId, type, userId: _, ...tokens } = account
  const kept = Object.entries(membersOf(linking?.storedTokens(tokens) ?? {}))
  const present = kept.filter(([name, value]) => name !== 'userId' && value !== undefined)
  return { ...Object.fromEntries(present), provider, providerAccountId, type }
}
