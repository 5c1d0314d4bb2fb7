import type { AdapterAccount, AdapterUser } from '../adapters/adapter.js'
import { AdapterError, withoutDetails } from '../kernel/errors.js'
import type { LogSource } from '../kernel/logger.js'
import type { Account } from '../providers/provider.js'
import type { UserDependencies } from './dependencies.js'
import type { StoredUsers } from './stored-users.js'

export type Rollback = ReturnType<typeof createRollback>

/**
 * Removes what a sign-in has stored when a later step of the sign-in fails. Its methods throw nothing: the error of that later step
 * is what the visitor and the log have to learn. A removal that fails, or that the adapter has no method for, is logged, with the
 * source of the sign-in.
 */
export function createRollback({
  users,
  store,
  accountTokens,
  logger,
}: Pick<UserDependencies, 'store' | 'accountTokens' | 'logger'> & { readonly users: StoredUsers }) {
  /** Returns what the work returns; undefined when it failed. */
  const orLogged = async <T>(
    message: string,
    source: LogSource | undefined,
    work: () => Promise<T>,
  ): Promise<T | undefined> => {
    try {
      return await work()
    } catch (error) {
      logger.error(new AdapterError(message, { err: withoutDetails(error) }), source)
      return undefined
    }
  }

  /** Unlinks an account of a user, and drops its tokens: a concurrent sign-in with the account may have stored them. */
  const unlinkAccount = async (account: Account, userId: string, source: LogSource | undefined): Promise<void> => {
    const { provider, providerAccountId } = account
    const work = async () => store.unlinkAccount({ provider, providerAccountId })
    await orLogged('An account that was linked in vain stays.', source, work)
    await accountTokens?.revoke({ ...account, userId } as AdapterAccount, source)
  }

  const deletePasskey = async (credentialID: string, source: LogSource | undefined): Promise<void> => {
    const work = async () => store.deleteAuthenticator(credentialID)
    await orLogged('A passkey that was stored in vain stays.', source, work)
  }

  /** Deletes the user, and with the user what the store deletes by itself. Returns false if it may not. */
  const deleteUnlessConfirmed = async (created: AdapterUser): Promise<boolean> => {
    // The owner of the address may have signed in as this user in the meantime.
    if (await users.wasConfirmedSince(created)) return false
    await store.deleteUser(created.id)
    return true
  }

  /** Deletes a user whom the sign-in created, unless another person has signed in as that user. Returns whether it deleted. */
  const deleteUser = async (created: AdapterUser, source: LogSource | undefined): Promise<boolean> => {
    const work = () => deleteUnlessConfirmed(created)
    return (await orLogged('A user who was made in vain could not be removed.', source, work)) ?? false
  }

  return {
    unlinkAccount,
    deletePasskey,
    deleteUser,

    /**
     * Deletes a user whom the sign-in created, with the account and the passkey of the sign-up. It deletes the user first, and
     * the store then deletes what belongs to the user. In the other order, a failure in between would leave a user without an
     * account, who could never sign in. If another person has signed in as that user, or this is not known, only the account
     * and the passkey are removed.
     *
     * @param credentialID null for a sign-up without a passkey
     */
    async deleteSignUp(
      created: AdapterUser,
      account: Account,
      credentialID: string | null,
      source: LogSource | undefined,
    ): Promise<void> {
      // A failure is not logged here: the steps below are tried next, and log their own failures.
      const isDeleted = await deleteUnlessConfirmed(created).catch(() => false)
      if (isDeleted) return accountTokens?.revoke({ ...account, userId: created.id } as AdapterAccount, source)
      if (credentialID !== null) await deletePasskey(credentialID, source)
      await unlinkAccount(account, created.id, source)
      await deleteUser(created, source)
    },
  }
}
