import type { AdapterUser } from './adapter.js'

const confirmed = new WeakSet<object>()

/** Called by an adapter of Latchkey with the user whom it gives back after it has stored them. Gives the same user. */
export function noteCreatedUser(user: AdapterUser): AdapterUser {
  if (user.emailVerified) confirmed.add(user)
  return user
}

/**
 * Whether `createUser` of an adapter of Latchkey gave this very object, for a user whose address counted as confirmed from
 * the beginning. True once: code of the application that keeps the object does not know what became of the user.
 */
export const isCreatedConfirmed = (user: object): boolean => confirmed.delete(user)
