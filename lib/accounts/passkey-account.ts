import type { AdapterAccount, AdapterAuthenticator } from '../adapters/adapter.js'
import type { AdapterCalls } from '../adapters/adapter-calls.js'

/**
 * The account of a passkey, at any of the passkey providers; null when there is none. A passkey without an account signs nobody in.
 */
export async function accountOfPasskey(
  { getAccount }: Pick<AdapterCalls<'getAccount'>, 'getAccount'>,
  passkeyProviders: readonly string[],
  { providerAccountId, userId }: AdapterAuthenticator,
): Promise<AdapterAccount | null> {
  for (const provider of passkeyProviders) {
    const account = await getAccount(providerAccountId, provider)
    if (account && String(account.userId) === String(userId)) return account
  }
  return null
}
