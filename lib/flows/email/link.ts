import { sha256Hex } from '../../crypto/digest.js'
import type { ResolvedEmailProvider } from '../../providers/provider.js'

/** What a mailed link proves: whoever has the token reads the mail of the address. */
export interface Link {
  readonly token: string
  readonly identifier: string
}

/**
 * Hashes under which the store may know a token. A new one has the first.
 *
 * @returns beside it, those of the other secrets, and that of their comma-joined list, which Auth.js uses: links that are in the mail
 * survive a new secret and the move to this package
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
