import type { Adapter, AdapterAccount, AdapterAuthenticator, AdapterUser } from '../adapters/adapter.js'
import { adapterCalls } from '../adapters/adapter-calls.js'
import { AdapterError } from '../errors.js'
import type { LoggerInstance } from '../logger.js'
import type { Account, ProviderType } from '../providers/provider.js'
import { accountOfPasskey } from './passkey-account.js'

/** What somebody can sign in with, or is signed in by, that Latchkey cannot end: the adapter has no method for it, or it is the application's own. */
export type RemainingWay = 'accounts' | 'passkeys' | 'sessions' | 'password'

/** What decides which ways in there can be, and which of them the adapter can end. */
export interface WaysInSettings {
  readonly adapter: Adapter
  /** The configured providers. */
  readonly providers: readonly { readonly id: string; readonly type: ProviderType }[]
  /** Whether sessions are rows of the store. */
  readonly sessionsNeedUser: boolean
}

/** How many ways in were ended. */
export interface EndedWays {
  readonly accounts: number
  readonly passkeys: number
}

/** The ways by which a user comes in, beside the mail of their address. */
export interface WaysIn {
  /** Those that {@link end} would leave. */
  remaining(userId: string): Promise<readonly RemainingWay[]>
  /**
   * Ends all that the adapter can end. What came meanwhile is ended, too, and calling it again ends what a failure left.
   *
   * @throws {AdapterError} when the store fails, or does not do what it says
   */
  end(userId: string): Promise<EndedWays>
  /** Whether an account is all that its user can come in by, once their sessions are ended. False where that cannot be known. */
  isOnlyWay(account: Account, userId: string): Promise<boolean>
  /** Whether somebody may come in as a user. True where that cannot be known: of passwords the application alone knows, until the address is confirmed. */
  mayBeThere(user: Pick<AdapterUser, 'id' | 'emailVerified'>): Promise<boolean>
  endSessions(userId: string): Promise<void>
}

const METHODS = [
  'getAccount',
  'getUserByAccount',
  'listAccountsByUserId',
  'unlinkAccount',
  'listAuthenticatorsByUserId',
  'deleteAuthenticator',
  'deleteSessionsByUserId',
] as const

/** Whoever adds ways as fast as they are ended keeps the address from being confirmed, and not the owner from trying again. */
const MAX_ROUNDS = 3

/** What may remain of some user, as far as providers and adapter emit: nothing where mailed links are the only way to sign in. */
export function unendableWays({ adapter, providers, sessionsNeedUser }: WaysInSettings): RemainingWay[] {
  const kinds = new Set(providers.map(({ type }) => type))
  const { listAccountsByUserId, unlinkAccount, deleteAuthenticator, deleteSessionsByUserId, getUser } = adapter
  const hasAccounts = kinds.has('oauth') || kinds.has('oidc')
  const hasSessions = [...kinds].some((kind) => kind !== 'email')
  const ways: RemainingWay[] = []
  if (hasAccounts && !(listAccountsByUserId && unlinkAccount)) ways.push('accounts')
  if (kinds.has('webauthn') && !deleteAuthenticator && !unlinkAccount) ways.push('passkeys')
  // A session token is no session any more once the store says that the address was confirmed.
  if (hasSessions && !(sessionsNeedUser ? deleteSessionsByUserId : getUser)) ways.push('sessions')
  if (kinds.has('credentials')) ways.push('password')
  return ways
}

/** The ways in of the users of an adapter. */
export function createWaysIn(settings: WaysInSettings & { readonly logger: LoggerInstance }): WaysIn {
  const { adapter, providers, sessionsNeedUser } = settings
  const store = adapterCalls(adapter, METHODS, 'confirming an address', settings.logger)
  const idsOf = (type: ProviderType) => providers.filter((provider) => provider.type === type).map(({ id }) => id)
  const passkeyProviders = idsOf('webauthn')
  const hasPasskeys = passkeyProviders.length > 0
  const hasPasswords = idsOf('credentials').length > 0

  // Some stores compare ids in a lax way, and nobody's ways but the user's are to end.
  const ownOf = <Row extends { userId: string }>(userId: string, rows: readonly Row[] | null | undefined) =>
    (rows ?? []).filter((row) => String(row.userId) === String(userId))

  const accountsOf = async (userId: string): Promise<AdapterAccount[]> =>
    adapter.listAccountsByUserId ? ownOf(userId, await store.listAccountsByUserId(userId)) : []

  const passkeysOf = async (userId: string): Promise<AdapterAuthenticator[]> =>
    hasPasskeys ? ownOf(userId, await store.listAuthenticatorsByUserId(userId)) : []

  const unlink = async ({ provider, providerAccountId }: AdapterAccount): Promise<void> => {
    try {
      await store.unlinkAccount({ provider, providerAccountId })
    } catch (error) {
      // Some adapters throw when there is nothing to delete.
      if (await store.getUserByAccount({ provider, providerAccountId })) throw error
    }
  }

  /** Ends a passkey, and says whether there was anything to end. One that cannot be deleted ends with its account, without which it signs nobody in. */
  const endPasskey = async (row: AdapterAuthenticator): Promise<boolean> => {
    const account = await accountOfPasskey(store, passkeyProviders, row)
    if (account && adapter.unlinkAccount) await unlink(account)
    if (adapter.deleteAuthenticator) await store.deleteAuthenticator(row.credentialID)
    return account !== null || Boolean(adapter.deleteAuthenticator)
  }

  /** Ends what there is to end of accounts and passkeys, and counts it. */
  const endRound = async (userId: string): Promise<EndedWays> => {
    let passkeys = 0
    let accounts = 0
    if (adapter.deleteAuthenticator || adapter.unlinkAccount) {
      for (const row of await passkeysOf(userId)) if (await endPasskey(row)) passkeys += 1
    }
    if (adapter.unlinkAccount) {
      for (const account of await accountsOf(userId)) {
        await unlink(account)
        accounts += 1
      }
    }
    return { accounts, passkeys }
  }

  const endSessions = async (userId: string): Promise<void> => {
    if (sessionsNeedUser && adapter.deleteSessionsByUserId) await store.deleteSessionsByUserId(userId)
  }

  return {
    async remaining(userId) {
      const isThere: Partial<Record<RemainingWay, () => Promise<boolean>>> = {
        accounts: async () => !adapter.listAccountsByUserId || (await accountsOf(userId)).length > 0,
        passkeys: async () => (await passkeysOf(userId)).length > 0,
      }
      const ways: RemainingWay[] = []
      for (const way of unendableWays(settings)) if ((await isThere[way]?.()) ?? true) ways.push(way)
      return ways
    },

    async end(userId) {
      let accounts = 0
      let passkeys = 0
      for (let round = 1; ; round += 1) {
        const ended = await endRound(userId)
        if (ended.accounts + ended.passkeys === 0) break
        if (round > MAX_ROUNDS) {
          throw new AdapterError('The store still has accounts or passkeys that it was told to delete.')
        }
        accounts += ended.accounts
        passkeys += ended.passkeys
      }
      // Last, since whoever still had a way in could have come in by it.
      await endSessions(userId)
      return { accounts, passkeys }
    },

    async isOnlyWay({ provider, providerAccountId }, userId) {
      if (hasPasswords || !adapter.listAccountsByUserId) return false
      if (sessionsNeedUser && !adapter.deleteSessionsByUserId) return false
      const [only, ...others] = await accountsOf(userId)
      if (others.length > 0 || only?.provider !== provider) return false
      return only.providerAccountId === providerAccountId && (await passkeysOf(userId)).length === 0
    },

    async mayBeThere({ id, emailVerified }) {
      if (hasPasswords && !emailVerified) return true
      return (await accountsOf(id)).length > 0 || (await passkeysOf(id)).length > 0
    },

    endSessions,
  }
}
