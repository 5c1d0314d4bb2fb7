import { AccountNotLinked, AdapterError, CredentialsSignin } from '../kernel/errors.js'
import type { Account, ProviderType } from '../providers/provider.js'
import { requireEnabled } from '../sessions/may-be-used.js'
import { createEmailConfirmation, type EmailConfirmation } from './confirm-email.js'
import type { ProviderKind, UserDependencies } from './dependencies.js'
import {
  type Entry,
  type Identity,
  type IdentityKind,
  isAddressTrusted,
  type SettledUser,
  type Settlement,
  type Users,
} from './identity.js'
import { type AddressLock, createAddressLock, createKeyedLock } from './keyed-lock.js'
import { createLinkAccount, type LinkAccount } from './link-account.js'
import { notLinked } from './refusals.js'
import { createRollback, type Rollback } from './rollback.js'
import { createSignUps, type SignUps } from './sign-up.js'
import { createSignedInUsers, type SignedInUsers, userDigest } from './signed-in-user.js'
import { createStoredUsers, isSameUser, requireUser, type StoredUsers } from './stored-users.js'
import { createUserAccess } from './user-access.js'
import { createWaysIn, WAY_OF } from './ways-in.js'

/** What kinds of identities are made of. */
export interface UserParts extends UserDependencies {
  readonly users: StoredUsers
  readonly signedInUsers: SignedInUsers
  readonly linkAccount: LinkAccount
  readonly rollback: Rollback
  readonly confirmation: EmailConfirmation
  readonly signUps: SignUps
  readonly withAddress: AddressLock
}

/** Makes the kind of identity of one type of provider whose users are stored. */
export type KindMaker = (parts: UserParts) => IdentityKind

/**
 * The users of an adapter.
 *
 * @param makers of the kinds, by type of provider
 */
export function createUsers(dependencies: UserDependencies, makers: ReadonlyMap<string, KindMaker>): Users {
  const { store, providers, sessionsNeedUser, refusesDisabledUsers, endTokenSessions, storeTimeout, emit, now } =
    dependencies
  const users = createStoredUsers(dependencies)
  const signedInUsers = createSignedInUsers({ ...dependencies, users })
  const rollback = createRollback({ ...dependencies, users })
  const linkAccount = createLinkAccount({ ...dependencies, users, rollback })
  const access = createUserAccess(dependencies)
  const confirmation = createEmailConfirmation({ ...dependencies, users, access })
  const signUps = createSignUps({ ...dependencies, users, access, linkAccount, rollback })
  const withAccount = createKeyedLock('account', storeTimeout * 1000)
  const withAddress = createAddressLock(storeTimeout * 1000)
  const parts: UserParts = {
    ...dependencies,
    withAddress,
    users,
    signedInUsers,
    rollback,
    linkAccount,
    confirmation,
    signUps,
  }
  const settleCredentials = createCredentialsSettlement(parts)
  const kinds = new Map<ProviderType, IdentityKind>()
  const kindOf = ({ type }: Account): IdentityKind | null => {
    if (type === 'credentials') return null
    const make = makers.get(type)
    if (make === undefined) throw new AccountNotLinked(`Nobody signs in with an account of the type ${type}.`)
    const kind = kinds.get(type) ?? make(parts)
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

    async ownerOf(identity) {
      const { user, account } = identity
      if (account.type === 'credentials') return identity.isIdMadeUp ? null : users.byId(user.id)
      if (account.type === 'email') return users.byEmail(account.providerAccountId)
      const owner = await users.byAccount(account)
      return owner ?? (user.email && isAddressTrusted(identity) ? users.byEmail(user.email) : null)
    },

    async recheck({ user, account, isUnconfirmed }, hasFailed = false) {
      // Who deletes or disables a user, and then ends their token sessions, has ended this one, or is seen here.
      const mayOutlive = endTokenSessions !== undefined && store.has('getUser')
      // Whether an address is still unconfirmed is looked at each time a token session is read, but only here for a stored one.
      const mayBeConfirmed = isUnconfirmed && sessionsNeedUser
      if (!mayOutlive && !mayBeConfirmed && !(hasFailed && sessionsNeedUser)) return
      const current = await users.byId(user.id)
      if (current !== null) users.requireEnabled(current)
      // The users of credentials may be in a store of the application alone.
      else if (sessionsNeedUser || account.type !== 'credentials') throw notLinked(account)
      if (mayBeConfirmed && current?.emailVerified) throw notLinked(account)
    },

    async waysOf(userId) {
      if (!store.has('listAccountsByUserId')) return null
      const { accounts, passkeys, mailedLink } = await createWaysIn(dependencies).read(userId)
      const linked = new Set(accounts.map(({ provider }) => provider))
      const isWay = ({ id, type }: ProviderKind): boolean => {
        switch (WAY_OF[type]) {
          case 'account':
            return linked.has(id)
          case 'passkey':
            return passkeys.length > 0
          case 'mailed-link':
            return mailedLink
          case 'password':
            return true
        }
      }
      return providers.filter(isWay).map(({ id }) => id)
    },

    signedIn: signedInUsers.read,

    async changeAddress(user, { email, emailVerified = new Date(now()) }, source) {
      users.requireEnabled(user)
      try {
        // Both at once: no other request can confirm one address with the other.
        await store.updateUser({ id: user.id, email, emailVerified })
      } catch (error) {
        const holder = await users.byEmail(email)
        if (holder && !isSameUser(holder, user)) return null
        // The store may have done it, and its answer was lost.
        if (holder?.email !== email) throw error
      }
      const changed = await users.byId(user.id)
      if (changed?.email !== email) return null
      await emit('updateUser', { user: changed }, source)
      return changed
    },

    async initiator(readPrincipal) {
      const signedIn = await signedInUsers.read(readPrincipal)
      return signedIn && userDigest(signedIn.user)
    },
  }
}

const NOTHING_FOUND = { owner: null, isAddition: false }

/** Mailed links to one address lead to one user, also where several providers send them. */
const accountKey = ({ type, provider, providerAccountId }: Account): string =>
  JSON.stringify(type === 'email' ? [providerAccountId] : [provider, providerAccountId])

/** Visitors whom `authorize()` has identified. The users are the application's own, and Latchkey creates none. */
function createCredentialsSettlement({ users, store, sessionsNeedUser }: UserParts) {
  const { mailsLinks } = users
  return async ({ identity }: Entry): Promise<SettledUser> => {
    const { account, checkedFrom = Number.POSITIVE_INFINITY, isCreatedConfirmed = false } = identity
    const mayBeStored = sessionsNeedUser || (mailsLinks && store.has('getUser'))
    const stored = mayBeStored ? await users.byId(identity.user.id) : null
    if (sessionsNeedUser && !stored) {
      throw new AdapterError(
        'authorize() gave the id of no stored user. With stored sessions it must give a user that the adapter has, with its id.',
      )
    }
    if (stored !== null) users.requireEnabled(stored)
    // `authorize()` says what the application wants to know of them. Where Latchkey has checked the password, the sign-in may have waited
    // for a second factor, and they may have lost a role meanwhile.
    const user = identity.passwordVersion === undefined ? identity.user : (stored ?? identity.user)
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
