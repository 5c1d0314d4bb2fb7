import type { AdapterUser } from '../adapters/adapter.js'
import type { Claim, HolderLookup, ResolvedUser } from './claim.js'
import type { EmailConfirmation } from './confirm-email.js'
import type { Directory, ResolverSettings } from './directory.js'

/** Resolves people who follow a mailed link. */
export function createEmailResolver(
  directory: Directory,
  confirmation: EmailConfirmation,
  { tell, now }: Pick<ResolverSettings, 'tell' | 'now'>,
) {
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
    return directory.resolved(claim, made, true)
  }

  const confirm = async (claim: Claim, known: AdapterUser, holder: HolderLookup): Promise<ResolvedUser> => {
    const user = known.emailVerified ? await again(known) : await confirmation.byLink(known, holder)
    await tell.updateUser(user)
    return directory.resolved(claim, user, false)
  }

  const again = async (known: AdapterUser): Promise<AdapterUser> => {
    await confirmation.completed(known)
    const { id, emailVerified } = known
    return directory.users.updateUser({ id, emailVerified })
  }

  return resolveEmail
}
