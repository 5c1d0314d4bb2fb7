import { AsyncLocalStorage } from 'node:async_hooks'
import type { AdapterUser } from './adapter.js'

const current = new AsyncLocalStorage<Set<string>>()

/** The result of work, and the users whom the work created. */
export interface Created<T> {
  readonly result: T
  /** Ids of the users whom the work itself created, and whose address counted as confirmed from the beginning. */
  readonly confirmedUsers: ReadonlySet<string>
}

/**
 * Runs work of the application, and finds out which users it creates with `createUser` of an adapter of Latchkey. Users
 * whom other requests create at the same time do not count.
 */
export async function notingCreatedUsers<T>(work: () => Promise<T>): Promise<Created<T>> {
  const confirmedUsers = new Set<string>()
  const result = await current.run(confirmedUsers, work)
  return { result, confirmedUsers }
}

/** Called by an adapter of Latchkey after it has stored a new user. Gives the user. */
export function noteCreatedUser(user: AdapterUser): AdapterUser {
  if (user.emailVerified) current.getStore()?.add(String(user.id))
  return user
}
