import type { AdapterAuthenticator } from '../../adapters/adapter.js'
import { requireMethods } from '../../adapters/gateway.js'
import { RequestRefused } from '../../kernel/errors.js'
import { canBeShown } from '../../kernel/shown-name.js'
import type { UserDependencies } from '../../users/dependencies.js'
import {
  countWays,
  createStoredWays,
  createWaysIn,
  type LoggedFor,
  type RemovalOptions,
  type WaysIn,
} from '../../users/ways-in.js'

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
export type UserPasskeys = ReturnType<typeof createUserPasskeys>

export const MAX_NAME_LENGTH = 100

/**
 * The passkeys in the store of an adapter. A method that needs adapter methods which are missing fails with an error that names them.
 */
export function createUserPasskeys({
  store,
  providers,
  logger,
}: Pick<UserDependencies, 'store' | 'providers' | 'logger'>) {
  const { accountOfPasskey } = createStoredWays({ store, providers })
  const ways = createWaysIn({ store, providers, logger })

  const owned = async (userId: string, credentialID: string): Promise<AdapterAuthenticator> => {
    const row = await store.getAuthenticator(credentialID)
    // The answer is the same for another user's passkey and for one that does not exist (CVE-2025-71400).
    if (!row || row.credentialID !== credentialID || String(row.userId) !== String(userId)) {
      throw new RequestRefused(404, 'There is no such passkey.')
    }
    return row
  }

  /**
   * Removes a passkey, and the account that was linked for it. A passkey signs in only with its account, and an account only
   * while its provider is configured.
   *
   * @param isNeeded whether one has to stay in any case
   * @throws {RequestRefused} 404 when the user has no such passkey; 409 when it is the last sign-in method (ACCT-03), or one has to stay
   * @throws {AdapterError} when the store fails
   */
  const remove = async (
    userId: string,
    credentialID: string,
    { signsInOtherwise = false, source, isNeeded }: RemovalOptions & LoggedFor & { isNeeded(): Promise<boolean> },
  ): Promise<Passkey> => {
    const row = await owned(userId, credentialID)
    const requireLeft = async () => {
      if (!signsInOtherwise) await ways.requireLeft(userId, without(credentialID))
      if ((await isNeeded()) && without(credentialID)(await ways.read(userId)).passkeys.length === 0)
        throw new RequestRefused(409, 'The account must have a second factor, and has no other one.')
    }
    await requireLeft()
    requireMethods(store, REMOVAL_METHODS, 'removing a passkey')
    const account = await accountOfPasskey(row)
    // The passkey is deleted first: a passkey without its account would still be listed, and sign nobody in.
    await store.deleteAuthenticator(credentialID)
    const deleteAccount = async () => {
      if (account)
        await store.unlinkAccount({ provider: account.provider, providerAccountId: account.providerAccountId })
    }
    await ways.putBackUnless('A passkey', source, deleteAccount, () => store.createAuthenticator(row))
    await ways.putBackUnless('A passkey', source, requireLeft, async () => {
      if (account) await store.linkAccount(account)
      await store.createAuthenticator(row)
    })
    return toPasskey(row)
  }

  return {
    /** The oldest first, as far as the store keeps dates. */
    async list(userId: string): Promise<Passkey[]> {
      const rows = await store.listAuthenticatorsByUserId(userId)
      return rows.map(toPasskey).sort((one, other) => timeOf(one) - timeOf(other))
    },
    /**
     * @throws {RequestRefused} 404 when the user has no such passkey; 400 for a name that is empty or too long
     * @throws {AdapterError} when the store fails, or keeps no names
     */
    async rename(userId: string, credentialID: string, name: string): Promise<Passkey> {
      // The time for normalizing grows with the square of the length. A letter with three accents is one character after it.
      const cleaned = typeof name === 'string' && name.length <= 4 * MAX_NAME_LENGTH ? name.normalize('NFC').trim() : ''
      if (!canBeShown(cleaned) || cleaned.length > MAX_NAME_LENGTH) {
        throw new RequestRefused(
          400,
          `A passkey's name has 1 to ${MAX_NAME_LENGTH} characters on one line, which can be seen.`,
        )
      }
      await owned(userId, credentialID)
      return toPasskey(await store.updateAuthenticator(credentialID, { name: cleaned }))
    },
    remove,
    /** Whether a user has one way to sign in, as far as the store knows: it knows no passwords of an application. */
    hasOneWayIn: async (userId: string): Promise<boolean> => countWays(await ways.read(userId)) === 1,
  }
}

const REMOVAL_METHODS = ['deleteAuthenticator', 'unlinkAccount', 'linkAccount', 'createAuthenticator'] as const

const without =
  (credentialID: string) =>
  (ways: WaysIn): WaysIn => ({
    ...ways,
    passkeys: ways.passkeys.filter((passkey) => passkey.credentialID !== credentialID),
  })

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
