import type { ProviderSession } from '../../adapters/adapter.js'
import { coversScope, unverifiedClaims } from '../../oauth/token-calls.js'
import type { EndedAt } from '../../sessions/session-manager.js'
import type { TokenRows } from './token-rows.js'

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
  for (const row of await rows.list(userId)) {
    if (row.provider !== provider) continue
    const { idToken } = await rows.decrypted(row)
    const claims = await unverifiedClaims(idToken)
    if (claims.sub === subject && !isOther(claims['sid'], sid)) return idToken
  }
  return null
}

/** Whether a stored `sid` is known to be another one. */
const isOther = (stored: unknown, sid: string | undefined): boolean =>
  sid !== undefined && typeof stored === 'string' && stored !== sid

/**
 * Deletes the refresh tokens that a user has of a provider at which their session has ended. A token with the scope
 * `offline_access` stays: it is for the time when nobody is signed in. So does the token of a newer sign-in, in another
 * browser: the stored ID token says of which session it is.
 *
 * @param at without a subject, those of all accounts at the provider
 * @param configuredScope what a provider that did not name the scope has granted (RFC 6749 §5.1)
 * @throws {AdapterError} when the store fails
 * @see OpenID Connect Back-Channel Logout 1.0 §2.7
 */
export async function dropRefreshTokens(
  rows: TokenRows,
  userId: string,
  { provider, subject, sid, hasNewer = false }: EndedAt,
  configuredScope: string,
): Promise<void> {
  const accounts = (await rows.list(userId)).filter((account) => account.provider === provider)
  // The id of an account is the subject, unless profile() of the provider makes another one.
  const ofSubject = accounts.filter(({ providerAccountId }) => providerAccountId === subject)
  for (const account of ofSubject.length > 0 ? ofSubject : accounts) {
    const isForOffline = coversScope('offline_access', account.scope, configuredScope)
    if (account.refresh_token == null || isForOffline) continue
    const stored = (await unverifiedClaims((await rows.decrypted(account)).idToken))['sid']
    if (isOther(stored, sid) || (hasNewer && (sid === undefined || stored !== sid))) continue
    // Without the lease, so that a refresh that is under way does not store a new one.
    await rows.change(account, { refresh_token: null, tokenLease: null })
  }
}
