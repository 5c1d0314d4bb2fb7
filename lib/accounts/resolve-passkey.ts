import type { AdapterAuthenticator, AdapterUser } from '../adapters/adapter.js'
import { adapterCalls } from '../adapters/adapter-calls.js'
import { rescue } from '../awaitable.js'
import type { Claim, HolderLookup, PasskeyClaim, ResolvedUser } from './claim.js'
import { accountToStore, type Directory, isSame, notLinked, type ResolverSettings, signInAgain } from './directory.js'
import type { SignUps } from './sign-up.js'

/** Resolves people who prove a passkey, or make one. */
export function createPasskeyResolver(
  directory: Directory,
  signUps: SignUps,
  { adapter, tell, logger }: ResolverSettings,
) {
  const passkeys = adapterCalls(adapter, ['getAuthenticator', 'createAuthenticator'], 'registering a passkey', logger)

  const resolvePasskey = async (claim: Claim, holder: HolderLookup): Promise<ResolvedUser> => {
    const { passkey } = claim
    if (passkey?.ceremony === 'register') return registerPasskey(claim, passkey, holder)
    const holding = await directory.holdingOf(holder)
    const owner = await directory.byAccount(claim.account)
    // A passkey proves who its owner is, and makes nobody: one that was removed meanwhile signs nobody in.
    if (!owner || !isSame(owner, claim.user) || (holding && !isSame(owner, holding.user)))
      throw notLinked(claim.account)
    return directory.resolved(claim, owner, false)
  }

  /** Adds a new passkey to whoever is signed in, or makes the user that it is the first of. */
  const registerPasskey = async (
    claim: Claim,
    { forUser, authenticator }: Extract<PasskeyClaim, { ceremony: 'register' }>,
    holder: HolderLookup,
  ): Promise<ResolvedUser> => {
    const holding = await directory.holdingOf(holder)
    if ((holding === null ? null : String(holding.user.id)) !== forUser) throw notLinked(claim.account)
    if (holding && !holding.isRecent) throw signInAgain(claim.account)
    // Nothing proves that a new passkey is not another's with the same id, so it can never stand for one that is there (WEBAUTHN-11).
    if (await directory.byAccount(claim.account)) throw notLinked(claim.account)
    if (await passkeys.getAuthenticator(authenticator.credentialID)) throw notLinked(claim.account)
    if (holding) {
      await addPasskey(claim, authenticator, holding.user, () => directory.isStillHeld(holding.user, holder))
      return directory.added(claim, holding)
    }
    // What somebody says of themselves confirms nothing, whoever says that it does.
    const { id: _, emailVerified: __, ...fields } = claim.user as Claim['user'] & Partial<AdapterUser>
    if (fields.email && (await directory.byEmail(fields.email))) throw notLinked(claim.account)
    const signUp = { fields: fields as AdapterUser, account: accountToStore(claim), passkey: authenticator }
    const begun = await rescue(
      async () => (await signUps.beginWhole(claim, signUp)) ?? beginInSteps(claim, signUp.fields, authenticator),
      async (error) => {
        // Somebody else may have signed up with the address at the same moment.
        if (fields.email && (await directory.byEmail(fields.email))) throw notLinked(claim.account)
        throw error
      },
    )
    await begun.complete()
    return directory.resolved(claim, begun.made, true)
  }

  /** Without a mark: nobody can prove later that it was they who made the passkey. */
  const beginInSteps = async (
    claim: Claim,
    fields: AdapterUser,
    authenticator: Omit<AdapterAuthenticator, 'userId'>,
  ): Promise<{ made: AdapterUser; complete(): Promise<unknown> }> => {
    const made = await directory.users.createUser(fields)
    return { made, complete: () => completeSteps({ ...claim, user: made }, made, authenticator) }
  }

  const completeSteps = async (
    claim: Claim,
    made: AdapterUser,
    authenticator: Omit<AdapterAuthenticator, 'userId'>,
  ): Promise<void> => {
    await tell.createUser(made)
    try {
      await addPasskey(claim, authenticator, made, () => directory.isStillNew(made))
    } catch (error) {
      await directory.removeUser(made)
      throw error
    }
  }

  /** Links the account and stores the passkey: both or neither. */
  const addPasskey = async (
    claim: Claim,
    authenticator: Omit<AdapterAuthenticator, 'userId'>,
    user: AdapterUser,
    isStillGood: () => Promise<boolean>,
  ): Promise<void> => {
    await directory.link(claim, user, accountToStore(claim), async () => true)
    try {
      await passkeys.createAuthenticator({ ...authenticator, userId: user.id })
      // No sooner: an adapter that cannot list accounts finds this one by the passkey only.
      if (!(await isStillGood())) {
        await directory.removePasskey(authenticator.credentialID)
        throw notLinked(claim.account)
      }
    } catch (error) {
      await directory.unlink(claim.account)
      throw error
    }
  }

  return resolvePasskey
}
