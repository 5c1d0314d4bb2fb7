import type { AdapterUser } from '../../adapters/adapter.js'
import type { Entry, Identity, IdentityKind, NewPasskey, PrincipalReader, Settlement } from '../../users/identity.js'
import { accountToStore } from '../../users/link-account.js'
import { notLinked, signInAgain } from '../../users/refusals.js'
import { isSameUser } from '../../users/stored-users.js'
import type { UserParts } from '../../users/users.js'

/** Visitors who have done a WebAuthn ceremony: who sign in with a passkey, or register one. */
export function createPasskeyKind({
  users,
  signedInUsers,
  linkAccount,
  signUps,
  withAddress,
  store,
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
    const link = { identity, account: accountToStore(identity), user, passkey: passkey.authenticator, isStillAllowed }
    if (!isSameUser(await linkAccount(link), user)) throw notLinked(account)
    return { user, isNewUser: false, added: 'passkey' }
  }

  /** An attacker can register a passkey with the id of another user's passkey, so it must never replace that one (WEBAUTHN-11). */
  const requireUnknown = async ({ account }: Identity, { credentialID }: NewPasskey): Promise<void> => {
    if (await users.byAccount(account)) throw notLinked(account)
    if (await store.getAuthenticator(credentialID)) throw notLinked(account)
  }

  const signUp = async (identity: Identity, passkey: NewPasskey): Promise<Settlement> => {
    const { account, user } = identity
    // Visitors enter the address themselves, so it is not confirmed, even where the application's function says that it is.
    const { id: _, emailVerified: __, ...entered } = user as Identity['user'] & Partial<AdapterUser>
    const requireFreeAddress = async () => {
      if (entered.email && (await users.byEmail(entered.email))) throw notLinked(account)
    }
    const newUser = { fields: entered as AdapterUser, account: accountToStore(identity), passkey }
    const { created, complete } = await withAddress(entered.email, async () => {
      await requireFreeAddress()
      return signUps.begin(identity, newUser).catch(async (error: unknown) => {
        // Another visitor may have signed up with the address at the same moment, in another process.
        await requireFreeAddress()
        throw error
      })
    })
    if (!isSameUser(await complete(), created)) throw notLinked(account)
    return { user: created, isNewUser: true }
  }

  return { find, settle, add }
}
