import { AdapterError } from '../../kernel/errors.js'
import { type Adapter, type AdapterAccount, CHANGING_ACCOUNT_MEMBERS } from '../adapter.js'
import { duplicateError } from '../failures.js'
import type { RedisDependencies } from './client.js'
import type { OwnedRows } from './owned-rows.js'
import { decodeReply, decodeRow, encodeRow, encodeValue, NO_EXPIRY, stored } from './row.js'
import * as rowScripts from './scripts/rows.js'
import { CHANGE_ACCOUNT } from './scripts/rows.js'
import * as userScripts from './scripts/users.js'
import type { IsSettled } from './settled-users.js'
import type { FindUser } from './users.js'

export function createAccounts(
  { client, keys, run }: RedisDependencies,
  findUser: FindUser,
  isSettled: IsSettled,
  owned: OwnedRows,
) {
  const findRow = async (key: string) => withoutDeleted(decodeRow<AdapterAccount>(await client.hGetAll(key)))

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
    if (await run(rowScripts.INSERT, [key], [...NO_EXPIRY, ...encodeRow(account)])) return true
    const present = await findRow(key)
    if (present && (await isSettled(present.userId))) {
      if (String(present.userId) !== String(account.userId)) {
        await run(rowScripts.REMOVE, [keys.accountsOf(account.userId)], [key])
      }
      return false
    }
    if (present) await run(rowScripts.DELETE_OWNED, [key], [encodeValue(present.userId)])
    return Boolean(await run(rowScripts.INSERT, [key], [...NO_EXPIRY, ...encodeRow(account)]))
  }

  return {
    async getUserByAccount({ provider, providerAccountId }) {
      return (await findAccountAndUser(provider, providerAccountId))?.user ?? null
    },

    async linkAccount(account) {
      const { userId } = account
      const key = keys.account(account.provider, account.providerAccountId)
      const accountsOfUser = keys.accountsOf(userId)
      const isUser = await run(userScripts.ADD_TO_USER, [keys.user(userId), accountsOfUser], [key])
      if (!isUser) throw new AdapterError('There is no user with this id.')
      if (!(await insert(account, key))) throw duplicateError('This account is linked already.')
      if (!(await run(rowScripts.EXISTS, [keys.user(userId)]))) {
        await owned.deleteNamed(userId, accountsOfUser, await client.sMembers(accountsOfUser), (name) => name)
        throw new AdapterError('The user was deleted meanwhile.')
      }
      return stored(account)
    },

    async unlinkAccount({ provider, providerAccountId }) {
      const key = keys.account(provider, providerAccountId)
      const account = withoutDeleted(decodeReply<AdapterAccount>(await run(rowScripts.TAKE, [key])))
      if (account) await run(rowScripts.REMOVE, [keys.accountsOf(account.userId)], [key])
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
      return (await run(CHANGE_ACCOUNT, [keys.account(provider, providerAccountId)], args)) === 1
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
