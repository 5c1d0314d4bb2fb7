import type { AdapterAccount } from '../adapters/adapter.js'
import type { OrLogged } from './or-logged.js'
import type { SeparateStore } from './separate-store.js'
import type { TokenProvider, TokenToRevoke } from './token-calls.js'
import type { HeldTokens, TokenRows } from './token-rows.js'

/** What revoking depends on. */
export interface RevocationDependencies {
  readonly rows: TokenRows
  /** The store for tokens alone; null if they are in the rows of the adapter. */
  readonly separate: SeparateStore | null
  readonly keepsTokens: () => boolean
  readonly providerOf: (id: string) => Promise<TokenProvider | null>
  readonly orLogged: OrLogged
}

/** Revokes tokens at providers. */
export interface Revocation {
  /**
   * Revokes the tokens of an account at the provider, after it was unlinked here. It never rejects: what fails is logged.
   *
   * @param row the account as it was stored
   */
  revoke(row: AdapterAccount): Promise<void>
  /** As {@link revoke}, for tokens that are in no store. */
  revokeUnstored(row: AdapterAccount): Promise<void>
  /**
   * Deletes the stored tokens of all accounts of a user, and revokes them at the providers. The ID tokens stay: they open
   * no API, and the sign-out at a provider names its session with them. It never rejects: what fails is logged, and the
   * other accounts are done all the same.
   */
  revokeAllOf(userId: string): Promise<void>
}

/** The revocation for the rows of a store. */
export function createRevocation({
  rows,
  separate,
  keepsTokens,
  providerOf,
  orLogged,
}: RevocationDependencies): Revocation {
  const revokeHeld = async ({ row: { provider }, accessToken, refreshToken }: HeldTokens): Promise<void> => {
    const calls = (await providerOf(provider))?.calls
    const tokens: TokenToRevoke[] = []
    if (refreshToken !== null) tokens.push({ token: refreshToken, kind: 'refresh' })
    if (accessToken !== null) tokens.push({ token: accessToken, kind: 'access' })
    if (!calls?.canRevoke || tokens.length === 0) return
    await orLogged('tokens could not be revoked there.', provider, () => calls.revoke(tokens))
  }

  const deleteAndRevoke = async (row: AdapterAccount): Promise<void> => {
    await rows.change(row, { access_token: null, refresh_token: null, expires_at: null, tokenLease: null })
    await revokeHeld(await rows.decrypted(row))
  }

  return {
    revoke: (row) =>
      orLogged('tokens could not be revoked there.', row.provider, async () => {
        const stored = separate ? await separate.take(row) : row
        if (stored) await revokeHeld(await rows.decrypted(stored))
      }),

    revokeUnstored: (row) =>
      orLogged('tokens could not be revoked there.', row.provider, async () => revokeHeld(await rows.decrypted(row))),

    revokeAllOf: (userId) =>
      orLogged(CANNOT, 'any', async () => {
        if (!keepsTokens()) return
        for (const row of await rows.list(userId)) {
          if (!row.access_token && !row.refresh_token) continue
          await orLogged(CANNOT, row.provider, () => deleteAndRevoke(row))
        }
      }),
  }
}

const CANNOT = 'tokens could not be deleted and revoked.'
