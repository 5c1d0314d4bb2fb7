import type { AdapterAccount, AdapterUser } from '../adapters/adapter.js'
import type { Store } from '../adapters/gateway.js'
import type { Account } from '../providers/provider.js'
import type { AccountName } from './token-encryption.js'
import type { TokenRows } from './token-rows.js'

/** The methods that a store of tokens alone needs beyond those of every store with tokens. */
export const SEPARATE_STORE_METHODS = ['getUser', 'createUser', 'linkAccount', 'unlinkAccount', 'getAccount'] as const

/** A store that has the tokens of accounts, and nothing else. */
export interface SeparateStore {
  /** Stores the tokens of an account of a user. What the provider did not send again stays. */
  put(account: Account, userId: string): Promise<void>
  /** Deletes an account of a user, and gives it as it was; null if the user has none by that name. */
  take(account: AccountName & Pick<AdapterAccount, 'userId'>): Promise<AdapterAccount | null>
}

/**
 * The store of `accountTokens.store`. Accounts belong to users in every store, so each owner of tokens has a row there with
 * nothing but the id.
 */
export function createSeparateStore(store: Store, rows: TokenRows): SeparateStore {
  const requireOwner = async (id: string): Promise<void> => {
    if (await store.getUser(id)) return
    try {
      await store.createUser({ id, name: null, email: null, emailVerified: null } as unknown as AdapterUser)
    } catch (error) {
      // A concurrent sign-in of the same user may have been faster.
      if (!(await store.getUser(id))) throw error
    }
  }

  const take: SeparateStore['take'] = async ({ provider, providerAccountId, userId }) => {
    const row = (await store.getAccount(providerAccountId, provider)) ?? null
    // Another user may have signed in with it since it was removed, and has tokens of their own.
    if (row === null || String(row.userId) !== String(userId)) return null
    await store.unlinkAccount({ provider, providerAccountId })
    return row
  }

  const change = async (account: Account): Promise<boolean> =>
    rows.change(account, await rows.changesOf(account, account))

  return {
    take,
    async put(account, userId) {
      const { provider, providerAccountId } = account
      const stored = await store.getAccount(providerAccountId, provider)
      if (stored && String(stored.userId) === userId && (await change(account))) return
      // The account belongs to another user by now, so the old tokens are not theirs to use.
      if (stored) await store.unlinkAccount({ provider, providerAccountId })
      await requireOwner(userId)
      try {
        await store.linkAccount({ ...(await rows.encrypted(account)), userId } as AdapterAccount)
      } catch (error) {
        const concurrent = await store.getAccount(providerAccountId, provider)
        if (!concurrent || String(concurrent.userId) !== userId || !(await change(account))) throw error
      }
    },
  }
}
