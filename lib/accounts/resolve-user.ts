import type { Account } from '../providers/provider.js'
import { createAddressLock } from './address-lock.js'
import { createEmailConfirmation } from './confirm-email.js'
import { type AccountsDependencies, hasMailedLinks } from './dependencies.js'
import type { Identity, IdentityResolver, PrincipalReader, Resolution, ResolvedUser } from './identity.js'
import { userDigest } from './initiator.js'
import { createKeyedLock } from './keyed-lock.js'
import { createLinkAccount } from './link-account.js'
import { notLinked } from './refusals.js'
import { createCredentialsResolver } from './resolve-credentials.js'
import { createEmailResolver } from './resolve-email.js'
import { createOAuthResolver } from './resolve-oauth.js'
import { createPasskeyResolver } from './resolve-passkey.js'
import { createRollback } from './rollback.js'
import { createSignUps } from './sign-up.js'
import { createSignedInUsers } from './signed-in-user.js'
import { createStoredUsers, requireUser } from './stored-users.js'

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
