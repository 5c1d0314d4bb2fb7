import type { AdapterTokenSession } from '../adapters/adapter.js'
import { type IndexedSession, isOfInstance, rowsOfInstance, type SessionIndex } from './session-index.js'
import { timeOf } from './stored-time.js'
import type { TokenRegistry } from './token-registry.js'
import { ownerInRow, ownerOfUser, ROW_MARGIN_MS } from './token-session-rows.js'

/** The sessions in tokens that a revocation store knows. */
export function createTokenIndex(
  registry: TokenRegistry,
  { instance, now }: { readonly instance: string | undefined; readonly now: () => number },
): SessionIndex {
  const indexed = (rows: readonly AdapterTokenSession[]): readonly IndexedSession[] => {
    const own = rowsOfInstance(rows, (row) => isOfInstance(row, instance))
    return own.flatMap((row): IndexedSession[] => {
      const expires = (timeOf(row.expires) ?? 0) - ROW_MARGIN_MS
      if (row.revokedAt != null || expires <= now()) return []
      return [{ id: row.id, key: row.id, userId: row.userId, expires: new Date(expires), details: row }]
    })
  }

  return {
    async ownerOf({ id, userId }) {
      const owner = await registry.ownerOf(id)
      return owner === null ? null : ownerInRow(owner, userId)
    },
    ownerOfUser: (userId) => ownerOfUser(String(userId)),
    list: async (owner) => indexed(await registry.list(String(owner))),
    listByProvider: async (at) => indexed(await registry.listByProvider(at)),
    // The claims are in the cookie only.
    messageOf: () => ({ token: null }),
    end: ({ id, details }) => registry.end({ id, authenticatedAt: timeOf(details.createdAt), expires: null }),
    endUnlisted: (userId) => registry.endUnregistered(String(userId)),
  }
}
