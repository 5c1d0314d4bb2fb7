import { inBatches, type RedisDependencies } from './client.js'
import { encodeValue } from './row.js'
import * as rowScripts from './scripts/rows.js'
import * as userScripts from './scripts/users.js'
import type { createSessions } from './sessions.js'

/** Deletes the rows of users. */
export interface OwnedRows {
  /**
   * Deletes rows that a set of a user names, where they still belong to the user, and then their names. Gives how many
   * rows were deleted.
   *
   * @param keyOf the key of a row by its name in the set
   */
  deleteNamed(userId: string, set: string, names: readonly string[], keyOf: (name: string) => string): Promise<number>
  /** Deletes all rows of a user who does not exist any more. Gives how many accounts and passkeys were deleted. */
  deleteAll(userId: string): Promise<number>
}

export function createOwnedRows(
  { keys, run }: RedisDependencies,
  sessions: Pick<ReturnType<typeof createSessions>, 'deleteSessionsByUserId'>,
): OwnedRows {
  const deleteNamed: OwnedRows['deleteNamed'] = async (userId, set, names, keyOf) => {
    let deleted = 0
    await inBatches(names, async (batch) => {
      const calls = batch.map((name) => run(rowScripts.DELETE_OWNED, [keyOf(name)], [encodeValue(userId)]))
      deleted += (await Promise.all(calls)).filter((reply) => reply === 1).length
      await run(rowScripts.REMOVE, [set], batch)
    })
    return deleted
  }

  return {
    deleteNamed,

    async deleteAll(userId) {
      const deleteSet = async (set: string, keyOf: (name: string) => string) => {
        const names = (await run(userScripts.MEMBERS_TO_DELETE, [set, keys.deletion(userId)])) as string[]
        return deleteNamed(userId, set, names, keyOf)
      }
      const [accounts, authenticators] = await Promise.all([
        deleteSet(keys.accountsOf(userId), (key) => key),
        deleteSet(keys.authenticatorsOf(userId), keys.authenticator),
        sessions.deleteSessionsByUserId(userId),
      ])
      await run(rowScripts.DELETE_TEXT, [keys.deletion(userId)], ['1'])
      return accounts + authenticators
    },
  }
}
