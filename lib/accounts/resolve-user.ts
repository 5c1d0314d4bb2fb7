import type { AdapterUser } from '../adapters/adapter.js'
import { AdapterError, CredentialsSignin } from '../errors.js'
import type { LogSource } from '../logger.js'
import type { Account } from '../providers/provider.js'
import { createEmailConfirmation, type EmailConfirmation } from './confirm-email.js'
import { type AccountsDependencies, hasMailedLinks } from './dependencies.js'
import type { Identity, IdentityResolver, PrincipalReader, Resolution, ResolvedUser } from './identity.js'
import { userDigest } from './initiator.js'
import { type AddressLock, createAddressLock, createKeyedLock } from './keyed-lock.js'
import { createLinkAccount } from './link-account.js'
import { notLinked } from './refusals.js'
import { createOAuthResolver } from './resolve-oauth.js'
import { createPasskeyResolver } from './resolve-passkey.js'
import { createRollback } from './rollback.js'
import { createSignUps } from './sign-up.js'
import { createSignedInUsers } from './signed-in-user.js'
import { createStoredUsers, requireUser, type StoredUsers } from './stored-users.js'

/** The resolver over an adapter. */
export function createIdentityResolver(dependencies: AccountsDependencies): IdentityResolver {
  const { providers, sessionsNeedUser, storeTimeout } = dependencies
  const users = createStoredUsers(dependencies)
  const signedInUsers = createSignedInUsers({ ...dependencies, users })
  const rollback = createRollback({ ...dependencies, users })
  const linkAccount = createLinkAccount({ ...dependencies, users, rollback })
  const confirmation = createEmailConfirmation({ ...dependencies, users })
  const signUps = createSignUps({ ...dependencies, users, linkAccount, rollback })
  const withAccount = createKeyedLock('account', storeTimeout * 1000)
  const withAddress = createAddressLock(storeTimeout * 1000)
  const parts = { ...dependencies, withAddress, users, signedInUsers, rollback, linkAccount, confirmation, signUps }
  const resolveOAuth = createOAuthResolver(parts)
  const resolveEmail = createEmailResolver(parts)
  const resolvePasskey = createPasskeyResolver(parts)
  const resolveCredentials = createCredentialsResolver(parts)
  const mailsLinks = hasMailedLinks(providers)

  const resolveStored = (identity: Identity, readPrincipal: PrincipalReader): Promise<Resolution> => {
    if (isOAuth(identity.account)) return resolveOAuth(identity, readPrincipal)
    if (identity.account.type === 'email') return resolveEmail(identity, readPrincipal)
    return resolvePasskey(identity, readPrincipal)
  }

  const toResolvedUser = ({ account }: Identity, resolution: Resolution): ResolvedUser => {
    const user = requireUser(resolution.user)
    return {
      ...resolution,
      user,
      account: { ...account, userId: user.id },
      // Also where the user has no address: the application may add one later, and its owner may confirm it.
      ...(mailsLinks && !user.emailVerified && { isUnconfirmed: true }),
    }
  }

  return {
    // Resolving looks the account up once more, under the lock. In between, the signIn callback has run, a concurrent sign-in may have
    // linked the account, or a confirmation of the address may have revoked it.
    known: ({ account }) => (isOAuth(account) ? users.byAccount(account) : Promise.resolve(null)),

    async initiator(readPrincipal) {
      const signedIn = await signedInUsers.read(readPrincipal)
      return signedIn && userDigest(signedIn.user)
    },

    async resolve(identity, readPrincipal) {
      if (identity.account.type === 'credentials') return resolveCredentials(identity)
      const resolution = await withAccount(accountKey(identity.account), () => resolveStored(identity, readPrincipal))
      return toResolvedUser(identity, resolution)
    },

    async recheck({ user, account, isUnconfirmed }) {
      // A token session is checked each time it is read, so only stored sessions are checked here.
      if (!isUnconfirmed || !sessionsNeedUser) return
      const current = await users.byId(user.id)
      if (current === null || current.emailVerified) throw notLinked(account)
    },
  }
}

const isOAuth = ({ type }: Account) => type === 'oauth' || type === 'oidc'

/** Mailed links to one address lead to one user, also where several providers send them. */
const accountKey = ({ type, provider, providerAccountId }: Account): string =>
  JSON.stringify(type === 'email' ? [providerAccountId] : [provider, providerAccountId])

/** Resolves visitors who follow a mailed link. */
function createEmailResolver({
  users,
  confirmation,
  withAddress,
  emit,
  now,
  store,
}: Pick<AccountsDependencies, 'store' | 'emit' | 'now'> & {
  readonly users: StoredUsers
  readonly confirmation: EmailConfirmation
  readonly withAddress: AddressLock
}) {
  const resolveEmail = async (
    { user, account, source }: Identity,
    readPrincipal: PrincipalReader,
  ): Promise<Resolution> => {
    const address = account.providerAccountId
    const { known, created } = await withAddress(address, () => findOrCreate({ ...user, email: address }))
    if (known) return signIn(known, readPrincipal, source)
    await emit('createUser', { user: created }, source)
    return { user: created, isNewUser: true }
  }

  const findOrCreate = async (
    user: Identity['user'] & { email: string },
  ): Promise<{ known: AdapterUser; created?: never } | { known: null; created: AdapterUser }> => {
    const known = await users.byEmail(user.email)
    if (known) return { known }
    try {
      return { known, created: await store.createUser({ ...user, emailVerified: new Date(now()) }) }
    } catch (error) {
      // A sign-in in another process may have created the user.
      const concurrent = await users.byEmail(user.email)
      if (!concurrent) throw error
      return { known: concurrent }
    }
  }

  const signIn = async (
    known: AdapterUser,
    readPrincipal: PrincipalReader,
    source: LogSource | undefined,
  ): Promise<Resolution> => {
    users.requireAdmitted(known)
    const user = known.emailVerified
      ? await signInConfirmed(known, source)
      : await confirmation.byLink(known, readPrincipal, source)
    await emit('updateUser', { user }, source)
    return { user, isNewUser: false }
  }

  const signInConfirmed = async (known: AdapterUser, source: LogSource | undefined): Promise<AdapterUser> => {
    await confirmation.resume(known, source)
    return users.setEmailVerified(known, known.emailVerified)
  }

  return resolveEmail
}

/** Resolves visitors whom `authorize()` has identified. The users are the application's own, and Latchkey creates none. */
function createCredentialsResolver({
  users,
  store,
  providers,
  sessionsNeedUser,
}: Pick<AccountsDependencies, 'store' | 'providers' | 'sessionsNeedUser'> & { readonly users: StoredUsers }) {
  const mailsLinks = hasMailedLinks(providers)
  return async (identity: Identity): Promise<ResolvedUser> => {
    const { user, account, checkedFrom = Number.POSITIVE_INFINITY, isCreatedConfirmed = false } = identity
    const mayBeStored = sessionsNeedUser || (mailsLinks && store.has('getUser'))
    const stored = mayBeStored ? await users.byId(user.id) : null
    if (sessionsNeedUser && !stored) {
      throw new AdapterError(
        'authorize() gave the id of no stored user. With stored sessions it must give a user that the adapter has, with its id.',
      )
    }
    if (stored !== null) users.requireAdmitted(stored)
    if (!mailsLinks || stored === null) return { user, account, isNewUser: false }
    // The owner of the address confirmed it while the application checked a password. That confirmation revoked the
    // password. A user whom `authorize()` has just created looks the same, unless it gives what `createUser` returned.
    if (!isCreatedConfirmed && stored.emailVerified && new Date(stored.emailVerified).getTime() > checkedFrom) {
      throw new CredentialsSignin(CONFIRMED_MEANWHILE)
    }
    return { user, account, isNewUser: false, ...(!stored.emailVerified && { isUnconfirmed: true }) }
  }
}

const CONFIRMED_MEANWHILE =
  "The user's address was confirmed while what was entered was being checked. If authorize() itself has just created the user with " +
  '`emailVerified`, this sign-in is refused by mistake: return the object that `createUser` of an adapter of Latchkey gave, or ' +
  'create the user with an `emailVerified` from before the sign-in.'
