import type { Adapter } from '../../lib/adapters/adapter.js'
import { memoryAdapter } from '../../lib/adapters/memory.js'
import type { AuthConfig } from '../../lib/index.js'
import Credentials from '../../lib/providers/credentials.js'

/** People whose password is their name, and whose ids are theirs in every store. */
export const PEOPLE = {
  ada: { id: '1815', name: 'Ada', email: 'ada@example.com', image: null },
  eve: { id: '666', name: 'Eve', email: 'eve@example.com', image: null },
} as const

export type Person = keyof typeof PEOPLE

/** What somebody enters in the form. */
export const enteredBy = (person: Person) => ({ username: person, password: person })

/** Accepts the people above. */
export const peoplesPasswords = Credentials({
  credentials: { username: {}, password: {} },
  authorize: ({ username, password }) =>
    username === password && Object.hasOwn(PEOPLE, String(username)) ? PEOPLE[username as Person] : null,
})

/** A store in memory that has these people. */
export async function storeWithPeople(): Promise<Required<Adapter>> {
  const store = memoryAdapter()
  for (const person of Object.values(PEOPLE)) await store.createUser({ ...person, emailVerified: null })
  return store
}

/** Both ways to keep sessions that can be listed. */
export const LISTING_STRATEGIES: Readonly<Record<'jwt' | 'database', (store: Adapter) => Partial<AuthConfig>>> = {
  jwt: (store) => ({
    providers: [peoplesPasswords],
    session: { strategy: 'jwt', revocation: { store: store as Required<Adapter>, checkEvery: 0 } },
  }),
  database: (store) => ({ providers: [peoplesPasswords], adapter: store, session: { strategy: 'database' } }),
}
