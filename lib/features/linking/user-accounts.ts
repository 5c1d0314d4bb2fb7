import type { AdapterAccount } from '../../adapters/adapter.js'
import { requireMethods } from '../../adapters/gateway.js'
import { createPublicIds } from '../../kernel/digest.js'
import { AdapterError, RequestRefused } from '../../kernel/errors.js'
import type { Account } from '../../providers/provider.js'
import type { UserDependencies } from '../../users/dependencies.js'
import { createKeyedLock } from '../../users/keyed-lock.js'
import { createStoredUsers, requireUser } from '../../users/stored-users.js'
import { countWays, createWaysIn, type LoggedFor, type RemovalOptions, type WaysIn } from '../../users/ways-in.js'

/** An account at a provider as its user sees it. */
export interface LinkedAccount {
  /** Names the account in pages. It reveals nothing of it, and changes with the secret. */
  readonly id: string
  /** Id of the provider. */
  readonly provider: string
  /** Name of the provider; its id if it is not configured any more. */
  readonly name: string
  readonly type: 'oauth' | 'oidc'
  /** Id of the account at the provider. Browsers do not get it. */
  readonly providerAccountId: string
  /** What the provider granted (RFC 6749 §3.3); null if that is not known. */
  readonly scope: string | null
  /** Whether the user could not sign in without it, as far as the store knows: it knows no passwords. */
  readonly isOnlyWayIn: boolean
}

/** Which account: its {@link LinkedAccount.id}, or its names in the store. */
export type AccountReference = string | Pick<LinkedAccount, 'provider' | 'providerAccountId'>

/** The accounts of users at providers. Each method acts for one user, and on that user's accounts only. */
export type UserAccounts = ReturnType<typeof createUserAccounts>

const METHODS = ['listAccountsByUserId', 'linkAccount', 'unlinkAccount', 'getUserByAccount'] as const

const PURPOSE = 'managing accounts'

/** The accounts in the store of an adapter. */
export function createUserAccounts(dependencies: UserDependencies) {
  const { store, providers, secrets, storeTimeout, accountTokens, emit } = dependencies
  const users = createStoredUsers(dependencies)
  const ways = createWaysIn(dependencies)
  const ids = createPublicIds(secrets, 'account-id')
  const names = new Map(providers.map(({ id, name }) => [id, name]))
  const withUser = createKeyedLock('user', storeTimeout * 1000)

  const describe = (row: AdapterAccount, present: WaysIn): LinkedAccount => ({
    id: ids.make(keyOf(row)),
    provider: row.provider,
    name: names.get(row.provider) ?? row.provider,
    type: row.type === 'oidc' ? 'oidc' : 'oauth',
    providerAccountId: row.providerAccountId,
    scope: row.scope ?? null,
    isOnlyWayIn: countWays(present) === 1 && present.accounts.some((account) => isSame(account, row)),
  })

  const rowOf = (reference: AccountReference, { allAccounts }: WaysIn): AdapterAccount => {
    const isMeant = (row: AdapterAccount) =>
      typeof reference === 'string' ? ids.fits(reference, keyOf(row)) : isSame(reference, row)
    const row = allAccounts.find(isMeant)
    // The answer is the same for another user's account and for one that does not exist.
    if (!row) throw new RequestRefused(404, 'There is no such account.')
    return row
  }

  const deleteRow = async (row: AdapterAccount): Promise<void> => {
    const { provider, providerAccountId } = row
    let failure: unknown = null
    try {
      await store.unlinkAccount({ provider, providerAccountId })
    } catch (error) {
      failure = error
    }
    // Some adapters throw when there is nothing to delete, and a deletion may have happened although its answer was lost.
    if (!(await users.byAccount(row))) return
    throw failure ?? new AdapterError('The store still has an account that it should have deleted.')
  }

  const unlink = async (
    userId: string,
    reference: AccountReference,
    { signsInOtherwise = false, source }: RemovalOptions & LoggedFor,
  ) => {
    const present = await ways.read(userId)
    const row = rowOf(reference, present)
    const account = describe(row, present)
    // An account at a provider that is not configured signs nobody in. Without it, the user can do what they could before.
    const isWayIn = present.accounts.some((other) => isSame(other, row))
    const requireLeft = async () => {
      if (isWayIn && !signsInOtherwise) await ways.requireLeft(userId, without(row))
    }
    await requireLeft()
    const user = requireUser(await users.byId(userId))
    await deleteRow(row)
    await ways.putBackUnless('An account', source, requireLeft, () => store.linkAccount(row))
    await emit('unlinkAccount', { user, account: withoutTokens(row) }, source)
    await accountTokens?.revoke(row, source)
    return account
  }

  return {
    /** @throws {AdapterError} when the store fails; {@link MissingAdapterMethods} when it cannot list accounts */
    async list(userId: string): Promise<LinkedAccount[]> {
      requireMethods(store, ['listAccountsByUserId'], PURPOSE)
      const present = await ways.read(userId)
      return present.allAccounts.map((row) => describe(row, present))
    },
    /**
     * Removes an account, so that the user cannot sign in with it any more. Sessions go on.
     *
     * @returns the account that was removed
     * @throws {RequestRefused} 404 when the user has no such account; 409 when it is the last way to sign in (ACCT-03)
     * @throws {AdapterError} when the store fails, or still has the account; {@link MissingAdapterMethods} when it cannot
     *   remove accounts
     */
    async unlink(userId: string, reference: AccountReference, options: RemovalOptions & LoggedFor) {
      requireMethods(store, METHODS, PURPOSE)
      return withUser(String(userId), () => unlink(userId, reference, options))
    },
  }
}

const keyOf = ({ userId, provider, providerAccountId }: AdapterAccount): readonly string[] => [
  String(userId),
  provider,
  providerAccountId,
]

/** What the event has: whoever handles it needs no tokens. */
const withoutTokens = ({ userId, provider, providerAccountId, type }: AdapterAccount): Account => ({
  userId,
  provider,
  providerAccountId,
  type,
})

const isSame = (
  one: Pick<AdapterAccount, 'provider' | 'providerAccountId'>,
  other: Pick<AdapterAccount, 'provider' | 'providerAccountId'>,
): boolean => one.provider === other.provider && one.providerAccountId === other.providerAccountId

const without =
  (row: AdapterAccount) =>
  (ways: WaysIn): WaysIn => ({ ...ways, accounts: ways.accounts.filter((account) => !isSame(account, row)) })
