import type { AdapterAccount, AdapterAuthenticator, AdapterUser } from '../adapters/adapter.js'
import type { Store } from '../adapters/gateway.js'
import { AdapterError } from '../kernel/errors.js'
import type { LogSource } from '../kernel/logger.js'
import type { Account } from '../providers/provider.js'
import type { RemainingWay } from './ask-confirmation.js'
import type { ProviderKind, UserDependencies } from './dependencies.js'
import { createStoredWays, WAY_OF } from './ways-in.js'

/** What decides which access to users there can be, and which of it the adapter can revoke. */
type AccessSettings = Pick<UserDependencies, 'store' | 'providers' | 'sessionsNeedUser'>

/** How many there were of each kind: `accounts`, `passkeys`, and what features keep. */
export type RevokedAccess = Readonly<Record<string, number>>

export type UserAccess = ReturnType<typeof createUserAccess>

/**
 * How often access is revoked and looked up again. An attacker could add accounts as fast as they are revoked. Then the
 * confirmation fails after this number of rounds, and the owner of the address can try again.
 */
const MAX_ROUNDS = 3

/**
 * The kinds of access that may remain for some user, judged by the providers and the methods of the adapter. Empty where mailed
 * links are the only sign-in method.
 */
export function irrevocableAccess({
  store,
  providers,
  sessionsNeedUser,
}: Omit<AccessSettings, 'store'> & { readonly store: Pick<Store, 'has'> }): RemainingWay[] {
  const ways = new Set(providers.map(({ type }) => WAY_OF[type]))
  const hasSessions = [...ways].some((way) => way !== 'mailed-link')
  const kinds: RemainingWay[] = []
  if (ways.has('account') && !(store.has('listAccountsByUserId') && store.has('unlinkAccount'))) kinds.push('accounts')
  if (ways.has('passkey') && !store.has('deleteAuthenticator') && !store.has('unlinkAccount')) kinds.push('passkeys')
  // A session token is no longer valid when the store says that the address was confirmed after the sign-in.
  if (hasSessions && !store.has(sessionsNeedUser ? 'deleteSessionsByUserId' : 'getUser')) kinds.push('sessions')
  if (hasOwnPasswords(providers)) kinds.push('password')
  return kinds
}

/** Whether the application keeps passwords: only it knows who has one, and can take it away. */
const hasOwnPasswords = (providers: readonly ProviderKind[]): boolean =>
  providers.some(({ type, password }) => WAY_OF[type] === 'password' && !password)

/**
 * The access to users: accounts, passkeys, passwords and sessions. A mailed link is not counted, since it needs the user's address.
 * Each method throws an {@link AdapterError} when the store fails.
 */
export function createUserAccess(
  settings: AccessSettings & Pick<UserDependencies, 'accountTokens' | 'endTokenSessions' | 'holds' | 'logger'>,
) {
  const { store, providers, sessionsNeedUser, accountTokens, endTokenSessions, holds = () => [] } = settings
  const { accountsOf, passkeysOf, accountOfPasskey } = createStoredWays(settings)
  const mayHaveOwnPassword = hasOwnPasswords(providers)

  const unlink = async ({ provider, providerAccountId }: AdapterAccount): Promise<void> => {
    try {
      await store.unlinkAccount({ provider, providerAccountId })
    } catch (error) {
      // Some adapters throw when there is nothing to delete.
      if (await store.getUserByAccount({ provider, providerAccountId })) throw error
    }
  }

  /**
   * Returns whether there was anything to revoke. Where the adapter cannot delete the passkey, its account is unlinked: without the
   * account the passkey signs nobody in.
   */
  const revokePasskey = async (row: AdapterAuthenticator): Promise<boolean> => {
    const account = await accountOfPasskey(row)
    if (account && store.has('unlinkAccount')) await unlink(account)
    if (store.has('deleteAuthenticator')) await store.deleteAuthenticator(row.credentialID)
    return account !== null || store.has('deleteAuthenticator')
  }

  /** Nobody waits for one provider after the other. */
  const revokeTokensOf = async (accounts: readonly AdapterAccount[], source: LogSource | undefined): Promise<void> => {
    await Promise.all(accounts.map(async (account) => accountTokens?.revoke(account, source)))
  }

  const revokeListed = async (userId: string, source: LogSource | undefined): Promise<RevokedAccess> => {
    let passkeys = 0
    let accounts = 0
    if (store.has('deleteAuthenticator') || store.has('unlinkAccount')) {
      for (const row of await passkeysOf(userId)) if (await revokePasskey(row)) passkeys += 1
    }
    if (store.has('unlinkAccount')) {
      const listed = await accountsOf(userId)
      for (const account of listed) await unlink(account)
      await revokeTokensOf(listed, source)
      accounts += listed.length
    }
    const held: Record<string, number> = {}
    for (const { kind, revoke } of holds()) held[kind] = await revoke(userId)
    return { accounts, passkeys, ...held }
  }

  const holdsAny = async (userId: string): Promise<boolean> => {
    for (const { count } of holds()) if ((await count(userId)) > 0) return true
    return false
  }

  /**
   * Revokes the sessions that a store knows. Those in tokens end with the confirmation anyway. Without this, a revocation
   * store would go on to list them, and to count the tokens that were issued in them.
   */
  const revokeSessions = async (userId: string): Promise<void> => {
    if (sessionsNeedUser && store.has('deleteSessionsByUserId')) await store.deleteSessionsByUserId(userId)
    await endTokenSessions?.(userId)
  }

  return {
    /** The kinds that {@link revoke} would leave. */
    async remaining(userId: string): Promise<readonly RemainingWay[]> {
      const exists: Partial<Record<RemainingWay, () => Promise<boolean>>> = {
        accounts: async () => !store.has('listAccountsByUserId') || (await accountsOf(userId)).length > 0,
        passkeys: async () => (await passkeysOf(userId)).length > 0,
      }
      const kinds: RemainingWay[] = []
      for (const kind of irrevocableAccess(settings)) if ((await exists[kind]?.()) ?? true) kinds.push(kind)
      return kinds
    },

    /**
     * Revokes all that the adapter can revoke, and what features keep; also what is added while this runs. After a failure, call
     * it again: it revokes the rest.
     *
     * @returns null if there was nothing, apart from sessions
     * @throws {AdapterError} when the store fails, or still has what it was asked to delete
     */
    async revoke(userId: string, source: LogSource | undefined): Promise<RevokedAccess | null> {
      const all: Record<string, number> = {}
      for (let round = 1; ; round += 1) {
        const revoked = Object.entries(await revokeListed(userId, source))
        if (revoked.every(([, count]) => count === 0)) break
        if (round > MAX_ROUNDS) {
          throw new AdapterError('The store still has accounts or passkeys that it should have deleted.')
        }
        for (const [kind, count] of revoked) all[kind] = (all[kind] ?? 0) + count
      }
      // Last: until all else is revoked, a new session could be started with it.
      await revokeSessions(userId)
      return Object.keys(all).length > 0 ? all : null
    },

    revokeSessions,

    /** Revokes the tokens of a user at providers. The accounts stay: the next sign-in brings others. */
    async revokeTokens(userId: string, source: LogSource | undefined): Promise<void> {
      await revokeTokensOf(await accountsOf(userId), source)
    },

    /** Whether an account is the only access to its user, apart from sessions. False where that cannot be known. */
    async isOnlyAccess({ provider, providerAccountId }: Account, userId: string): Promise<boolean> {
      if (mayHaveOwnPassword || !store.has('listAccountsByUserId')) return false
      if (sessionsNeedUser && !store.has('deleteSessionsByUserId')) return false
      const [only, ...others] = await accountsOf(userId)
      if (others.length > 0 || only?.provider !== provider) return false
      if (only.providerAccountId !== providerAccountId || (await passkeysOf(userId)).length > 0) return false
      return !(await holdsAny(userId))
    },

    /**
     * Whether there may be access to a user, apart from sessions. Until the address is confirmed the user may have a password of
     * the application; then this returns true.
     */
    async mayExist({ id, emailVerified }: Pick<AdapterUser, 'id' | 'emailVerified'>): Promise<boolean> {
      if (mayHaveOwnPassword && !emailVerified) return true
      return (await accountsOf(id)).length > 0 || (await passkeysOf(id)).length > 0 || holdsAny(id)
    },
  }
}
