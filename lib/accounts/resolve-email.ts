import type { AdapterUser } from '../adapters/adapter.js'
import { adapterCalls } from '../adapters/adapter-calls.js'
import type { Claim, HolderLookup, ResolvedUser } from './claim.js'
import { type Directory, isSame, type ResolverSettings, resolved } from './directory.js'

/** What somebody leaves behind who took an address that nobody had confirmed. */
const LEFT_BEHIND = [
  'listAuthenticatorsByUserId',
  'deleteAuthenticator',
  'listAccountsByUserId',
  'unlinkAccount',
  'deleteSessionsByUserId',
] as const

/** Resolves people who follow a mailed link. */
export function createEmailResolver(directory: Directory, settings: ResolverSettings) {
  const { adapter, hasPasskeys, sessionsNeedUser, tell, now } = settings
  const leftBehind = adapterCalls(adapter, LEFT_BEHIND, 'confirming an address', settings.logger)

  const resolveEmail = async (claim: Claim, holder: HolderLookup): Promise<ResolvedUser> => {
    const address = claim.account.providerAccountId
    const known = await directory.byEmail(address)
    if (known) return confirm(claim, known, holder)
    let made: AdapterUser
    try {
      made = await directory.users.createUser({ ...claim.user, email: address, emailVerified: new Date(now()) })
    } catch (error) {
      const first = await directory.byEmail(address)
      if (!first) throw error
      return confirm(claim, first, holder)
    }
    await tell.createUser(made)
    return resolved(claim, made, true)
  }

  const confirm = async (
    claim: Claim,
    { id, emailVerified }: AdapterUser,
    holder: HolderLookup,
  ): Promise<ResolvedUser> => {
    if (!emailVerified) await endUnconfirmed(id, holder)
    const user = await directory.users.updateUser({ id, emailVerified: emailVerified ?? new Date(now()) })
    await tell.updateUser(user)
    return resolved(claim, user, false)
  }

  /**
   * Ends the sessions and passkeys of a user whose address nobody had confirmed. Whoever signed up with somebody else's address would otherwise
   * stay, or come back, once that person confirms it (ACCT-05). Who is signed in as that user while confirming made them, and keeps them.
   */
  const endUnconfirmed = async (userId: string, holder: HolderLookup): Promise<void> => {
    const held = await holder()
    if (held && isSame(held, { id: userId })) return
    if (hasPasskeys && adapter.deleteAuthenticator) await endPasskeys(userId)
    if (sessionsNeedUser && adapter.deleteSessionsByUserId) await leftBehind.deleteSessionsByUserId(userId)
  }

  const endPasskeys = async (userId: string): Promise<void> => {
    for (const { credentialID } of await leftBehind.listAuthenticatorsByUserId(userId)) {
      await leftBehind.deleteAuthenticator(credentialID)
    }
    if (!adapter.listAccountsByUserId || !adapter.unlinkAccount) return
    for (const { type, provider, providerAccountId } of await leftBehind.listAccountsByUserId(userId)) {
      if (type === 'webauthn') await leftBehind.unlinkAccount({ provider, providerAccountId })
    }
  }

  return resolveEmail
}
