import { setTimeout as pause } from 'node:timers/promises'
import type { AccountChanges, AdapterAccount } from '../../adapters/adapter.js'
import { sha256Base64url } from '../../kernel/digest.js'
import type { HeldTokens, TokenRows } from './token-rows.js'

/** How many rotated tokens wait for the store at most. */
const CAPACITY = 1000
/** Milliseconds before the first further try. Each wait is twice as long as the one before; the last is over eight minutes. */
const [FIRST_WAIT_MS, LAST_WAIT_MS] = [1000, 512_000]

/** Names the refresh token that a row has: two accounts may have the same one. */
export const refreshKey = ({ userId, provider, providerAccountId, refresh_token }: AdapterAccount): string =>
  sha256Base64url(JSON.stringify([userId, provider, providerAccountId, refresh_token]))

/** Whether a row has lost its tokens, as at a sign-out that revokes them. The other sign-outs leave the access token. */
const isEmptied = (row: AdapterAccount | undefined): boolean => row?.access_token == null && row?.refresh_token == null

/**
 * Rotated tokens that are not in the store yet, in the form in which they are stored. None of them is given out.
 *
 * @param revoke revokes the tokens of a row at the provider. It never rejects
 */
export function createUnstoredTokens(
  rows: Pick<TokenRows, 'change' | 'reload'>,
  revoke: (row: AdapterAccount) => Promise<void>,
) {
  const kept = new Map<string, { readonly before: AdapterAccount; readonly changes: AccountChanges }>()

  /**
   * Puts the kept tokens into a row that was read now, if it still has the refresh token that was used up for them: then nothing
   * newer is there. Without that, it would be used again, which a provider takes for theft. The access token of a sign-in that
   * brought no refresh token stays.
   *
   * @returns whether there were any, so that the row must be read again. They stay if somebody has changed the row meanwhile
   * @throws when the store fails
   */
  const flush = async ({ row }: HeldTokens): Promise<boolean> => {
    const { refresh_token = null, access_token = null } = row
    const key = refreshKey(row)
    const found = kept.get(key)
    if (!found) return false
    const { before, changes } = found
    const isUnchanged = access_token === (before.access_token ?? null)
    const newer = isUnchanged ? changes : { refresh_token: changes.refresh_token ?? null, tokenLease: null }
    if (await rows.change(row, newer, { refresh_token, access_token })) kept.delete(key)
    return true
  }

  const tryLater = async (before: AdapterAccount): Promise<void> => {
    const key = refreshKey(before)
    for (let wait = FIRST_WAIT_MS; wait <= LAST_WAIT_MS && kept.has(key); wait *= 2) {
      await pause(wait, undefined, { ref: false })
      try {
        const current = await rows.reload(before)
        const found = kept.get(key)
        if (found && isEmptied(current?.row)) await revoke({ ...before, ...found.changes } as AdapterAccount)
        if (current === null || !(await flush(current))) break
      } catch {
        // The store is still down.
      }
    }
    kept.delete(key)
  }

  return {
    flush,
    /**
     * Keeps tokens that the store did not take, because it is down or another process has the lease by now. They are tried again
     * in the background, for some minutes. If a sign-out or the removal of the account has taken the tokens of the row away by
     * then, they are revoked.
     *
     * @param before as it was read for the refresh
     * @param changes nothing is kept if no refresh token is among them: then the old one still counts
     * @returns whether they are kept: so many may wait already that there is no place
     */
    keep(before: AdapterAccount, changes: AccountChanges): boolean {
      if (typeof changes.refresh_token !== 'string' || kept.size >= CAPACITY) return false
      kept.set(refreshKey(before), { before, changes })
      void tryLater(before)
      return true
    },
  }
}

export type UnstoredTokens = ReturnType<typeof createUnstoredTokens>
