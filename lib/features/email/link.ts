import { sha256Hex } from '../../kernel/digest.js'
import type { ResolvedEmailProvider } from '../../providers/provider.js'

/** Before the token of a link whose visitor asked to stay signed in. */
const REMEMBERED = 'remember '

/** What a mailed link holds. The token proves that its visitor can read the mail of the address. */
export interface Link {
  readonly token: string
  readonly identifier: string
}

/**
 * The text whose hash the store has for a link. It says whether the visitor who requested the link asked to stay signed
 * in, so the choice is stored and not in the link: nobody can change it, and it also counts on another device.
 */
export const storedText = (token: string, isRemembered: boolean): string => (isRemembered ? REMEMBERED + token : token)

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
