import type { AdapterUser } from '../adapters/adapter.js'
import type { EmailConfirmation } from './confirm-email.js'
import type { AccountsDependencies } from './dependencies.js'
import type { Identity, PrincipalReader, Resolution } from './identity.js'
import type { StoredUsers } from './stored-users.js'

/** Resolves visitors who follow a mailed link. */
export function createEmailResolver({
  users,
  confirmation,
  emit,
  now,
}: Pick<AccountsDependencies, 'emit' | 'now'> & {
  readonly users: StoredUsers
  readonly confirmation: EmailConfirmation
}) {
  const resolveEmail = async ({ user, account }: Identity, readPrincipal: PrincipalReader): Promise<Resolution> => {
    const address = account.providerAccountId
    const known = await users.byEmail(address)
    if (known) return signIn(known, readPrincipal)
    let created: AdapterUser
    try {
      created = await users.store.createUser({ ...user, email: address, emailVerified: new Date(now()) })
    } catch (error) {
      // A concurrent sign-in may have created the user.
      const concurrent = await users.byEmail(address)
      if (!concurrent) throw error
      return signIn(concurrent, readPrincipal)
    }
    await emit('createUser', { user: created })
    return { user: created, isNewUser: true }
  }

  const signIn = async (known: AdapterUser, readPrincipal: PrincipalReader): Promise<Resolution> => {
    const user = known.emailVerified ? await signInConfirmed(known) : await confirmation.byLink(known, readPrincipal)
    await emit('updateUser', { user })
    return { user, isNewUser: false }
  }

  const signInConfirmed = async (known: AdapterUser): Promise<AdapterUser> => {
    await confirmation.resume(known)
    const { id, emailVerified } = known
    return users.store.updateUser({ id, emailVerified })
  }

  return resolveEmail
}
