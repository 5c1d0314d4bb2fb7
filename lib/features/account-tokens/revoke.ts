import type { AdapterAccount } from '../../adapters/adapter.js'
import { AccountTokenError, withoutDetails } from '../../kernel/errors.js'
import type { Log, LogSource } from '../../kernel/logger.js'
import type { TokenProvider, TokenToRevoke } from '../../oauth/token-calls.js'
import type { TokenKeeper } from '../../users/dependencies.js'
import type { HeldTokens, TokenRows } from './token-rows.js'

interface RevocationDependencies {
  readonly rows: TokenRows
  readonly keepsTokens: () => boolean
  readonly providerOf: (id: string) => Promise<TokenProvider | null>
  readonly orLogged: OrLogged
}

/** Revokes tokens at providers. */
export interface Revocation extends Pick<TokenKeeper, 'revoke'> {
  /**
   * Deletes the stored tokens of all accounts of a user, and revokes them at the providers. The ID tokens stay: they open
   * no API, and the sign-out at a provider names its session with them. It never rejects: what fails is logged, and the
   * other accounts are done all the same.
   */
  revokeAllOf(userId: string, source: LogSource | undefined): Promise<void>
}

/** The revocation for the rows of a store. */
export function createRevocation({ rows, keepsTokens, providerOf, orLogged }: RevocationDependencies): Revocation {
  const revokeHeld = async (
    { row: { provider }, accessToken, refreshToken }: HeldTokens,
    source: LogSource | undefined,
  ): Promise<void> => {
    const calls = (await providerOf(provider))?.calls
    const tokens: TokenToRevoke[] = []
    if (refreshToken !== null) tokens.push({ token: refreshToken, kind: 'refresh' })
    if (accessToken !== null) tokens.push({ token: accessToken, kind: 'access' })
    if (!calls?.canRevoke || tokens.length === 0) return
    await orLogged(NOT_REVOKED, provider, () => calls.revoke(tokens), source)
  }

  const deleteAndRevoke = async (row: AdapterAccount, source: LogSource | undefined): Promise<void> => {
    await rows.change(row, { access_token: null, refresh_token: null, expires_at: null, tokenLease: null })
    await revokeHeld(await rows.decrypted(row), source)
  }

  return {
    revoke(row, source) {
      const work = async () => revokeHeld(await rows.decrypted(row), source)
      return orLogged(NOT_REVOKED, row.provider, work, source)
    },

    revokeAllOf(userId, source) {
      const work = async () => {
        if (!keepsTokens()) return
        for (const row of await rows.list(userId)) {
          if (!row.access_token && !row.refresh_token) continue
          await orLogged(CANNOT, row.provider, () => deleteAndRevoke(row, source), source)
        }
      }
      return orLogged(CANNOT, 'any', work, source)
    },
  }
}

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
