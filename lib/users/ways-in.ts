import type { AdapterAccount, AdapterAuthenticator } from '../adapters/adapter.js'
import type { Awaitable } from '../kernel/awaitable.js'
import { AdapterError, RequestRefused, withoutDetails } from '../kernel/errors.js'
import type { LogSource } from '../kernel/logger.js'
import type { ProviderType } from '../providers/provider.js'
import type { UserDependencies } from './dependencies.js'

/** What the application knows about how the user can sign in without what they remove. */
export interface RemovalOptions {
  /** Set it when this user has a sign-in method that the store does not know, for example a password. */
  readonly signsInOtherwise?: boolean
}

/** The request for which something is removed, as it came. Lines of the log are about it. */
export interface LoggedFor {
  readonly source?: LogSource | undefined
}

/**
 * What a user can sign in with, as far as the store knows. Passwords are not among it: those of the application are not known, and
 * where Latchkey keeps some, links are mailed as well. Whoever could use a password can then use a link.
 */
export interface WaysIn {
  /** All accounts at providers of OAuth and OpenID Connect, also at those that are not configured any more. */
  readonly allAccounts: readonly AdapterAccount[]
  /** Accounts at configured providers. */
  readonly accounts: readonly AdapterAccount[]
  /** Passkeys that have an account: the others sign nobody in. */
  readonly passkeys: readonly AdapterAuthenticator[]
  /** Whether links can be mailed to the user. */
  readonly mailedLink: boolean
}

/** What people sign in with at a provider. */
export type WayIn = 'account' | 'passkey' | 'mailed-link' | 'password'

/** By type of provider. The code of users asks by it, so a new type does not compile without one. */
export const WAY_OF: Readonly<Record<ProviderType, WayIn>> = {
  oauth: 'account',
  oidc: 'account',
  webauthn: 'passkey',
  email: 'mailed-link',
  credentials: 'password',
}

/** How many ways there are. */
export const countWays = ({ accounts, passkeys, mailedLink }: WaysIn): number =>
  accounts.length + passkeys.length + (mailedLink ? 1 : 0)

/**
 * The rows of what users sign in with, and the configured providers of each way. The gateway leaves out what a store lists of
 * other users.
 */
export function createStoredWays({ store, providers }: Pick<UserDependencies, 'store' | 'providers'>) {
  const idsOf = (way: WayIn) => providers.filter(({ type }) => WAY_OF[type] === way).map(({ id }) => id)
  const passkeyProviders = idsOf('passkey')
  return {
    idsOf,
    /** Of every type. None where the adapter cannot list them. */
    accountsOf: async (userId: string): Promise<AdapterAccount[]> =>
      (store.has('listAccountsByUserId') ? await store.listAccountsByUserId(userId) : null) ?? [],
    /** None where nobody can sign in with a passkey. */
    passkeysOf: async (userId: string): Promise<AdapterAuthenticator[]> =>
      (passkeyProviders.length > 0 ? await store.listAuthenticatorsByUserId(userId) : null) ?? [],
    /**
     * The account of a passkey, at any of the passkey providers; null when there is none. A passkey without an account signs
     * nobody in.
     */
    async accountOfPasskey({ providerAccountId, userId }: AdapterAuthenticator): Promise<AdapterAccount | null> {
      for (const provider of passkeyProviders) {
        const account = await store.getAccount(providerAccountId, provider)
        if (account && String(account.userId) === String(userId)) return account
      }
      return null
    },
  }
}

/** What keeps users from losing their last way in. What the adapter cannot list counts as not there, so that nothing is removed. */
export function createWaysIn({ store, providers, logger }: Pick<UserDependencies, 'store' | 'providers' | 'logger'>) {
  const { idsOf, accountsOf, passkeysOf, accountOfPasskey } = createStoredWays({ store, providers })
  const accountProviders = new Set(idsOf('account'))
  const hasEmailSignIn = idsOf('mailed-link').length > 0

  const usablePasskeysOf = async (userId: string): Promise<AdapterAuthenticator[]> => {
    if (!(store.has('listAuthenticatorsByUserId') && store.has('getAccount'))) return []
    const usable: AdapterAuthenticator[] = []
    for (const row of await passkeysOf(userId)) if (await accountOfPasskey(row)) usable.push(row)
    return usable
  }

  /** @throws {AdapterError} when the store fails */
  const read = async (userId: string): Promise<WaysIn> => {
    const allAccounts = (await accountsOf(userId)).filter(isOAuth)
    const usable = allAccounts.filter(({ provider }) => accountProviders.has(provider))
    const mailedLink = hasEmailSignIn && Boolean((await store.getUser(userId))?.email)
    return { allAccounts, accounts: usable, passkeys: await usablePasskeysOf(userId), mailedLink }
  }

  return {
    read,
    /**
     * Whoever removes a way in calls this before, and again afterwards within {@link putBackUnless}.
     *
     * @param left what is left of the ways; all by default
     * @throws {RequestRefused} 409 when nothing is left (ACCT-03)
     */
    async requireLeft(userId: string, left: (ways: WaysIn) => WaysIn = (ways) => ways): Promise<void> {
      if (countWays(left(await read(userId))) === 0)
        throw new RequestRefused(409, 'This is the last way to sign in. Add another one first.')
    },
    /**
     * Does what must follow a removal, and puts back what was removed if it fails: another process may have removed the other way
     * in meanwhile. Then each puts its own back, so that the user can sign in. Also if the store cannot say what is left.
     *
     * @param what was removed, for the log
     */
    async putBackUnless(
      what: string,
      source: LogSource | undefined,
      follow: () => Awaitable<unknown>,
      putBack: () => Awaitable<unknown>,
    ): Promise<void> {
      try {
        await follow()
      } catch (error) {
        try {
          await putBack()
        } catch (fault) {
          const err = withoutDetails(fault)
          logger.error(new AdapterError(`${what} could not be put back.`, { err }), source)
        }
        throw error
      }
    },
  }
}

const isOAuth = ({ type }: AdapterAccount): boolean => type === 'oauth' || type === 'oidc'
