import type { Adapter, AdapterAuthenticator } from '../adapters/adapter.js'
import { type AdapterCalls, adapterCalls, missingMethods } from '../adapters/adapter-calls.js'
import type { Awaitable } from '../awaitable.js'
import { AdapterError, RequestRefused, withoutDetails } from '../errors.js'
import type { LoggerInstance } from '../logger.js'
import type { ProviderType } from '../providers/provider.js'
import { accountOfPasskey } from './passkey-account.js'

/** A passkey as its owner sees it. */
export interface Passkey {
  /** Base64; names the passkey in {@link PasskeyKeeper}. */
  readonly credentialID: string
  readonly name: string
  /** Null where the store keeps no dates. */
  readonly createdAt: Date | null
  /** Null when it was never used, or the store keeps no dates. */
  readonly lastUsedAt: Date | null
  /** `synced`: other devices of the person have it, or may get it. `device-bound`: it never leaves its device. */
  readonly kind: 'synced' | 'device-bound'
  /** Whether it is copied to other devices or a backup by now. */
  readonly backedUp: boolean
  /** How the authenticator can be reached: `internal`, `hybrid`, `usb`, … */
  readonly transports: readonly string[]
}

/** Whether a user can still sign in once a passkey is gone, beyond what the store knows. */
export interface RemovalOptions {
  /** Set it when the application knows of another way for this user, such as a password. */
  readonly signsInOtherwise?: boolean
}

/** The passkeys of users. Every method acts for one user, and on that user's passkeys only. */
export interface PasskeyKeeper {
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
   * @throws {RequestRefused} 404 when the user has no such passkey; 409 when it is the last way to sign in (ACCT-03)
   * @throws {AdapterError} when the store fails
   */
  remove(userId: string, credentialID: string, options?: RemovalOptions): Promise<Passkey>
}

/** What the keeper needs of a configuration. */
export interface PasskeyKeeperSettings {
  readonly adapter: Adapter
  /** The configured providers. */
  readonly providers: readonly { readonly id: string; readonly type: ProviderType }[]
  readonly logger: LoggerInstance
}

const MAX_NAME_LENGTH = 100
const METHODS = [
  'getUser',
  'getAuthenticator',
  'listAuthenticatorsByUserId',
  'createAuthenticator',
  'getAccount',
  'linkAccount',
  'unlinkAccount',
  'updateAuthenticator',
  'deleteAuthenticator',
] as const

/** The keeper over an adapter. Calling a method whose adapter methods are missing fails with an error that names them. */
export function createPasskeyKeeper({ adapter, providers, logger }: PasskeyKeeperSettings): PasskeyKeeper {
  const store: AdapterCalls<(typeof METHODS)[number]> = adapterCalls(adapter, METHODS, 'managing passkeys', logger)
  const idsOf = (...types: ProviderType[]) => providers.filter(({ type }) => types.includes(type)).map(({ id }) => id)
  const passkeyProviders = idsOf('webauthn')
  const accountProviders = new Set(idsOf('oauth', 'oidc'))
  const hasEmailSignIn = idsOf('email').length > 0

  const owned = async (userId: string, credentialID: string): Promise<AdapterAuthenticator> => {
    const row = await store.getAuthenticator(credentialID)
    // Another's passkey and none at all are the same to whoever asks (CVE-2025-71400).
    if (!row || row.credentialID !== credentialID || String(row.userId) !== String(userId)) {
      throw new RequestRefused(404, 'There is no such passkey.')
    }
    return row
  }

  const accountOf = (row: AdapterAuthenticator) => accountOfPasskey(store, passkeyProviders, row)

  /** Passkeys sign in only with their accounts, and accounts only while their provider is configured. */
  const canSignInWithout = async (userId: string, credentialID: string): Promise<boolean> => {
    for (const row of await store.listAuthenticatorsByUserId(userId)) {
      if (row.credentialID !== credentialID && (await accountOf(row))) return true
    }
    const accounts = (await adapter.listAccountsByUserId?.(userId)) ?? []
    if (accounts.some(({ provider }) => accountProviders.has(provider))) return true
    return hasEmailSignIn && Boolean((await store.getUser(userId))?.email)
  }

  const remove = async (userId: string, credentialID: string, { signsInOtherwise = false }: RemovalOptions) => {
    const row = await owned(userId, credentialID)
    const mayGo = async () => signsInOtherwise || (await canSignInWithout(userId, credentialID))
    if (!(await mayGo())) throw lastWay()
    requireMethods(adapter)
    const account = await accountOf(row)
    // The passkey goes first: one whose account goes and that stays itself would be listed, and sign nobody in.
    await store.deleteAuthenticator(credentialID)
    try {
      if (account)
        await store.unlinkAccount({ provider: account.provider, providerAccountId: account.providerAccountId })
    } catch (error) {
      await putBack(() => store.createAuthenticator(row))
      throw error
    }
    // Another process may have removed the other passkey meanwhile. Then both come back, rather than nobody can sign in.
    if (await mayGo()) return present(row)
    await putBack(async () => {
      if (account) await store.linkAccount(account)
      await store.createAuthenticator(row)
    })
    throw lastWay()
  }

  const putBack = async (work: () => Awaitable<unknown>): Promise<void> => {
    try {
      await work()
    } catch (error) {
      logger.error(new AdapterError('A passkey could not be put back.', { err: withoutDetails(error) }))
    }
  }

  return {
    async list(userId) {
      const rows = await store.listAuthenticatorsByUserId(userId)
      return rows.map(present).sort((one, other) => timeOf(one) - timeOf(other))
    },
    async rename(userId, credentialID, name) {
      const cleaned = typeof name === 'string' ? name.normalize('NFC').trim() : ''
      if (cleaned === '' || cleaned.length > MAX_NAME_LENGTH || /[\p{Cc}\p{Zl}\p{Zp}]/u.test(cleaned)) {
        throw new RequestRefused(400, `A passkey's name has 1 to ${MAX_NAME_LENGTH} characters, on one line.`)
      }
      await owned(userId, credentialID)
      return present(await store.updateAuthenticator(credentialID, { name: cleaned }))
    },
    remove: (userId, credentialID, options = {}) => remove(userId, credentialID, options),
  }
}

/** Half a removal is worse than none, so that a method which is missing must be missed before. */
function requireMethods(adapter: Adapter): void {
  const missing = missingMethods(adapter, [
    'deleteAuthenticator',
    'unlinkAccount',
    'linkAccount',
    'createAuthenticator',
  ])
  if (missing.length === 0) return
  throw new AdapterError(`The adapter has no ${missing.join(', ')}, which removing a passkey needs.`)
}

const lastWay = () => new RequestRefused(409, 'This is the last way to sign in. Add another one first.')

const timeOf = ({ createdAt }: Passkey) => createdAt?.getTime() ?? 0

function present(row: AdapterAuthenticator): Passkey {
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
