import type { ProviderSession } from '../adapters/adapter.js'
import { coversScope } from './access-token.js'
import type { TokenRows } from './token-rows.js'

type At = Pick<ProviderSession, 'provider' | 'subject'>

/**
 * The stored ID token of the person whose session at a provider ends, for `id_token_hint`. It may have expired: a provider
 * must accept that. Null if none is stored, or it is of another subject or another session there: the stored one is that of
 * the newest sign-in, in whichever browser that was.
 *
 * @throws {AdapterError} when the store fails
 * @see OpenID Connect RP-Initiated Logout 1.0 §2
 */
export async function idTokenHint(
  rows: TokenRows,
  userId: string,
  { provider, subject, sid }: ProviderSession,
): Promise<string | null> {
  if (subject === undefined) return null
  const { decodeJwt } = await import('jose')
  /** It was verified when it was stored. Here it is only told from those of other accounts and sessions of the user. */
  const isOfSession = (idToken: string): boolean => {
    try {
      const claims = decodeJwt(idToken)
      const isOther = sid !== undefined && typeof claims['sid'] === 'string' && claims['sid'] !== sid
      return claims.sub === subject && !isOther
    } catch {
      return false
    }
  }
  for (const row of await rows.list(userId)) {
    if (row.provider !== provider) continue
    const { idToken } = await rows.decrypted(row)
    if (idToken !== null && isOfSession(idToken)) return idToken
  }
  return null
}

/**
 * Deletes the refresh tokens that a user has of a provider at which their session has ended. A token with the scope
 * `offline_access` stays: it is for the time when nobody is signed in.
 *
 * @param at without a subject, those of all accounts at the provider
 * @param configuredScope what a provider that did not name the scope has granted (RFC 6749 §5.1)
 * @throws {AdapterError} when the store fails
 * @see OpenID Connect Back-Channel Logout 1.0 §2.7
 */
export async function dropRefreshTokens(
  rows: TokenRows,
  userId: string,
  { provider, subject }: At,
  configuredScope: string,
): Promise<void> {
  const accounts = (await rows.list(userId)).filter((account) => account.provider === provider)
  // The id of an account is the subject, unless profile() of the provider makes another one.
  const ofSubject = accounts.filter(({ providerAccountId }) => providerAccountId === subject)
  for (const account of ofSubject.length > 0 ? ofSubject : accounts) {
    const isForOffline = coversScope('offline_access', account.scope, configuredScope)
    if (account.refresh_token == null || isForOffline) continue
    // Without the lease, so that a refresh that is under way does not store a new one.
    await rows.change(account, { refresh_token: null, tokenLease: null })
  }
}
