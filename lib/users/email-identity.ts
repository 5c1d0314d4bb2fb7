import type { AdapterUser } from '../adapters/adapter.js'
import { AccessDenied } from '../kernel/errors.js'
import type { LogSource } from '../kernel/logger.js'
import { randomId } from '../kernel/random.js'
import { askSignUp } from './ask-sign-up.js'
import type { Entry, Identity, IdentityKind, PrincipalReader, Settlement } from './identity.js'
import type { UserParts } from './users.js'

/** Visitors who follow a mailed link. Nothing is looked up before the `signIn` callback: whose the address is may change. */
export function createEmailKind(parts: UserParts): IdentityKind {
  const { users, confirmation, withAddress, emit, now, store } = parts
  const settle = async ({ identity }: Entry, readPrincipal: PrincipalReader): Promise<Settlement> => {
    const { user, account, isKnown, source } = identity
    const address = account.providerAccountId
    // Who was deleted meanwhile, or has another address now, is not made once more, with a role perhaps: whoever has the address is new.
    const stranger = isKnown ? { id: randomId(), email: address } : { ...user, email: address }
    const ofStranger = { ...identity, account: { ...account, userId: stranger.id } }
    const { known, created } = await withAddress(address, () => findOrCreate(ofStranger, stranger))
    if (known) return signIn(known, readPrincipal, source)
    await emit('createUser', { user: created }, source)
    return { user: created, isNewUser: true }
  }

  const findOrCreate = async (
    identity: Identity,
    user: Identity['user'] & { email: string },
  ): Promise<{ known: AdapterUser; created?: never } | { known: null; created: AdapterUser }> => {
    const known = await users.byEmail(user.email)
    if (known) return { known }
    // A password for somebody who is gone makes nobody new.
    if (identity.newPassword?.forUser) throw new AccessDenied('The user was deleted while somebody chose a password.')
    try {
      const admitted = await askSignUp(parts, identity, { ...user, emailVerified: new Date(now()) })
      return { known, created: await admitted.givingBackIfItFails(async () => store.createUser(admitted.fields)) }
    } catch (error) {
      // A sign-in in another process may have created the user, and used the invitation up for that.
      const concurrent = await users.byEmail(user.email)
      if (!concurrent) throw error
      return { known: concurrent }
    }
  }

  const signIn = async (
    known: AdapterUser,
    readPrincipal: PrincipalReader,
    source: LogSource | undefined,
  ): Promise<Settlement> => {
    users.requireEnabled(known)
    const { user, revoked } = known.emailVerified
      ? await confirmation.resume(known, source)
      : await confirmation.byLink(known, readPrincipal, source)
    await emit('updateUser', { user }, source)
    return { user, isNewUser: false, revoked }
  }

  return { settle }
}
