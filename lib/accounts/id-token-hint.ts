import type { Adapter, ProviderSession } from '../adapters/adapter.js'
import { adapterCalls, missingMethods } from '../adapters/adapter-calls.js'
import type { LoggerInstance } from '../logger.js'
import { idTokenOf } from './id-token-of.js'

const METHODS = ['listAccountsByUserId'] as const

/**
 * The stored ID token of the person whose session at a provider ends, for `id_token_hint`. It may have expired: a provider
 * must accept that. Null if none is stored, or it is of another subject.
 *
 * @throws {AdapterError} when the store fails
 * @see OpenID Connect RP-Initiated Logout 1.0 §2
 */
export async function idTokenHint(
  adapter: Adapter | null,
  userId: string | null,
  { provider, subject }: ProviderSession,
  logger: LoggerInstance,
): Promise<string | null> {
  if (adapter === null || userId === null || subject === undefined) return null
  if (missingMethods(adapter, METHODS).length > 0) return null
  const { decodeJwt } = await import('jose')
  /** It was verified when it was stored. Here it is only told from that of another account of the user. */
  const subjectOf = (idToken: string): string | undefined => {
    try {
      return decodeJwt(idToken).sub
    } catch {
      return undefined
    }
  }
  const calls = adapterCalls(adapter, METHODS, 'signing out at a provider', logger)
  for (const account of await calls.listAccountsByUserId(userId)) {
    if (account.provider !== provider) continue
    const idToken = await idTokenOf(account)
    if (idToken !== null && subjectOf(idToken) === subject) return idToken
  }
  return null
}
