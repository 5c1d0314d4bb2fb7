import type { AdapterAuthenticator, AdapterUser } from '../adapters/adapter.js'
import { adapterCalls } from '../adapters/adapter-calls.js'
import { rescue } from '../awaitable.js'
import { accountToStore, type Directory, isSame, notLinked, type ResolverSettings, signInAgain } from './directory.js'
import type { Identity, PasskeyResult, PrincipalReader, ResolvedUser } from './identity.js'
import type { SignUps } from './sign-up.js'

/** Resolves people who prove a passkey, or make one. */
export function createPasskeyResolver(
  directory: Directory,
  signUps: SignUps,
  { adapter, emit, logger }: ResolverSettings,
) {
  const passkeys = adapterCalls(adapter, ['getAuthenticator', 'createAuthenticator'], 'registering a passkey', logger)

  const resolvePasskey = async (identity: Identity, readPrincipal: PrincipalReader): Promise<ResolvedUser> => {
    const { passkey } = identity
    if (passkey?.ceremony === 'register') return registerPasskey(identity, passkey, readPrincipal)
    const signedIn = await directory.signedInUser(readPrincipal)
    const owner = await directory.byAccount(identity.account)
    // A passkey proves who its owner is, and makes nobody: one that was removed meanwhile signs nobody in.
    if (!owner || !isSame(owner, identity.user) || (signedIn && !isSame(owner, signedIn.user)))
      throw notLinked(identity.account)
    return directory.resolved(identity, owner, false)
  }

  /** Adds a new passkey to whoever is signed in, or makes the user that it is the first of. */
  const registerPasskey = async (
    identity: Identity,
    { forUser, authenticator }: Extract<PasskeyResult, { ceremony: 'register' }>,
    readPrincipal: PrincipalReader,
  ): Promise<ResolvedUser> => {
    const signedIn = await directory.signedInUser(readPrincipal)
    if ((signedIn === null ? null : String(signedIn.user.id)) !== forUser) throw notLinked(identity.account)
    if (signedIn && !signedIn.isRecent) throw signInAgain(identity.account)
    // Nothing proves that a new passkey is not another's with the same id, so it can never stand for one that is there (WEBAUTHN-11).
    if (await directory.byAccount(identity.account)) throw notLinked(identity.account)
    if (await passkeys.getAuthenticator(authenticator.credentialID)) throw notLinked(identity.account)
    if (signedIn) {
      await addPasskey(identity, authenticator, signedIn.user, () =>
        directory.isStillHeld(signedIn.user, readPrincipal),
      )
      return directory.added(identity, signedIn)
    }
    // What somebody says of themselves confirms nothing, whoever says that it does.
    const { id: _, emailVerified: __, ...fields } = identity.user as Identity['user'] & Partial<AdapterUser>
    if (fields.email && (await directory.byEmail(fields.email))) throw notLinked(identity.account)
    const signUp = { fields: fields as AdapterUser, account: accountToStore(identity), passkey: authenticator }
    const begun = await rescue(
      async () => (await signUps.beginWhole(identity, signUp)) ?? beginInSteps(identity, signUp.fields, authenticator),
      async (error) => {
        // Somebody else may have signed up with the address at the same moment.
        if (fields.email && (await directory.byEmail(fields.email))) throw notLinked(identity.account)
        throw error
      },
    )
    await begun.complete()
    return directory.resolved(identity, begun.made, true)
  }

  /** Without a mark: nobody can prove later that it was they who made the passkey. */
  const beginInSteps = async (
    identity: Identity,
    fields: AdapterUser,
    authenticator: Omit<AdapterAuthenticator, 'userId'>,
  ): Promise<{ made: AdapterUser; complete(): Promise<unknown> }> => {
    const made = await directory.users.createUser(fields)
    return { made, complete: () => completeSteps({ ...identity, user: made }, made, authenticator) }
  }

  const completeSteps = async (
    identity: Identity,
    made: AdapterUser,
    authenticator: Omit<AdapterAuthenticator, 'userId'>,
  ): Promise<void> => {
    await emit.createUser(made)
    try {
      await addPasskey(identity, authenticator, made, () => directory.isStillNew(made))
    } catch (error) {
      await directory.removeUser(made)
      throw error
    }
  }

  /** Links the account and stores the passkey: both or neither. */
  const addPasskey = async (
    identity: Identity,
    authenticator: Omit<AdapterAuthenticator, 'userId'>,
    user: AdapterUser,
    isStillGood: () => Promise<boolean>,
  ): Promise<void> => {
    await directory.link(identity, user, accountToStore(identity), async () => true)
    try {
      await passkeys.createAuthenticator({ ...authenticator, userId: user.id })
      // No sooner: an adapter that cannot list accounts finds this one by the passkey only.
      if (!(await isStillGood())) {
        await directory.removePasskey(authenticator.credentialID)
        throw notLinked(identity.account)
      }
    } catch (error) {
      await directory.unlink(identity.account)
      throw error
    }
  }

  return resolvePasskey
}
