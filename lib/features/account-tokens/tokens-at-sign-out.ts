import type { AdapterAccount, ProviderSession } from '../../adapters/adapter.js'
import { withoutDetails } from '../../kernel/errors.js'
import type { Log, LogSource } from '../../kernel/logger.js'
import { coversScope, type TokenCalls, type TokenToRevoke, unverifiedClaims } from '../../oauth/token-calls.js'
import type { EndedAt } from '../../sessions/session-manager.js'
import type { TokenKeeper } from '../../users/dependencies.js'
import { AccountTokenError } from './errors.js'
import { type OtherSessions, sessionOf } from './other-sessions.js'
import type { HeldTokens, TokenRows } from './token-rows.js'

/**
 * The stored ID token of the person whose session at a provider ends, for `id_token_hint`. It may have expired: a provider
 * must accept that. Null if none is stored, or only those of other subjects or sessions there.
 *
 * @throws {AdapterError} when the store fails
 * @see OpenID Connect RP-Initiated Logout 1.0 §2
 */
export async function idTokenHint(
  { rows, others }: StoredTokens,
  userId: string,
  { provider, subject, sid }: ProviderSession,
): Promise<string | null> {
  if (subject === undefined) return null
  const find = async (all: readonly AdapterAccount[]): Promise<string | null> => {
    for (const row of all) {
      if (row.provider !== provider) continue
      const { idToken } = rows.decrypted(row)
      const claims = await unverifiedClaims(idToken)
      if (claims.sub === subject && !isOther(claims['sid'], sid)) return idToken
    }
    return null
  }
  return (await find(await rows.list(userId))) ?? find((await others.list(userId)).map(({ row }) => row))
}

/** Whether a stored `sid` is known to be another one. */
const isOther = (stored: unknown, sid: string | undefined): boolean =>
  sid !== undefined && typeof stored === 'string' && stored !== sid

/**
 * Deletes the refresh tokens that a user has of a provider at which their session has ended. A token with the scope
 * `offline_access` stays: it is for the time when nobody is signed in. So does the token of another session, in another
 * browser: the stored ID token says of which session it is.
 *
 * @param at without a subject, those of all accounts at the provider
 * @param configuredScope what a provider that did not name the scope has granted (RFC 6749 §5.1)
 * @throws {AdapterError} when the store fails
 * @see OpenID Connect Back-Channel Logout 1.0 §2.7
 */
export async function dropRefreshTokens(
  { rows, others }: StoredTokens,
  userId: string,
  { provider, subject, sid, hasNewer = false }: EndedAt,
  configuredScope: string,
): Promise<void> {
  const hasEnded = (stored: unknown) => (hasNewer ? sid !== undefined && stored === sid : !isOther(stored, sid))
  const isForOffline = ({ scope }: AdapterAccount) => coversScope('offline_access', scope, configuredScope)
  const accounts = (await rows.list(userId)).filter((account) => account.provider === provider)
  // The id of an account is the subject, unless profile() of the provider makes another one.
  const ofSubject = accounts.filter(({ providerAccountId }) => providerAccountId === subject)
  for (const account of ofSubject.length > 0 ? ofSubject : accounts) {
    if (account.refresh_token == null || isForOffline(account)) continue
    if (!hasEnded((await unverifiedClaims(rows.decrypted(account).idToken))['sid'])) continue
    // Without the lease, so that a refresh that is under way does not store a new one.
    await rows.change(account, { refresh_token: null, tokenLease: null })
  }
  // Last: a sign-in meanwhile has put the tokens of the account here.
  for (const kept of await others.list(userId)) {
    const { at, row } = kept
    const isMeant = at.provider === provider && (subject === undefined || at.subject === subject)
    if (!isMeant || isForOffline(row)) continue
    if (hasEnded(at.sid) || !(await others.isInUse(at))) await others.take(kept)
  }
}

/** The tokens in the accounts of users, and those of their other sessions. */
interface StoredTokens {
  readonly rows: TokenRows
  readonly others: OtherSessions
}

interface RevocationDependencies extends StoredTokens {
  readonly keepsTokens: () => boolean
  readonly callsOf: (id: string) => Promise<TokenCalls | null>
  readonly orLogged: OrLogged
}

/** Revokes tokens at providers. */
export interface Revocation extends Pick<TokenKeeper, 'revoke'> {
  /**
   * Deletes the stored tokens of all accounts of a user, and revokes them at the providers. The ID tokens stay: they open
   * no API, and the sign-out at a provider names its session with them. At the provider of the session that has ended, those
   * of other sessions that are in use stay, as far as it is known of which session they are. It never rejects: what fails is
   * logged, and the other accounts are done all the same.
   *
   * @param at where the session began that has ended
   */
  revokeAllOf(userId: string, at: ProviderSession | undefined, source: LogSource | undefined): Promise<void>
}

/** The revocation for the rows of a store. */
export function createRevocation({ rows, others, keepsTokens, callsOf, orLogged }: RevocationDependencies): Revocation {
  const revokeHeld = async (
    { row: { provider }, accessToken, refreshToken }: HeldTokens,
    source: LogSource | undefined,
  ): Promise<void> => {
    const calls = await callsOf(provider)
    const tokens: TokenToRevoke[] = []
    if (refreshToken !== null) tokens.push({ token: refreshToken, kind: 'refresh' })
    if (accessToken !== null) tokens.push({ token: accessToken, kind: 'access' })
    if (!calls?.canRevoke || tokens.length === 0) return
    await orLogged(NOT_REVOKED, provider, () => calls.revoke(tokens), source)
  }

  /** Another process may store tokens that it has just got, so those that are deleted must be those that were read. */
  const deleteAndRevoke = async (row: AdapterAccount, source: LogSource | undefined): Promise<void> => {
    let held: HeldTokens | null = rows.decrypted(row)
    for (let tries = 0; tries < TRIES && held !== null; tries += 1) {
      const { access_token = null, refresh_token = null } = held.row
      if (await rows.change(row, EMPTIED, { access_token, refresh_token })) return revokeHeld(held, source)
      held = await rows.reload(row)
    }
    await rows.change(row, EMPTIED)
  }

  return {
    revoke(row, source) {
      const work = async () => {
        await revokeHeld(rows.decrypted(row), source)
        for (const kept of await others.listOf(row)) {
          if (await others.take(kept)) await revokeHeld(rows.decrypted(kept.row), source)
        }
      }
      return orLogged(NOT_REVOKED, row.provider, work, source)
    },

    async revokeAllOf(userId, at, source) {
      if (!keepsTokens()) return
      const hasEnded = async (session: ProviderSession | null): Promise<boolean> => {
        if (session === null || session.provider !== at?.provider || !isOther(session.sid, at.sid)) return true
        return !(await others.isInUse(session))
      }
      const revokeAccounts = async () => {
        for (const row of await rows.list(userId)) {
          if (!row.access_token && !row.refresh_token) continue
          if (!(await hasEnded(await sessionOf(rows.decrypted(row))))) continue
          await orLogged(CANNOT, row.provider, () => deleteAndRevoke(row, source), source)
        }
      }
      const revokeOthers = async () => {
        let isMissed = true
        for (let tries = 0; tries < TRIES && isMissed; tries += 1) {
          isMissed = false
          for (const kept of await others.list(userId)) {
            const held = rows.decrypted(kept.row)
            if ((held.accessToken === null && held.refreshToken === null) || !(await hasEnded(kept.at))) continue
            if (await others.takeTokens(kept)) await revokeHeld(held, source)
            else isMissed = true
          }
        }
      }
      await orLogged(CANNOT, 'any', revokeAccounts, source)
      // Last: a sign-in meanwhile has put the tokens of an account there.
      await orLogged(CANNOT, 'any', revokeOthers, source)
    },
  }
}

const TRIES = 3
const EMPTIED = { access_token: null, refresh_token: null, expires_at: null, tokenLease: null }

const NOT_REVOKED = 'tokens could not be revoked there.'
const CANNOT = 'tokens could not be deleted and revoked.'

/** Does work, and logs its failure. Nobody is kept from a sign-in or a sign-out by it. It never rejects. */
type OrLogged = (
  message: string,
  provider: string,
  work: () => Promise<unknown>,
  source: LogSource | undefined,
) => Promise<void>

/** Logs failures as {@link AccountTokenError}. */
export function createOrLogged(logger: Pick<Log, 'error'>): OrLogged {
  return async (message, provider, work, source) => {
    try {
      await work()
    } catch (error) {
      logger.error(
        new AccountTokenError(`Provider "${provider}": ${message}`, { err: withoutDetails(error), provider }),
        source,
      )
    }
  }
}
