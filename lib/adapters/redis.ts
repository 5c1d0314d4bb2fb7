import { randomId } from '../crypto/random.js'
import { AdapterError, InvalidConfiguration } from '../errors.js'
import type { Adapter, AdapterAccount, AdapterAuthenticator, AdapterUser, VerificationToken } from './adapter.js'
import { duplicateError } from './failures.js'
import { checkOptions, checkServer, isClientLike } from './redis/arguments.js'
import { CLIENT_METHODS, inBatches, type RedisClient, runScript, type Script, storeFailure } from './redis/client.js'
import type { RedisServer } from './redis/connect.js'
import { createEmails } from './redis/emails.js'
import { deleteLeftovers } from './redis/expired.js'
import { createKeys, type Keys } from './redis/keys.js'
import { createOwnClient } from './redis/own-client.js'
import { decodeReply, decodeRow, encodeRow, encodeValue, expiryOf, NO_EXPIRY, required, stored } from './redis/row.js'
import * as scripts from './redis/scripts.js'
import { createSessions } from './redis/sessions.js'
import { createSignUps, UNSETTLED_MS } from './redis/sign-up.js'
import { createStanding } from './redis/standing.js'
import { withOwnSignUp } from './sign-up.js'

export type { RedisClient } from './redis/client.js'
export type { RedisServer } from './redis/connect.js'

/** Options of {@link redisAdapter}. */
export interface RedisAdapterOptions {
  /** Begins every key, so that applications can share a server; `latchkey:` by default. Without braces. */
  prefix?: string
  /**
   * Seconds that a client of the adapter's own waits for the answer to a command: 4 by default, `Infinity` for ever. A connection may take 3 at most. It should
   * be less than `storeTimeout` of the configuration. A client that is handed in has limits of its own.
   */
  commandTimeout?: number
}

/** Every method of the contract, and one to end with. */
export interface RedisAdapter extends Required<Adapter> {
  /** Closes the connection if the adapter made it itself; leaves a client that was handed in open. */
  close(): Promise<void>
}

/** Less than `storeTimeout`, so that the adapter ends what takes too long before everybody has given it up. */
const COMMAND_TIMEOUT = 4

/**
 * Keeps everything, or what `combineAdapters` routes to it, in Redis 6.2 or later, a single server or a cluster.
 *
 * Sessions and verification tokens leave by themselves when they expire. Every method fails with an {@link AdapterError}, free of
 * values; `cause.duplicate` is true when a row with the same key is there already. docs/guides/redis.md tells the keys, what one step does and
 * what it does not, and how to set the server up.
 *
 * @param server where the server is; or a client or a cluster of the `redis` package, connected
 * @throws {InvalidConfiguration} when `server` is neither, the prefix has braces, or an option is unusable
 */
export function redisAdapter(server: RedisClient | RedisServer, options: RedisAdapterOptions = {}): RedisAdapter {
  checkOptions(options)
  const { prefix = 'latchkey:', commandTimeout = COMMAND_TIMEOUT } = options
  const keys = createKeys(prefix)
  if (isClientLike(server)) return { ...adapterOver(requireClient(server), keys), close: async () => {} }
  checkServer(server)
  const client = createOwnClient(server, commandTimeout * 1000)
  return { ...adapterOver(client, keys), close: () => client.close() }
}

function requireClient(client: RedisClient): RedisClient {
  const missing = CLIENT_METHODS.filter((method) => typeof client?.[method] !== 'function')
  if (missing.length > 0) {
    throw new InvalidConfiguration(
      `redisAdapter() needs a client of the "redis" package; what it was given has no ${missing.join(', ')}.`,
    )
  }
  listen(client)
  return client
}

/** An error of a client that nobody listens to ends the process. What it means for a call, the call tells. */
function listen(client: RedisClient): void {
  const { on, listenerCount } = client as Partial<NodeJS.EventEmitter>
  if (typeof on !== 'function' || typeof listenerCount !== 'function') return
  if (listenerCount.call(client, 'error') === 0) on.call(client, 'error', () => {})
}

function adapterOver(client: RedisClient, keys: Keys): Required<Adapter> {
  const run = (script: Script, scriptKeys: string[], args: readonly string[] = []) =>
    runScript(client, script, scriptKeys, [...args])
  const emails = createEmails({ client, keys, run })
  const sessions = createSessions({ client, keys, run })

  const stands = createStanding({ keys, run })
  const createUserWithAccount = createSignUps({ client, keys, run }, emails)

  const userById = async (id: string) => {
    const fields = await client.hGetAll(keys.user(id))
    // Whose sign-up is under way may never be: nobody is let in as somebody who is about to go.
    return scripts.UNDER_WAY in fields ? null : decodeRow<AdapterUser>(fields)
  }
  const authenticatorById = async (id: string) =>
    decodeRow<AdapterAuthenticator>(await client.hGetAll(keys.authenticator(id)))

  const accountAndUser = async (provider: string, providerAccountId: string) => {
    const account = decodeRow<AdapterAccount>(await client.hGetAll(keys.account(provider, providerAccountId)))
    const user = account && (await userById(account.userId))
    return account && user ? { account, user } : null
  }

  /** Writes the account; one whose user is gone makes room. The user's set has it already, so a deletion finds it. */
  const insertAccount = async (account: AdapterAccount, key: string): Promise<boolean> => {
    if (await run(scripts.INSERT, [key], [...NO_EXPIRY, ...encodeRow(account)])) return true
    const present = decodeRow<AdapterAccount>(await client.hGetAll(key))
    if (present && (await stands(present.userId))) {
      if (String(present.userId) !== String(account.userId)) {
        await run(scripts.REMOVE, [keys.accountsOf(account.userId)], [key])
      }
      return false
    }
    if (present) await run(scripts.DELETE_OWNED, [key], [encodeValue(present.userId)])
    return Boolean(await run(scripts.INSERT, [key], [...NO_EXPIRY, ...encodeRow(account)]))
  }

  /** Whether what is here of a user is of one whose deletion broke off. Another may have the id since, in another store. */
  const isBeingDeleted = async (userId: string): Promise<boolean> =>
    Boolean(await run(scripts.IS_BEING_DELETED, [keys.user(userId), keys.deletion(userId)]))

  /** Deletes rows that a user's set names and that are still the user's, and then their names. */
  const deleteOwned = async (
    userId: string,
    set: string,
    members: readonly string[],
    keyOf: (member: string) => string,
  ): Promise<number> => {
    let deleted = 0
    await inBatches(members, async (members) => {
      const calls = members.map((member) => run(scripts.DELETE_OWNED, [keyOf(member)], [encodeValue(userId)]))
      deleted += (await Promise.all(calls)).filter((reply) => reply === 1).length
      await run(scripts.REMOVE, [set], members)
    })
    return deleted
  }

  /** Deletes all that is a user's, of whom nothing else is left. Gives how many accounts and passkeys that were. */
  const deleteHoldings = async (userId: string): Promise<number> => {
    const deleteSet = async (set: string, keyOf: (member: string) => string) => {
      const members = (await run(scripts.MEMBERS_TO_DELETE, [set, keys.deletion(userId)])) as string[]
      return deleteOwned(userId, set, members, keyOf)
    }
    const [accounts, authenticators] = await Promise.all([
      deleteSet(keys.accountsOf(userId), (key) => key),
      deleteSet(keys.authenticatorsOf(userId), keys.authenticator),
      sessions.deleteSessionsByUserId(userId),
    ])
    await run(scripts.DELETE_TEXT, [keys.deletion(userId)], ['1'])
    return accounts + authenticators
  }

  const methods = guarded({
    async createUser(given) {
      const user = { ...given, id: given.id || randomId() }
      const key = keys.user(user.id)
      // The user comes before the claim to the address, and stays only after it: an address never belongs to nobody, and a user
      // whose creation breaks off here leaves by itself.
      const expiry = user.email ? (['PEXPIRE', UNSETTLED_MS] as const) : NO_EXPIRY
      const isNew = await run(scripts.INSERT, [key], [...expiry, ...encodeRow(user)])
      if (!isNew) throw duplicateError('Another user has this id.')
      if (user.email) {
        const claimed = await emails.claim(user.email, user.id)
        const isKept = claimed !== null && (await run(scripts.KEEP, [key]))
        if (!isKept) {
          await run(scripts.TAKE, [key])
          if (claimed) await emails.release(user.email, claimed)
          if (claimed) throw new AdapterError('The user took too long to store.')
          throw duplicateError('Another user has this e-mail address.')
        }
      }
      return stored(user)
    },

    createUserWithAccount,

    getUser: userById,

    async getUserByEmail(email) {
      const id = await emails.holder(email)
      const user = id === null ? null : await userById(id)
      return user?.email === email ? user : null
    },

    async getUserByAccount({ provider, providerAccountId }) {
      return (await accountAndUser(provider, providerAccountId))?.user ?? null
    },

    async updateUser(changes) {
      const user = await userById(changes.id)
      if (!user) throw new AdapterError('There is no user with this id.')
      const { email, ...rest } = changes
      if (email !== undefined && email !== user.email) return emails.move(user, changes)
      const updated = await run(scripts.UPDATE, [keys.user(changes.id)], [...NO_EXPIRY, ...encodeRow(rest)])
      return required(decodeReply<AdapterUser>(updated), 'There is no user with this id.')
    },

    async deleteUser(userId) {
      const email = (await userById(userId))?.email
      const claim = email ? await emails.claimOf(email, userId) : null
      const user = decodeReply<AdapterUser>(await run(scripts.TAKE_USER, [keys.user(userId), keys.deletion(userId)]))
      // From here on nobody is signed in as the user. What is left of a call that breaks off is deleted by another call, or by deleteExpired().
      if (email && claim) await emails.release(email, claim)
      await deleteHoldings(userId)
      return user
    },

    async linkAccount(account) {
      const { userId } = account
      const key = keys.account(account.provider, account.providerAccountId)
      const accountsOfUser = keys.accountsOf(userId)
      const isUser = await run(scripts.ADD_TO_USER, [keys.user(userId), accountsOfUser], [key])
      if (!isUser) throw new AdapterError('There is no user with this id.')
      if (!(await insertAccount(account, key))) throw duplicateError('This account is linked already.')
      if (!(await run(scripts.EXISTS, [keys.user(userId)]))) {
        await deleteOwned(userId, accountsOfUser, await client.sMembers(accountsOfUser), (member) => member)
        throw new AdapterError('The user was deleted meanwhile.')
      }
      return stored(account)
    },

    async unlinkAccount({ provider, providerAccountId }) {
      const key = keys.account(provider, providerAccountId)
      const account = decodeReply<AdapterAccount>(await run(scripts.TAKE, [key]))
      if (account) await run(scripts.REMOVE, [keys.accountsOf(account.userId)], [key])
      return account ?? undefined
    },

    async getAccount(providerAccountId, provider) {
      return (await accountAndUser(provider, providerAccountId))?.account ?? null
    },

    async listAccountsByUserId(userId) {
      const names = await client.sMembers(keys.accountsOf(userId))
      const found = await Promise.all(names.map(async (key) => decodeRow<AdapterAccount>(await client.hGetAll(key))))
      return found.filter((row) => row !== null).filter((row) => String(row.userId) === String(userId))
    },

    ...sessions,

    async getSessionAndUser(sessionToken) {
      const session = await sessions.getSession(sessionToken)
      const user = session && (await userById(session.userId))
      return session && user ? { session, user } : null
    },

    async createVerificationToken(given) {
      const key = keys.verificationToken(given.identifier, given.token)
      await run(scripts.REPLACE, [key], [...expiryOf(given.expires), ...encodeRow(given)])
      return stored(given)
    },

    async useVerificationToken({ identifier, token }) {
      return decodeReply<VerificationToken>(await run(scripts.TAKE, [keys.verificationToken(identifier, token)]))
    },

    async createAuthenticator(given) {
      const key = keys.authenticator(given.credentialID)
      // Named before it is written, so that deleting the user finds it; a name without a passkey is passed over.
      const { userId } = given
      const ofUser = [keys.user(userId), keys.authenticatorsOf(userId), keys.deletion(userId)]
      const name = () => run(scripts.ADD_UNLESS_BEING_DELETED, ofUser, [given.credentialID])
      if (!(await name())) {
        await deleteHoldings(userId)
        if (!(await name())) throw new AdapterError('The user is being deleted.')
      }
      if (!(await run(scripts.INSERT, [key], [...NO_EXPIRY, ...encodeRow(given)]))) {
        const present = await authenticatorById(given.credentialID)
        if (present && String(present.userId) !== String(given.userId)) {
          await run(scripts.REMOVE, [keys.authenticatorsOf(given.userId)], [given.credentialID])
        }
        throw duplicateError('This passkey is registered already.')
      }
      return stored(given)
    },

    async getAuthenticator(credentialID) {
      const row = await authenticatorById(credentialID)
      return row && !(await isBeingDeleted(row.userId)) ? row : null
    },

    async listAuthenticatorsByUserId(userId) {
      if (await isBeingDeleted(userId)) return []
      const ids = await client.sMembers(keys.authenticatorsOf(userId))
      const found = await Promise.all(ids.map(authenticatorById))
      return found.filter((row) => row !== null).filter((row) => String(row.userId) === String(userId))
    },

    async updateAuthenticatorCounter(credentialID, newCounter) {
      const reply = await run(scripts.RAISE_COUNTER, [keys.authenticator(credentialID)], [encodeValue(newCounter)])
      return required(decodeReply<AdapterAuthenticator>(reply), 'There is no passkey with this id.')
    },

    async updateAuthenticator(credentialID, { name, lastUsedAt, credentialBackedUp }) {
      const fields = encodeRow({ credentialID, name, lastUsedAt, credentialBackedUp })
      const reply = await run(scripts.UPDATE, [keys.authenticator(credentialID)], [...NO_EXPIRY, ...fields])
      return required(decodeReply<AdapterAuthenticator>(reply), 'There is no passkey with this id.')
    },

    async deleteAuthenticator(credentialID) {
      const row = decodeReply<AdapterAuthenticator>(await run(scripts.TAKE, [keys.authenticator(credentialID)]))
      if (row) await run(scripts.REMOVE, [keys.authenticatorsOf(row.userId)], [credentialID])
      return row
    },

    deleteExpired: (options) => deleteLeftovers({ client, keys, run }, { deleteHoldings, emails }, options),
  })
  return withOwnSignUp(methods)
}

/** The methods, each of which fails with an {@link AdapterError} whatever the client throws. */
function guarded(methods: Required<Adapter>): Required<Adapter> {
  const entries = Object.entries(methods).map(([name, method]) => {
    const call = method as (...args: unknown[]) => unknown
    const guardedCall = async (...args: unknown[]) => {
      try {
        return await call(...args)
      } catch (error) {
        throw storeFailure(name, error)
      }
    }
    return [name, guardedCall]
  })
  return Object.fromEntries(entries) as Required<Adapter>
}
