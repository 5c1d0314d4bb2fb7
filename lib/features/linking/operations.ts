import { MissingAdapter, RequestRefused } from '../../kernel/errors.js'
import { object } from '../../kernel/object-shape.js'
import type { Config } from '../../sign-in/config.js'
import { type Asked, type Operation, optional, REMOVAL, type RecentSignIn } from '../../sign-in/operation.js'
import type { AccountNotice } from '../notices/account-notices.js'
import type { RemovalOptions } from '../passkeys/user-passkeys.js'
import type { AccountReference, LinkedAccount, UserAccounts } from './user-accounts.js'

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
    const { source } = asked.context
    const account = await accounts.unlink(asked.userId(), known(reference), { signsInOtherwise, source })
    await tellOwner(asked, { kind: 'account-unlinked', provider: account.provider })
    return account
  },
}

function accountsOf({ accounts }: Config): UserAccounts {
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

/** A mail to the owner about a way to sign in, in the language of the request that removed it. */
export async function tellOwner(
  asked: Asked,
  { kind, provider }: Pick<AccountNotice, 'kind' | 'provider'>,
): Promise<void> {
  const { origin, source } = asked.context
  const acceptLanguage = asked.context.header('accept-language')
  await asked.config.notices?.send({ kind, provider, userId: asked.userId(), origin, acceptLanguage, source })
}
