import { AdapterError } from '../../kernel/errors.js'
import { membersOf } from '../../kernel/objects.js'
import { randomId } from '../../kernel/random.js'
import type { Adapter, AdapterUser } from '../adapter.js'
import { duplicateError } from '../failures.js'
import { noteCreatedUser } from '../own-methods.js'
import type { RedisDependencies } from './client.js'
import type { Emails } from './emails.js'
import type { OwnedRows } from './owned-rows.js'
import { decodeReply, decodeRow, encodeRow, NO_EXPIRY, required, stored } from './row.js'
import * as rowScripts from './scripts/rows.js'
import * as signUpScripts from './scripts/sign-ups.js'
import * as userScripts from './scripts/users.js'
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
