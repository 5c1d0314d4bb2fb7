import type { AdapterUser } from '../../adapters/adapter.js'
import { requireMethods } from '../../adapters/gateway.js'
import { AdapterError, InvalidConfiguration } from '../../kernel/errors.js'
import { isDisabled } from '../../sessions/may-be-used.js'
import type { ListedSession } from '../../sessions/session-manager.js'
import type { ListEvents } from '../../sign-in/config.js'
import type { SecurityEvent } from '../../sign-in/security-event.js'
import type { RemainingWay } from '../../users/ask-confirmation.js'
import type { UserDependencies } from '../../users/dependencies.js'
import { createUserAccess } from '../../users/user-access.js'
import { createStoredWays } from '../../users/ways-in.js'

/** What is stored about a person, without any secret: ready for `JSON.stringify`. */
export interface ExportedUser {
  /** Columns of your own are not among these members: only you know which of them are secret. */
  readonly user: Pick<AdapterUser, 'id' | 'name' | 'email' | 'emailVerified' | 'image'>
  /** Addresses with which they sign in beside `email`, where a user can have several. */
  readonly otherAddresses: readonly string[]
  /** Accounts at providers, without their tokens. None where the adapter cannot list them. */
  readonly accounts: readonly {
    readonly provider: string
    readonly providerAccountId: string
    /** What the provider granted (RFC 6749 §3.3); null if that is not known. */
    readonly scope: string | null
  }[]
  /** Without their keys. The dates are null where the store keeps none. */
  readonly passkeys: readonly {
    readonly credentialID: string
    readonly name: string | null
    readonly createdAt: Date | null
    readonly lastUsedAt: Date | null
    readonly transports: readonly string[]
    readonly backedUp: boolean
  }[]
  /** Without their tokens; null where nothing lists them. */
  readonly sessions: readonly Omit<ListedSession, 'isCurrent'>[] | null
  /** What has happened to the account, the newest first; null where nothing is kept of it. */
  readonly securityEvents: readonly SecurityEvent[] | null
  /** How many records there are of each kind, such as 1 `password`. What is in them is encrypted, and stays. */
  readonly records: Readonly<Record<string, number>>
}

/** What an export needs of a configuration. */
export interface Listings {
  /** Null if nothing lists them. */
  readonly sessionsOf: (userId: string) => Promise<readonly ListedSession[] | null>
  /** Null if none are kept. */
  readonly eventsOf: ListEvents | null
  /** Null if nobody has others. */
  readonly otherAddressesOf: ((user: AdapterUser) => Promise<readonly string[]>) | null
}

/** The users of an adapter. Each method gives null or false for an unknown user. */
export type People = ReturnType<typeof createPeople>

/** What code of the application does with the users of an adapter. */
export function createPeople(users: UserDependencies) {
  const { store, refusesDisabledUsers, holds = () => [] } = users
  const access = createUserAccess(users)
  const ways = createStoredWays(users)
  const find = async (userId: string): Promise<AdapterUser | null> => (await store.getUser(userId)) ?? null

  return {
    async setDisabled(userId: string, isWanted: boolean): Promise<boolean> {
      requireMethods(store, ['getUser', 'updateUser'], 'disabling users')
      if (!refusesDisabledUsers) throw new InvalidConfiguration(NOT_REFUSED)
      const user = await find(userId)
      if (user === null) return false
      const write = (disabled: unknown) =>
        store.updateUser({ id: user.id, disabled } as Partial<AdapterUser> & Pick<AdapterUser, 'id'>)
      // A sign-in that ran while they were disabled may have left a session that nobody could use until now.
      if (!isWanted && isDisabled(user)) await access.revokeSessions(userId)
      await write(isWanted)
      const stored = await find(userId)
      if (stored === null || !(isWanted ? saysYes(stored) : !isDisabled(stored))) {
        if (stored !== null) await write((user as { readonly disabled?: unknown }).disabled ?? null)
        throw new AdapterError(NOT_KEPT)
      }
      if (isWanted) await access.revokeSessions(userId)
      return true
    },

    /** Deletes a user with all that is theirs. Gives what may be left. */
    async remove(userId: string): Promise<readonly RemainingWay[] | null> {
      requireMethods(store, ['getUser', 'deleteUser'], 'deleting users')
      const user = await find(userId)
      if (user !== null) {
        // First, while the store still says which tokens there are at providers. All that they sign in with stays until the user is
        // gone: if the store refuses that, nobody must get in with less than before.
        await access.revokeTokens(userId, undefined)
        await access.revokeSessions(userId)
        await store.deleteUser(user.id)
        if (await find(userId)) throw new AdapterError('The store still has a user that it should have deleted.')
      }
      // What the store does not delete with its user, a sign-in added meanwhile, or an earlier call left that broke off. A session that
      // begins from now on finds no user.
      await access.revoke(userId, undefined)
      return user && access.remaining(userId)
    },

    async export(userId: string, { sessionsOf, eventsOf, otherAddressesOf }: Listings): Promise<ExportedUser | null> {
      const found = await find(userId)
      if (found === null) return null
      const { id, name = null, email, emailVerified, image = null } = found
      const accounts = await ways.accountsOf(userId)
      const passkeys = await ways.passkeysOf(userId)
      const sessions = await sessionsOf(userId)
      const records: Record<string, number> = {}
      for (const { kind, count } of holds()) records[kind] = await count(userId)
      return {
        user: { id, name, email, emailVerified, image },
        otherAddresses: otherAddressesOf ? await otherAddressesOf(found) : [],
        accounts: accounts
          .filter(({ type }) => type !== 'webauthn')
          .map(({ provider, providerAccountId, scope = null }) => ({ provider, providerAccountId, scope })),
        passkeys: passkeys.map((row) => ({
          credentialID: row.credentialID,
          name: row.name ?? null,
          createdAt: row.createdAt ?? null,
          lastUsedAt: row.lastUsedAt ?? null,
          transports: row.transports?.split(',') ?? [],
          backedUp: Boolean(row.credentialBackedUp),
        })),
        securityEvents: eventsOf ? await eventsOf(userId) : null,
        sessions: sessions?.map(({ isCurrent: _, ...session }) => session) ?? null,
        records,
      }
    },
  }
}

/**
 * Whether `disabled` was kept as yes. Every other value disables as well, but a column that makes a date of it would not keep the
 * "no" that lets the user in again.
 */
function saysYes(user: AdapterUser): boolean {
  const { disabled } = user as { readonly disabled?: unknown }
  return disabled instanceof Uint8Array ? isDisabled(user) : /^(?:true|t|1)$/i.test(String(disabled))
}

const NOT_REFUSED =
  'The configuration lets disabled users sign in. Set `session.refreshUser`, in seconds, which makes Latchkey look at `disabled`; any value will do where sessions are stored.'
const NOT_KEPT =
  'The adapter did not keep `disabled` of a user. Give the table of users a column `disabled` of booleans or integers, not of dates or texts; an adapter from npm needs it in its schema, too.'
