import { AdapterError } from '../../kernel/errors.js'
import { membersOf } from '../../kernel/objects.js'
import { randomId } from '../../kernel/random.js'
import type { Adapter, AdapterUser } from '../adapter.js'
import { duplicateError } from '../failures.js'
import { noteCreatedUser } from '../methods.js'
import { inBatches, type RedisDependencies } from './client.js'
import type { Emails } from './emails.js'
import { decodeReply, decodeRow, encodeRow, encodeValue, NO_EXPIRY, required, stored } from './rows.js'
import * as rowScripts from './scripts.js'
import * as signUpScripts from './scripts.js'
import * as userScripts from './scripts.js'
import type { createSessions } from './sessions.js'
import { UNSETTLED_MS } from './whole-sign-up.js'

/** Finds a user by id; null when there is none, and while the sign-up of the user is not finished. */
export type FindUser = (id: string) => Promise<AdapterUser | null>

export const createFindUser =
  ({ client, keys }: RedisDependencies): FindUser =>
  async (id) => {
    const fields = await client.hGetAll(keys.user(id))
    // A sign-up that is not finished may fail: nobody is signed in as a user who may be removed again.
    return signUpScripts.UNFINISHED in fields ? null : decodeRow<AdapterUser>(fields)
  }

export function createUsers({ keys, run }: RedisDependencies, findUser: FindUser, emails: Emails, owned: OwnedRows) {
  return {
    async createUser(given) {
      const user = { ...membersOf(given), id: given.id || randomId() }
      const key = keys.user(user.id)
      // The user is stored before the reservation of the address, and is made permanent only after it. So no reservation
      // is without a user, and a user whose creation is interrupted here expires.
      const expiry = user.email ? (['PEXPIRE', UNSETTLED_MS] as const) : NO_EXPIRY
      const isNew = await run(rowScripts.INSERT, [key], [...expiry, ...encodeRow(user)])
      if (!isNew) throw duplicateError('Another user has this id.')
      if (user.email) {
        const reserved = await emails.reserve(user.email, user.id)
        const isKept = reserved !== null && (await run(rowScripts.KEEP, [key]))
        if (!isKept) {
          await run(rowScripts.TAKE, [key])
          if (reserved) await emails.release(user.email, reserved)
          if (reserved) throw new AdapterError('The user took too long to store.')
          throw duplicateError('Another user has this e-mail address.')
        }
      }
      return noteCreatedUser(stored(user))
    },

    getUser: findUser,

    async getUserByEmail(email) {
      const id = await emails.reservedBy(email)
      const user = id === null ? null : await findUser(id)
      return user?.email === email ? user : null
    },

    async updateUser(changes) {
      const user = await findUser(changes.id)
      if (!user) throw new AdapterError('There is no user with this id.')
      const { email, ...rest } = changes
      if (email !== undefined && email !== user.email) return emails.move(user, changes)
      const updated = await run(rowScripts.UPDATE, [keys.user(changes.id)], [...NO_EXPIRY, ...encodeRow(rest)])
      return required(decodeReply<AdapterUser>(updated), 'There is no user with this id.')
    },

    async deleteUser(userId) {
      const email = (await findUser(userId))?.email
      const reservation = email ? await emails.reservationOf(email, userId) : null
      const user = decodeReply<AdapterUser>(
        await run(userScripts.TAKE_USER, [keys.user(userId), keys.deletion(userId)]),
      )
      // From now on nobody is signed in as the user. If this call is interrupted, another call or deleteExpired()
      // deletes the rest.
      if (email && reservation) await emails.release(email, reservation)
      await owned.deleteAll(userId)
      return user
    },
  } satisfies Adapter
}

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
