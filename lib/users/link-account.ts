import type { AdapterAccount, AdapterUser } from '../adapters/adapter.js'
import { isTimeout } from '../adapters/failures.js'
import { membersOf } from '../kernel/objects.js'
import type { Account } from '../providers/provider.js'
import type { UserDependencies } from './dependencies.js'
import type { Identity, NewPasskey } from './identity.js'
import { notLinked } from './refusals.js'
import type { Rollback } from './rollback.js'
import { isSameUser, requireUser, type StoredUsers } from './stored-users.js'

/** An account that is to be linked, and the user it is linked to. */
interface AccountLink {
  readonly identity: Identity
  /** The account of the identity as {@link accountToStore} made it. */
  readonly account: Account
  readonly user: AdapterUser
  /** The passkey that the account is for. It is stored with the account: both or neither. */
  readonly passkey?: NewPasskey | undefined
  /**
   * Called after the account is linked, and before the event. When it returns false, the account is unlinked and the identity
   * refused; when it throws, the account is unlinked.
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
  return async ({ identity, account, user, passkey, isStillAllowed }) => {
    requireUser(user)
    let isLinkedByThisCall = true
    try {
      const stored = (await accountTokens?.toStore(account)) ?? account
      await store.linkAccount({ ...stored, userId: user.id } as AdapterAccount)
    } catch (error) {
      const owner = await users.byAccount(identity.account)
      if (!owner) throw (await users.byId(user.id)) ? error : notLinked(identity.account)
      if (!isSameUser(owner, user)) return owner
      // The account is linked although the call failed: by this call, whose answer was lost, or by a concurrent sign-in, which emits
      // the event itself.
      isLinkedByThisCall = isTimeout(error)
    }
    // A passkey that the store refuses may be that of another user, so only a passkey that it took is deleted.
    let isPasskeyStored = false
    try {
      if (passkey) {
        await store.createAuthenticator({ ...passkey, userId: user.id })
        isPasskeyStored = true
      }
      // Asked after the passkey is stored. Some adapters cannot list accounts: there, a concurrent revocation of access finds
      // this account only by its passkey.
      if (!(await isStillAllowed())) throw notLinked(identity.account)
    } catch (error) {
      if (passkey && isPasskeyStored) await rollback.deletePasskey(passkey.credentialID, identity.source)
      await rollback.unlinkAccount(account, user.id, identity.source)
      throw error
    }
    // A passkey has no profile, so the event gets its user in that place.
    const profile = passkey ? user : identity.user
    if (isLinkedByThisCall) await emit('linkAccount', { user, account, profile }, identity.source)
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
