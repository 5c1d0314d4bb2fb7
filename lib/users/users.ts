import { createPasskeyKind } from '../features/passkeys/passkey-identity.js'
import type { Account, ProviderType } from '../providers/provider.js'
import { requireEnabled } from '../sessions/may-be-used.js'
import { createEmailConfirmation } from './confirm-email.js'
import { createCredentialsSettlement } from './credentials-identity.js'
import type { AccountsDependencies } from './dependencies.js'
import { createEmailKind } from './email-identity.js'
import type { Identity, IdentityKind, SettledUser, Settlement, Users } from './identity.js'
import { userDigest } from './initiator.js'
import { createAddressLock, createKeyedLock } from './keyed-lock.js'
import { createLinkAccount } from './link-account.js'
import { createOAuthKind } from './oauth-identity.js'
import { notLinked } from './refusals.js'
import { createRollback } from './rollback.js'
import { createSignUps } from './sign-up.js'
import { createSignedInUsers } from './signed-in-user.js'
import { createStoredUsers, requireUser } from './stored-users.js'
import { createUserAccess } from './user-access.js'

/** The users of an adapter. */
export function createUsers(dependencies: AccountsDependencies): Users {
  const { sessionsNeedUser, refusesDisabledUsers, storeTimeout } = dependencies
  const users = createStoredUsers(dependencies)
  const signedInUsers = createSignedInUsers({ ...dependencies, users })
  const rollback = createRollback({ ...dependencies, users })
  const linkAccount = createLinkAccount({ ...dependencies, users, rollback })
  const access = createUserAccess(dependencies)
  const confirmation = createEmailConfirmation({ ...dependencies, users, access })
  const signUps = createSignUps({ ...dependencies, users, access, linkAccount, rollback })
  const withAccount = createKeyedLock('account', storeTimeout * 1000)
  const withAddress = createAddressLock(storeTimeout * 1000)
  const parts = { ...dependencies, withAddress, users, signedInUsers, rollback, linkAccount, confirmation, signUps }
  const settleCredentials = createCredentialsSettlement(parts)
  const kinds = new Map<ProviderType, IdentityKind>()
  const kindOf = ({ type }: Account): IdentityKind | null => {
    if (type === 'credentials') return null
    const kind = kinds.get(type) ?? KINDS[type](parts)
    kinds.set(type, kind)
    return kind
  }

  const settledAs = ({ account }: Identity, settlement: Settlement): SettledUser => {
    const user = requireUser(settlement.user)
    return {
      ...settlement,
      user,
      account: { ...account, userId: user.id },
      // Also where the user has no address: the application may add one later, and its owner may confirm it.
      ...(users.mailsLinks && !user.emailVerified && { isUnconfirmed: true }),
    }
  }

  const settle: Users['settle'] = async (entry, readPrincipal) => {
    const { identity } = entry
    const { account } = identity
    const kind = kindOf(account)
    if (kind === null) return settleCredentials(entry)
    const settlement = await withAccount(accountKey(account), (hasWaited) =>
      kind.settle(hasWaited ? { ...entry, owner: null } : entry, readPrincipal),
    )
    return settledAs(identity, settlement)
  }

  return {
    async find(identity, isOwnerNeeded) {
      return { identity, ...NOTHING_FOUND, ...(await kindOf(identity.account)?.find?.(identity, isOwnerNeeded)) }
    },

    async settle(entry, readPrincipal) {
      const settled = await settle(entry, readPrincipal)
      if (refusesDisabledUsers) requireEnabled(settled.user)
      return settled
    },

    async add({ identity }, readPrincipal) {
      const { account } = identity
      const add = kindOf(account)?.add
      if (!add) throw notLinked(account)
      return settledAs(identity, await withAccount(accountKey(account), () => add(identity, readPrincipal)))
    },

    async recheck({ user, account, isUnconfirmed }) {
      // A token session is checked each time it is read, so only stored sessions are checked here.
      if (!isUnconfirmed || !sessionsNeedUser) return
      const current = await users.byId(user.id)
      if (current === null || current.emailVerified) throw notLinked(account)
    },

    async initiator(readPrincipal) {
      const signedIn = await signedInUsers.read(readPrincipal)
      return signedIn && userDigest(signedIn.user)
    },
  }
}

/** The kinds whose users Latchkey stores. */
const KINDS = {
  oauth: createOAuthKind,
  oidc: createOAuthKind,
  email: createEmailKind,
  webauthn: createPasskeyKind,
}

const NOTHING_FOUND = { owner: null, isAddition: false }

/** Mailed links to one address lead to one user, also where several providers send them. */
const accountKey = ({ type, provider, providerAccountId }: Account): string =>
  JSON.stringify(type === 'email' ? [providerAccountId] : [provider, providerAccountId])
