import { changes, lists, only, textOf } from '../../sign-in/list-actions.js'
import { act } from '../../sign-in/operation.js'
import * as operations from './operations.js'
import type { LinkedAccount } from './user-accounts.js'

const NO_ACCOUNTS = 'No list of accounts is kept here. It needs an adapter that lists and removes accounts.'

const publicAccount = only<LinkedAccount, keyof LinkedAccount>('id', 'provider', 'name', 'type', 'scope', 'isOnlyWayIn')

export const listAccounts = lists(NO_ACCOUNTS, async (caller) => ({
  accounts: (await act(operations.listAccounts, caller, [])).map(publicAccount),
}))

export const unlinkAccount = changes(NO_ACCOUNTS, async (caller, { id }) => {
  await act(operations.unlinkAccount, caller, [textOf(id, 'Say which account to remove: `id`.')])
  return { body: { unlinked: true } }
})
