import { randomBytes, scryptSync, timingSafeEqual } from 'node:crypto'

/** A user of the application, in its own table. */
export interface Person {
  readonly id: string
  readonly username: string
  readonly name: string
  readonly salt: string
  readonly hash: Buffer
}

function person(id: string, username: string, name: string, password: string): Person {
  const salt = randomBytes(16).toString('hex')
  return { id, username, name, salt, hash: scryptSync(password, salt, 32) }
}

/** In place of the table of users. It stays as it is when the application moves. */
const people = [
  person('1815', 'ada', 'Ada Lovelace', 'analytical engine'),
  person('1906', 'grace', 'Grace Hopper', 'first compiler'),
]

export const findById = async (id: string): Promise<Person | undefined> => people.find((one) => one.id === id)

/** The user with this name and password; undefined for nobody. */
export async function findByPassword(username: unknown, password: unknown): Promise<Person | undefined> {
  if (typeof username !== 'string' || typeof password !== 'string') return undefined
  const found = people.find((one) => one.username === username)
  // The same work for an unknown name, so that the time of the answer does not say which names exist.
  const hash = scryptSync(password, found?.salt ?? '', 32)
  return found && timingSafeEqual(hash, found.hash) ? found : undefined
}
