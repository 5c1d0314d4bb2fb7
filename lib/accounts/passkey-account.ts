import type { AdapterAccount, AdapterAuthenticator } from '../adapters/adapter.js'
import type { Store } from '../adapters/gateway.js'

/**
 * The account of a passkey, at any of the passkey providers; null when there is none. A passkey without an account signs nobody in.
 */
export async function accountOfPasskey(
  store: Pick<Store, 'getAccount'>,
  passkeyProviders: readonly string[],
  { providerAccountId, userId }: AdapterAuthenticator,
): Promise<AdapterAccount | null> {
  for (const provider of passkeyProviders) {
    const account = await store.getAccount(providerAccountId, provider)
    if (account && String(account.userId) === String(userId)) return account
  }
  return null
}
