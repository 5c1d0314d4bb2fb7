import type { Adapter, AdapterSession, AdapterUser } from '@auth/express/adapters'

/** Users and sessions in Maps: the quickest store that there can be. */
export interface MapStore {
  readonly adapter: Adapter & Required<Pick<Adapter, 'createUser' | 'createSession'>>
}

/** What @auth/express asks of an adapter when it reads and extends sessions. */
export function mapStore(): MapStore {
  const users = new Map<string, AdapterUser>()
  const sessions = new Map<string, AdapterSession>()
  return {
    adapter: {
      createUser(user) {
        users.set(user.id, user)
        return user
      },
      getUser: (id) => users.get(id) ?? null,
      getUserByEmail: (email) => [...users.values()].find((user) => user.email === email) ?? null,
      getUserByAccount: () => null,
      updateUser(changes) {
        const user = { ...users.get(changes.id), ...changes } as AdapterUser
        users.set(user.id, user)
        return user
      },
      linkAccount: () => undefined,
      createSession(session) {
        sessions.set(session.sessionToken, session)
        return session
      },
      getSessionAndUser(token) {
        const session = sessions.get(token)
        const user = session && users.get(session.userId)
        return session && user ? { session: { ...session }, user: { ...user } } : null
      },
      updateSession(changes) {
        const session = sessions.get(changes.sessionToken)
        if (!session) return null
        sessions.set(session.sessionToken, { ...session, ...changes })
        return session
      },
      deleteSession(token) {
        sessions.delete(token)
      },
    },
  }
}
