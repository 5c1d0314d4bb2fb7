import type { Adapter, AdapterTokenSession } from '../adapter.js'
import { listProviderSessionsIn, listSessionsIn } from './listed-sessions.js'
import type { Store } from './store.js'

/** The methods for sessions whose tokens are in cookies. Nothing else uses the table `token_sessions`. */
export function tokenSessionMethods(store: Store) {
  return {
    async createTokenSession(session) {
      await store.insertMissing('tokenSessions', { ...session })
    },
    async getTokenSession(id) {
      // The members of the contract exist because openTable() has checked their columns.
      return (await store.find('tokenSessions', { id })) as AdapterTokenSession | null
    },
    async updateTokenSession(id, { expires, lastSeenAt, userAgent, network, revokedAt, tokenIssuedAt }) {
      const changes = { expires, lastSeenAt, userAgent, network, revokedAt, tokenIssuedAt }
      await store.update('tokenSessions', { id }, changes)
    },
    async revokeTokenSession(id, revokedAt) {
      return store.fill('tokenSessions', { id }, 'revokedAt', revokedAt)
    },
    async listTokenSessionsByUserId(userId) {
      const rows: unknown[] = await listSessionsIn(store, 'tokenSessions', { userId })
      return rows as AdapterTokenSession[]
    },
    async listTokenSessionsByProvider(at) {
      const rows: unknown[] = await listProviderSessionsIn(store, 'tokenSessions', at)
      return rows as AdapterTokenSession[]
    },
  } satisfies Adapter
}
