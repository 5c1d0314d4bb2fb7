import type { Store } from '../../adapters/gateway.js'
import { sha256Base64url } from '../../kernel/digest.js'
import { sharedLedger } from '../../kernel/one-time.js'
import { endedRow } from '../../sessions/token-session-rows.js'

/** The logout tokens of providers that were used. Each may be used once (OpenID Connect Back-Channel Logout 1.0 §2.6). */
export interface UsedLogoutTokens {
  /**
   * Whether a token was used, in any process. Without a store, this is also true where that may have been forgotten.
   *
   * @param until as for {@link add}
   */
  has(token: LogoutTokenId, until: number): Promise<boolean>
  /**
   * Records that a token was used.
   *
   * @param until when it can be forgotten, milliseconds since the epoch
   */
  add(token: LogoutTokenId, until: number): Promise<void>
}

interface LogoutTokenId {
  readonly provider: string
  /** Its `jti`. */
  readonly tokenId: string
}

/**
 * The used logout tokens, each in a row among the token sessions, as the cutoffs of users are. The id of the row has a
 * prefix that no id of a session has. If the store keeps no token sessions, they are remembered in this process only: then
 * the age of a token and the beginnings of sessions still keep a copy from doing harm.
 */
export function createUsedLogoutTokens({
  store,
  secrets,
  instance,
  now,
}: {
  readonly store: Store
  readonly secrets: readonly string[]
  readonly instance: string | undefined
  /** Milliseconds since the epoch. */
  readonly now: () => number
}): UsedLogoutTokens {
  const isStored = store.has('createTokenSession') && store.has('getTokenSession')
  const ledger = sharedLedger(secrets, 'logout token', now)
  const idOf = ({ provider, tokenId }: LogoutTokenId) =>
    `logout:${sha256Base64url(JSON.stringify([instance ?? null, provider, tokenId]))}`
  return {
    async has(token, until) {
      const id = idOf(token)
      // A store forgets nothing.
      const known = ledger.has(id, isStored ? Number.POSITIVE_INFINITY : until)
      return known || (isStored && (await store.getTokenSession(id)) != null)
    },
    async add(token, until) {
      const id = idOf(token)
      if (isStored) await store.createTokenSession(endedRow(id, { expires: new Date(until), time: now(), instance }))
      // Last: if the store failed, the provider sends the token again, and it must not count as used.
      ledger.consume(id, until)
    },
  }
}
