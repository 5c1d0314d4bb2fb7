import type { AdapterAuthenticator } from '../../adapters/adapter.js'
import { requireMethods } from '../../adapters/gateway.js'
import type { Awaitable } from '../../kernel/awaitable.js'
import { AdapterError, RequestRefused, withoutDetails } from '../../kernel/errors.js'
import type { LogSource } from '../../kernel/logger.js'
import type { ProviderType } from '../../providers/provider.js'
import type { AccountsDependencies } from '../../users/dependencies.js'
import { accountOfPasskey, createWaysIn, type LoggedFor, type RemovalOptions } from '../../users/ways-in.js'

/** A passkey as its owner sees it. */
export interface Passkey {
  /** Base64; names the passkey in `renamePasskey` and `removePasskey`. */
  readonly credentialID: string
  readonly name: string
  /** Null where the store keeps no dates. */
  readonly createdAt: Date | null
  /** Null when it was never used, or the store keeps no dates. */
  readonly lastUsedAt: Date | null
  /** `synced`: other devices of the person have it, or may get it. `device-bound`: it never leaves its device. */
  readonly kind: 'synced' | 'device-bound'
  /** Whether it was copied to other devices or to a backup. */
  readonly backedUp: boolean
  /** How the authenticator can be reached: `internal`, `hybrid`, `usb`, … */
  readonly transports: readonly string[]
}

/** The passkeys of users. Each method acts for one user, and on that user's passkeys only. */
export interface UserPasskeys {
  /** The oldest first, as far as the store keeps dates. */
  list(userId: string): Promise<Passkey[]>
  /**
   * @throws {RequestRefused} 404 when the user has no such passkey; 400 for a name that is empty or too long
   * @throws {AdapterError} when the store fails, or keeps no names
   */
  rename(userId: string, credentialID: string, name: string): Promise<Passkey>
  /**
   * Removes a passkey, and the account that was linked for it.
   *
   * @throws {RequestRefused} 404 when the user has no such passkey; 409 when it is the last sign-in method (ACCT-03)
   * @throws {AdapterError} when the store fails
   */
  remove(userId: string, credentialID: string, options?: RemovalOptions & LoggedFor): Promise<Passkey>
}

const MAX_NAME_LENGTH = 100

/**
 * The passkeys in the store of an adapter. A method that needs adapter methods which are missing fails with an error that names them.
 */
export function createUserPasskeys({
  store,
  providers,
  logger,
}: Pick<AccountsDependencies, 'store' | 'providers' | 'logger'>): UserPasskeys {
  const idsOf = (...types: ProviderType[]) => providers.filter(({ type }) => types.includes(type)).map(({ id }) => id)
  const passkeyProviders = idsOf('webauthn')
  const ways = createWaysIn({ store, providers })

  const owned = async (userId: string, credentialID: string): Promise<AdapterAuthenticator> => {
    const row = await store.getAuthenticator(credentialID)
    // The answer is the same for another user's passkey and for one that does not exist (CVE-2025-71400).
    if (!row || row.credentialID !== credentialID || String(row.userId) !== String(userId)) {
      throw new RequestRefused(404, 'There is no such passkey.')
    }
    return row
  }

  const accountOf = (row: AdapterAuthenticator) => accountOfPasskey(store, passkeyProviders, row)

  /** A passkey signs in only with its account, and an account only while its provider is configured. */
  const canSignInWithout = async (userId: string, credentialID: string): Promise<boolean> => {
    const { accounts, passkeys, mailedLink } = await ways.read(userId)
    return accounts.length > 0 || mailedLink || passkeys.some((passkey) => passkey.credentialID !== credentialID)
  }

  const remove = async (
    userId: string,
    credentialID: string,
    { signsInOtherwise = false, source }: RemovalOptions & LoggedFor,
  ) => {
    const row = await owned(userId, credentialID)
    const mayBeRemoved = async () => signsInOtherwise || (await canSignInWithout(userId, credentialID))
    if (!(await mayBeRemoved())) throw lastSignInMethod()
    requireMethods(store, REMOVAL_METHODS, 'removing a passkey')
    const account = await accountOf(row)
    // The passkey is deleted first: a passkey without its account would still be listed, and sign nobody in.
    await store.deleteAuthenticator(credentialID)
    try {
      if (account)
        await store.unlinkAccount({ provider: account.provider, providerAccountId: account.providerAccountId })
    } catch (error) {
      await putBack(source, () => store.createAuthenticator(row))
      throw error
    }
    // Another process may have removed the other passkey in the meantime. Then each puts its own back, so that the user can sign in.
    if (await mayBeRemoved()) return toPasskey(row)
    await putBack(source, async () => {
      if (account) await store.linkAccount(account)
      await store.createAuthenticator(row)
    })
    throw lastSignInMethod()
  }

  const putBack = async (source: LogSource | undefined, work: () => Awaitable<unknown>): Promise<void> => {
    try {
      await work()
    } catch (error) {
      logger.error(new AdapterError('A passkey could not be put back.', { err: withoutDetails(error) }), source)
    }
  }

  return {
    async list(userId) {
      const rows = await store.listAuthenticatorsByUserId(userId)
      return rows.map(toPasskey).sort((one, other) => timeOf(one) - timeOf(other))
    },
    async rename(userId, credentialID, name) {
      // The time for normalizing grows with the square of the length. A letter with three accents is one character after it.
      const cleaned = typeof name === 'string' && name.length <= 4 * MAX_NAME_LENGTH ? name.normalize('NFC').trim() : ''
      if (cleaned === '' || cleaned.length > MAX_NAME_LENGTH || /[\p{Cc}\p{Zl}\p{Zp}]/u.test(cleaned)) {
        throw new RequestRefused(400, `A passkey's name has 1 to ${MAX_NAME_LENGTH} characters, on one line.`)
      }
      await owned(userId, credentialID)
      return toPasskey(await store.updateAuthenticator(credentialID, { name: cleaned }))
    },
    remove: (userId, credentialID, options = {}) => remove(userId, credentialID, options),
  }
}

const REMOVAL_METHODS = ['deleteAuthenticator', 'unlinkAccount', 'linkAccount', 'createAuthenticator'] as const

const lastSignInMethod = () => new RequestRefused(409, 'This is the last way to sign in. Add another one first.')

const timeOf = ({ createdAt }: Passkey) => createdAt?.getTime() ?? 0

function toPasskey(row: AdapterAuthenticator): Passkey {
  return {
    credentialID: row.credentialID,
    name: row.name || 'Passkey',
    createdAt: dateOf(row.createdAt),
    lastUsedAt: dateOf(row.lastUsedAt),
    kind: row.credentialDeviceType === 'multiDevice' ? 'synced' : 'device-bound',
    backedUp: Boolean(row.credentialBackedUp),
    transports: row.transports ? row.transports.split(',') : [],
  }
}

const dateOf = (value: Date | null | undefined): Date | null => (value ? new Date(value) : null)
