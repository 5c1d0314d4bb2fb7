import type { AdapterAccount, AdapterAuthenticator } from '../adapters/adapter.js'
import type { AdapterCalls } from '../adapters/adapter-calls.js'

/** The account of a passkey, without which it signs nobody in, at whichever of the passkey providers it is; null when there is none. */
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
