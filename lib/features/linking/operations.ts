import { MissingAdapter, RequestRefused } from '../../kernel/errors.js'
import { object } from '../../kernel/object-shape.js'
import type { Config } from '../../sign-in/config.js'
import { happened } from '../../sign-in/happened.js'
import { type Operation, optional, REMOVAL, type RecentSignIn, sentBy } from '../../sign-in/operation.js'
import type { ServiceKey } from '../../sign-in/services.js'
import type { RemovalOptions } from '../../users/ways-in.js'
import type { AccountReference, LinkedAccount, UserAccounts } from './user-accounts.js'

/** The accounts of users at providers. Null if there is no store. */
export const ACCOUNTS: ServiceKey<UserAccounts | null> = { name: 'accounts' }

/** What the application knows about a user who removes an account, and asks of them. */
export interface UnlinkOptions extends RecentSignIn, RemovalOptions {}

export const listAccounts: Operation<[], readonly LinkedAccount[]> = {
  parameters: [],
  requires: accountsOf,
  run: async (asked) => accountsOf(asked.config).list(asked.userId()),
}

export const unlinkAccount: Operation<[account: AccountReference, options?: UnlinkOptions], LinkedAccount> = {
  parameters: ['account', 'options'],
  check: optional(object<UnlinkOptions>(REMOVAL)),
  requires: accountsOf,
  changes: true,
  recent: 'to remove an account',
  async run(asked, reference, { signsInOtherwise = false } = {}) {
    const accounts = accountsOf(asked.config)
    const { context } = asked
    const account = await accounts.unlink(asked.userId(), known(reference), {
      signsInOtherwise,
      source: context.source,
    })
    await happened.removed(sentBy(asked), {
      kind: 'account-unlinked',
      userId: asked.userId(),
      provider: account.provider,
    })
    return account
  },
}

function accountsOf({ services }: Config): UserAccounts {
  const accounts = services.get(ACCOUNTS)
  if (accounts) return accounts
  throw new MissingAdapter('Accounts are kept by an adapter, and the configuration has none.')
}

/** What a form brought may be anything. */
function known(reference: unknown): AccountReference {
  if (typeof reference === 'string') return reference
  const { provider, providerAccountId } = Object(reference) as Record<string, unknown>
  if (typeof provider === 'string' && typeof providerAccountId === 'string') return { provider, providerAccountId }
  throw new RequestRefused(404, 'There is no such account.')
}
