import type { AdapterUser } from '../adapters/adapter.js'
import type { EmailConfirmation } from './confirm-email.js'
import type { Directory, ResolverSettings } from './directory.js'
import type { Identity, PrincipalReader, ResolvedUser } from './identity.js'

/** Resolves people who follow a mailed link. */
export function createEmailResolver(
  directory: Directory,
  confirmation: EmailConfirmation,
  { emit, now }: Pick<ResolverSettings, 'emit' | 'now'>,
) {
  const resolveEmail = async (identity: Identity, readPrincipal: PrincipalReader): Promise<ResolvedUser> => {
    const address = identity.account.providerAccountId
    const known = await directory.byEmail(address)
    if (known) return confirm(identity, known, readPrincipal)
    let made: AdapterUser
    try {
      made = await directory.users.createUser({ ...identity.user, email: address, emailVerified: new Date(now()) })
    } catch (error) {
      const first = await directory.byEmail(address)
      if (!first) throw error
      return confirm(identity, first, readPrincipal)
    }
    await emit.createUser(made)
    return directory.resolved(identity, made, true)
  }

  const confirm = async (
    identity: Identity,
    known: AdapterUser,
    readPrincipal: PrincipalReader,
  ): Promise<ResolvedUser> => {
    const user = known.emailVerified ? await again(known) : await confirmation.byLink(known, readPrincipal)
    await emit.updateUser(user)
    return directory.resolved(identity, user, false)
  }

  const again = async (known: AdapterUser): Promise<AdapterUser> => {
    await confirmation.completed(known)
    const { id, emailVerified } = known
    return directory.users.updateUser({ id, emailVerified })
  }

  return resolveEmail
}
