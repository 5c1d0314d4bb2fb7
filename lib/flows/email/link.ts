import { sha256Hex } from '../../crypto/digest.js'
import type { ResolvedEmailProvider } from '../../providers/provider.js'

/** What a mailed link holds. The token proves that its visitor can read the mail of the address. */
export interface Link {
  readonly token: string
  readonly identifier: string
}

/**
 * Hashes under which the store may have a token. A new token is stored under the first.
 *
 * @returns after the first, the hashes with the other secrets, and that with the comma-joined list of all, which
 *   Auth.js uses: links that were mailed before stay good with a new secret, and after a move from Auth.js
 */
export function tokenHashes(
  token: string,
  { secrets: own }: Pick<ResolvedEmailProvider, 'secrets'>,
  secrets: readonly string[],
): [string, ...string[]] {
  const [newest = '', ...older] = own ?? secrets
  const others = older.length > 0 ? [...older, [newest, ...older].join(',')] : []
  return [sha256Hex(token + newest), ...others.map((other) => sha256Hex(token + other))]
}
