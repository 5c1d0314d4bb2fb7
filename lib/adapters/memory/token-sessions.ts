import { type Adapter, type AdapterTokenSession, beganAt } from '../adapter.js'
import { copy, copyOrNull, keysOf, listed, type Tables } from './tables.js'

/** The methods of token sessions. A deletion of the user leaves the rows, because they say which tokens are revoked. */
export function createTokenSessions({ tokenSessions, tokenSessionIds }: Tables) {
  /** Stores a row. The ids of a user are those of the sessions that are not revoked. */
  const put = (session: AdapterTokenSession): void => {
    const { id, userId, revokedAt } = session
    tokenSessions.set(id, session)
    const ids = tokenSessionIds.get(userId) ?? new Set()
    if (revokedAt) ids.delete(id)
    else ids.add(id)
    if (ids.size > 0) tokenSessionIds.set(userId, ids)
    else tokenSessionIds.delete(userId)
  }

  return {
    createTokenSession(given) {
      if (!tokenSessions.has(given.id)) put(copy(given))
    },

    getTokenSession: (id) => copyOrNull(tokenSessions.get(id)),

    updateTokenSession(id, changes) {
      const session = tokenSessions.get(id)
      if (session) put({ ...session, ...copy(changes) })
    },

    revokeTokenSession(id, revokedAt) {
      const session = tokenSessions.get(id)
      if (!session || session.revokedAt !== null) return false
      put({ ...session, revokedAt: new Date(revokedAt) })
      return true
    },

    listTokenSessionsByUserId: (userId) => listed(tokenSessionIds.get(userId), tokenSessions),

    listTokenSessionsByProvider: (at) =>
      listed(
        keysOf(tokenSessions, (session) => session.revokedAt === null && beganAt(session, at)),
        tokenSessions,
      ),
  } satisfies Adapter
}
