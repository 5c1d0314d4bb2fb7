import type { AdapterUser } from '../../adapters/adapter.js'
import type { Entry, Identity, IdentityKind, PrincipalReader, Settlement } from '../../users/identity.js'
import { accountToStore } from '../../users/link-account.js'
import { notLinked, signInAgain } from '../../users/refusals.js'
import type { FirstPasskey } from '../../users/sign-up.js'
import { isSameUser } from '../../users/stored-users.js'
import type { UserParts } from '../../users/users.js'

/** Visitors who have done a WebAuthn ceremony: who sign in with a passkey, or register one. */
export function createPasskeyKind({
  users,
  signedInUsers,
  linkAccount,
  rollback,
  signUps,
  withAddress,
  store,
  emit,
}: UserParts): IdentityKind {
  const find = ({ passkey }: Identity) => {
    const isAddition = passkey?.ceremony === 'register' && passkey.forUser !== null
    return { owner: null, isAddition }
  }

  const settle = async ({ identity }: Entry, readPrincipal: PrincipalReader): Promise<Settlement> => {
    const { account, user, passkey } = identity
    const signedIn = await signedInUsers.read(readPrincipal)
    if (passkey?.ceremony === 'register') {
      // Somebody has signed in since the registration began.
      if (signedIn) throw notLinked(account)
      await requireUnknown(identity, passkey.authenticator)
      return signUp(identity, passkey.authenticator)
    }
    const owner = await users.byAccount(account)
    // Signing in with a passkey creates no user. A passkey whose account was removed in the meantime signs nobody in.
    if (!owner || !isSameUser(owner, user) || (signedIn && !isSameUser(owner, signedIn.user))) throw notLinked(account)
    return { user: owner, isNewUser: false }
  }

  const add = async (identity: Identity, readPrincipal: PrincipalReader): Promise<Settlement> => {
    const { account, passkey } = identity
    const signedIn = await signedInUsers.read(readPrincipal)
    if (passkey?.ceremony !== 'register' || signedIn === null || String(signedIn.user.id) !== passkey.forUser) {
      throw notLinked(account)
    }
    if (!signedIn.mayAdd) throw signInAgain(account)
    await requireUnknown(identity, passkey.authenticator)
    const { user } = signedIn
    await users.requireRoom(user)
    const isStillAllowed = () => signedInUsers.mayKeepAdded(signedIn, readPrincipal)
    await addPasskey(identity, passkey.authenticator, user, isStillAllowed)
    return { user, isNewUser: false, added: 'passkey' }
  }

  /** An attacker can register a passkey with the id of another user's passkey, so it must never replace that one (WEBAUTHN-11). */
  const requireUnknown = async ({ account }: Identity, { credentialID }: FirstPasskey): Promise<void> => {
    if (await users.byAccount(account)) throw notLinked(account)
    if (await store.getAuthenticator(credentialID)) throw notLinked(account)
  }

  const signUp = async (identity: Identity, passkey: FirstPasskey): Promise<Settlement> => {
    const { account, user } = identity
    // Visitors enter the address themselves, so it is not confirmed, even where the application's function says that it is.
    const { id: _, emailVerified: __, ...entered } = user as Identity['user'] & Partial<AdapterUser>
    const requireFreeAddress = async () => {
      if (entered.email && (await users.byEmail(entered.email))) throw notLinked(account)
    }
    const fields = entered as AdapterUser
    const begin = async () =>
      (await signUps.beginAtOnce(identity, { fields, account: accountToStore(identity), passkey })) ??
      beginInSteps(identity, fields, passkey)
    const begun = await withAddress(entered.email, async () => {
      await requireFreeAddress()
      return begin().catch(async (error: unknown) => {
        // Another visitor may have signed up with the address at the same moment, in another process.
        await requireFreeAddress()
        throw error
      })
    })
    await begun.complete()
    return { user: begun.created, isNewUser: true }
  }

  /** Stores no marker: nobody could prove later that the passkey of the broken-off sign-up was theirs. */
  const beginInSteps = async (
    identity: Identity,
    fields: AdapterUser,
    passkey: FirstPasskey,
  ): Promise<{ created: AdapterUser; complete(): Promise<unknown> }> => {
    const created = await store.createUser(fields)
    return { created, complete: () => completeSteps({ ...identity, user: created }, created, passkey) }
  }

  const completeSteps = async (identity: Identity, created: AdapterUser, passkey: FirstPasskey): Promise<void> => {
    await emit('createUser', { user: created }, identity.source)
    try {
      await addPasskey(identity, passkey, created, () => users.isStillNew(created))
    } catch (error) {
      await rollback.deleteUser(created, identity.source)
      throw error
    }
  }

  /** Links the account and stores the passkey: both or neither. The event `linkAccount` is emitted when both may stay. */
  const addPasskey = async (
    identity: Identity,
    passkey: FirstPasskey,
    user: AdapterUser,
    isStillAllowed: () => Promise<boolean>,
  ): Promise<void> => {
    const account = accountToStore(identity)
    const storePasskey = async (): Promise<boolean> => {
      await store.createAuthenticator({ ...passkey, userId: user.id })
      let isAllowed = false
      try {
        // Asked after the passkey is stored. Some adapters cannot list accounts: there, a concurrent revocation of access finds
        // this account only by its passkey.
        isAllowed = await isStillAllowed()
      } finally {
        if (!isAllowed) await rollback.deletePasskey(passkey.credentialID, identity.source)
      }
      return isAllowed
    }
    const owner = await linkAccount({ identity, account, user, isStillAllowed: storePasskey })
    if (!isSameUser(owner, user)) throw notLinked(identity.account)
  }

  return { find, settle, add }
}
