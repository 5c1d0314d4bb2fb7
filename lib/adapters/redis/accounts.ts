import { AdapterError } from '../../kernel/errors.js'
import {
  type Adapter,
  type AdapterAccount,
  type AdapterAuthenticator,
  CHANGING_ACCOUNT_MEMBERS,
  type VerificationToken,
} from '../adapter.js'
import { duplicateError, requireRow } from '../failures.js'
import { decodeReply, encodeRow, encodeValue, expiryCommand, type RedisDependencies, stored } from './rows.js'
import * as scripts from './scripts.js'
import type { FindUser, IsSettled, OwnedRows } from './users.js'

export function createAccounts(
  { client, keys, run, rows }: RedisDependencies,
  findUser: FindUser,
  isSettled: IsSettled,
  owned: OwnedRows,
) {
  const findRow = async (key: string) => withoutDeleted(await rows.find<AdapterAccount>(key))

  const findAccountAndUser = async (provider: string, providerAccountId: string) => {
    const account = await findRow(keys.account(provider, providerAccountId))
    const user = account && (await findUser(account.userId))
    return account && user ? { account, user } : null
  }

  /**
   * Writes the account. An account whose user does not exist any more is replaced. The user's set names the account
   * already, so that a deletion of the user finds it.
   */
  const insert = async (account: AdapterAccount, key: string): Promise<boolean> => {
    if (await rows.insert(key, account)) return true
    const present = await findRow(key)
    if (present && (await isSettled(present.userId))) {
      if (String(present.userId) !== String(account.userId)) {
        await run(scripts.REMOVE, [keys.accountsOf(account.userId)], [key])
      }
      return false
    }
    if (present) await rows.deleteOwned(key, present.userId)
    return rows.insert(key, account)
  }

  return {
    async getUserByAccount({ provider, providerAccountId }) {
      return (await findAccountAndUser(provider, providerAccountId))?.user ?? null
    },

    async linkAccount(account) {
      const { userId } = account
      const key = keys.account(account.provider, account.providerAccountId)
      const accountsOfUser = keys.accountsOf(userId)
      const isUser = await run(scripts.ADD_TO_USER, [keys.user(userId), accountsOfUser], [key])
      if (!isUser) throw new AdapterError('There is no user with this id.')
      if (!(await insert(account, key))) throw duplicateError('This account is linked already.')
      if (!(await run(scripts.EXISTS, [keys.user(userId)]))) {
        await owned.deleteNamed(userId, accountsOfUser, await client.sMembers(accountsOfUser), (name) => name)
        throw new AdapterError('The user was deleted meanwhile.')
      }
      return stored(account)
    },

    async unlinkAccount({ provider, providerAccountId }) {
      const key = keys.account(provider, providerAccountId)
      const account = withoutDeleted(await rows.take<AdapterAccount>(key))
      if (account) await run(scripts.REMOVE, [keys.accountsOf(account.userId)], [key])
      return account ?? undefined
    },

    async getAccount(providerAccountId, provider) {
      return (await findAccountAndUser(provider, providerAccountId))?.account ?? null
    },

    async updateAccount({ provider, providerAccountId }, changes, expected = {}) {
      const given = CHANGING_ACCOUNT_MEMBERS.filter((name) => changes[name] !== undefined)
      const set = given.flatMap((name) => [name, encodeValue(changes[name])])
      const before = Object.entries(expected).flatMap(([name, value]) => [name, encodeValue(value) ?? ''])
      const args = [String(before.length), ...before, ...set]
      return (await run(scripts.CHANGE_ACCOUNT, [keys.account(provider, providerAccountId)], args)) === 1
    },

    async listAccountsByUserId(userId) {
      const found = await Promise.all((await client.sMembers(keys.accountsOf(userId))).map(findRow))
      return found.filter((row) => row !== null).filter((row) => String(row.userId) === String(userId))
    },
  } satisfies Adapter
}

/** The row without the members that `updateAccount` deleted: it writes null, because that needs no further permission. */
const withoutDeleted = (row: AdapterAccount | null): AdapterAccount | null =>
  row &&
  (Object.fromEntries(
    Object.entries(row).filter(([name, value]) => value !== null || !CHANGING.has(name)),
  ) as AdapterAccount)

const CHANGING: ReadonlySet<string> = new Set(CHANGING_ACCOUNT_MEMBERS)

export function createVerificationTokens({ keys, run, rows }: RedisDependencies) {
  return {
    async createVerificationToken(given) {
      const key = keys.verificationToken(given.identifier, given.token)
      await run(scripts.REPLACE, [key], [...expiryCommand(given.expires), ...encodeRow(given)])
      return stored(given)
    },

    async useVerificationToken({ identifier, token }) {
      return rows.take<VerificationToken>(keys.verificationToken(identifier, token))
    },

    async getVerificationToken({ identifier, token }) {
      return rows.find<VerificationToken>(keys.verificationToken(identifier, token))
    },
  } satisfies Adapter
}

const ABSENT = 'There is no passkey with this id.'

export function createAuthenticators({ client, keys, run, rows }: RedisDependencies, owned: OwnedRows) {
  const find = async (id: string) => rows.find<AdapterAuthenticator>(keys.authenticator(id))

  /**
   * Whether the deletion of a user was interrupted, and rows are left. In another store, a new user may have the same
   * id.
   */
  const isBeingDeleted = async (userId: string): Promise<boolean> =>
    Boolean(await run(scripts.IS_BEING_DELETED, [keys.user(userId), keys.deletion(userId)]))

  return {
    async createAuthenticator(given) {
      const { userId, credentialID } = given
      // The set of the user names the passkey before the passkey is written, so that a deletion of the user finds it. A
      // name without a passkey is ignored.
      const ofUser = [keys.user(userId), keys.authenticatorsOf(userId), keys.deletion(userId)]
      const addName = () => run(scripts.ADD_UNLESS_BEING_DELETED, ofUser, [credentialID])
      if (!(await addName())) {
        await owned.deleteAll(userId)
        if (!(await addName())) throw new AdapterError('The user is being deleted.')
      }
      if (!(await rows.insert(keys.authenticator(credentialID), given))) {
        const present = await find(credentialID)
        if (present && String(present.userId) !== String(userId)) {
          await run(scripts.REMOVE, [keys.authenticatorsOf(userId)], [credentialID])
        }
        throw duplicateError('This passkey is registered already.')
      }
      return stored(given)
    },

    async getAuthenticator(credentialID) {
      const row = await find(credentialID)
      return row && !(await isBeingDeleted(row.userId)) ? row : null
    },

    async listAuthenticatorsByUserId(userId) {
      if (await isBeingDeleted(userId)) return []
      const found = await Promise.all((await client.sMembers(keys.authenticatorsOf(userId))).map(find))
      return found.filter((row) => row !== null).filter((row) => String(row.userId) === String(userId))
    },

    async updateAuthenticatorCounter(credentialID, newCounter) {
      const reply = await run(scripts.RAISE_COUNTER, [keys.authenticator(credentialID)], [encodeValue(newCounter)])
      return requireRow(decodeReply<AdapterAuthenticator>(reply), ABSENT)
    },

    async updateAuthenticator(credentialID, { name, lastUsedAt, credentialBackedUp, credentialDeviceType }) {
      const changes = { credentialID, name, lastUsedAt, credentialBackedUp, credentialDeviceType }
      return requireRow(await rows.update<AdapterAuthenticator>(keys.authenticator(credentialID), changes), ABSENT)
    },

    async deleteAuthenticator(credentialID) {
      const row = await rows.take<AdapterAuthenticator>(keys.authenticator(credentialID))
      if (row) await run(scripts.REMOVE, [keys.authenticatorsOf(row.userId)], [credentialID])
      return row
    },
  } satisfies Adapter
}
