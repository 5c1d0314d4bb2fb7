import type { Adapter, AdapterAccount, ProviderSession } from '../adapters/adapter.js'
import { adapterCalls, missingMethods } from '../adapters/adapter-calls.js'
import type { LoggerInstance } from '../logger.js'

const METHODS = ['listAccountsByUserId', 'updateAccount'] as const

/**
 * Deletes the refresh tokens that a user has of a provider at which their session has ended. A token with the scope
 * `offline_access` stays: it is for the time when nobody is signed in.
 *
 * @param subject of the account, if it is known; otherwise those of all accounts at the provider
 * @throws {AdapterError} when the store fails
 * @see OpenID Connect Back-Channel Logout 1.0 §2.7
 */
export async function dropRefreshTokens(
  adapter: Adapter | null,
  userId: string,
  { provider, subject }: Pick<ProviderSession, 'provider' | 'subject'>,
  logger: LoggerInstance,
): Promise<void> {
  if (adapter === null || missingMethods(adapter, METHODS).length > 0) return
  const calls = adapterCalls(adapter, METHODS, 'dropping refresh tokens', logger)
  const accounts = (await calls.listAccountsByUserId(userId)).filter((account) => account.provider === provider)
  // The id of an account is the subject, unless profile() of the provider makes another one.
  const own = accounts.filter(({ providerAccountId }) => providerAccountId === subject)
  for (const account of own.length > 0 ? own : accounts) {
    if (account.refresh_token == null || isForOffline(account)) continue
    const { providerAccountId } = account
    await calls.updateAccount({ provider, providerAccountId }, { refresh_token: null })
  }
}

const isForOffline = ({ scope }: AdapterAccount): boolean => scope?.split(' ').includes('offline_access') ?? false
