import { setTimeout as wait } from 'node:timers/promises'
import { AdapterError } from '../../kernel/errors.js'
import { membersOf } from '../../kernel/objects.js'
import { randomHex, randomId } from '../../kernel/random.js'
import type { Adapter, AdapterUser } from '../adapter.js'
import { duplicateError, requireRow } from '../failures.js'
import { noteCreatedUser } from '../methods.js'
import { inBatches } from './client.js'
import type { createRecords } from './records.js'
import { decodeReply, decodeRow, encodeRow, encodeValue, type RedisDependencies, stored, UNSETTLED } from './rows.js'
import * as scripts from './scripts.js'
import type { createSessions } from './sessions.js'

/** Finds a user by id; null when there is none, and while the sign-up of the user is not finished. */
export type FindUser = (id: string) => Promise<AdapterUser | null>

export const createFindUser =
  ({ client, keys }: RedisDependencies): FindUser =>
  async (id) => {
    const fields = await client.hGetAll(keys.user(id))
    // A sign-up that is not finished may fail: nobody is signed in as a user who may be removed again.
    return scripts.UNFINISHED in fields ? null : decodeRow<AdapterUser>(fields)
  }

export function createUsers(
  { keys, run, rows }: RedisDependencies,
  findUser: FindUser,
  emails: Emails,
  owned: OwnedRows,
) {
  return {
    async createUser(given) {
      const user = { ...membersOf(given), id: given.id || randomId() }
      const key = keys.user(user.id)
      // The user is stored before the reservation of the address, and is made permanent only after it. So no reservation
      // is without a user, and a user whose creation is interrupted here expires.
      if (!(await rows.insert(key, user, user.email ? UNSETTLED : undefined)))
        throw duplicateError('Another user has this id.')
      if (user.email) {
        const reserved = await emails.reserve(user.email, user.id)
        const isKept = reserved !== null && (await run(scripts.KEEP, [key], ['id', encodeValue(user.id)]))
        if (!isKept) {
          await rows.take(key)
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
      return requireRow(await rows.update<AdapterUser>(keys.user(changes.id), rest), 'There is no user with this id.')
    },

    async deleteUser(userId) {
      const email = (await findUser(userId))?.email
      const reservation = email ? await emails.reservationOf(email, userId) : null
      const user = decodeReply<AdapterUser>(await run(scripts.TAKE_USER, [keys.user(userId), keys.deletion(userId)]))
      // From now on nobody is signed in as the user. If this call is interrupted, another call or deleteExpired()
      // deletes the rest.
      if (email && reservation) await emails.release(email, reservation)
      await owned.deleteAll(userId)
      return user
    },
  } satisfies Adapter
}

/** How long a user may take to change to another address. After that, others may reserve it. */
const MOVE_MS = '30000'

/** How often a reservation is tried again when that of the address changes at the same moment. */
const RESERVATION_ATTEMPTS = 25

/**
 * Reservations of addresses for users.
 *
 * An address is a key of its own, in another slot than the user, so no step can change both. Therefore a reservation
 * counts only while its user has the address, or has announced a change to it. If a change is interrupted, the address
 * is not lost, and has one user at most. Each reservation has a nonce, so that a late step of one reservation never
 * undoes another one.
 */
export function createEmails({ client, keys, run }: RedisDependencies, isSettled: IsSettled) {
  const counts = async (userId: string, email: string, renew?: () => Promise<void>) =>
    (await isSettled(userId, renew)) &&
    Boolean(await run(scripts.HAS_EMAIL, [keys.user(userId), keys.emailMove(userId, email)], [encodeValue(email)]))

  /** The reservation, if it is the reservation of this user. */
  const reservationOf = async (email: string, userId: string): Promise<string | null> => {
    const reservation = await client.get(keys.email(email))
    return reservation !== null && ownerOf(reservation) === String(userId) ? reservation : null
  }

  /**
   * Reserves the address for a user whose row has it, or who has announced a change to it. Gives the reservation; null
   * if another user has the address.
   *
   * @param renew called while this waits for the sign-up of somebody else
   */
  const reserve = async (email: string, userId: string, renew?: () => Promise<void>): Promise<string | null> => {
    const mine = `${randomHex(8)}:${userId}`
    let expected = ''
    for (let attempt = 0; attempt < RESERVATION_ATTEMPTS; attempt++) {
      const present = await run(scripts.SWAP, [keys.email(email)], [expected, mine])
      if (typeof present !== 'string') return mine
      const other = ownerOf(present)
      if (present !== '' && other !== String(userId) && (await counts(other, email, renew))) return null
      expected = present
    }
    return null
  }

  /** Deletes a reservation, unless the address has another reservation by now. */
  const release = (email: string, held: string) => run(scripts.DELETE_TEXT, [keys.email(email)], [held])

  /** Changes a user, and also the address. */
  const move = async (
    user: AdapterUser,
    changes: Partial<AdapterUser> & Pick<AdapterUser, 'id'>,
  ): Promise<AdapterUser> => {
    const { id, email } = changes
    const held = user.email ? await reservationOf(user.email, id) : null
    const moveKey = keys.emailMove(id, email ?? '')
    let announced = ''
    let reserved: string | null = null
    if (email) {
      announced = randomHex(8)
      const isUser = await run(scripts.BEGIN_EMAIL_MOVE, [keys.user(id), moveKey], [announced, MOVE_MS])
      if (!isUser) throw new AdapterError('There is no user with this id.')
      reserved = await reserve(email, id)
      if (!reserved) {
        await run(scripts.DELETE_TEXT, [moveKey], [announced])
        throw duplicateError('Another user has this e-mail address.')
      }
    }
    const before = user.email === undefined ? '' : encodeValue(user.email)
    const reply = await run(scripts.MOVE_EMAIL, [keys.user(id), moveKey], [before, announced, ...encodeRow(changes)])
    const moved = decodeReply<AdapterUser>(reply)
    if (!moved) {
      if (email) await run(scripts.DELETE_TEXT, [moveKey], [announced])
      // Another request may have given the user the same address meanwhile, or be about to. Then this reservation is theirs.
      if (email && reserved && !(await counts(id, email))) await release(email, reserved)
      throw new AdapterError('The user was changed or deleted meanwhile.')
    }
    if (user.email && held) await release(user.email, held)
    return moved
  }

  return {
    reserve,
    reservationOf,
    release,
    move,
    /** Whether a reservation counts: its user has the address, or has announced a change to it. */
    isHeld: async (email: string, reservation: string): Promise<boolean> => counts(ownerOf(reservation), email),
    /**
     * The id of the user who has reserved an address; null when nobody has. The caller checks that the user has the
     * address.
     */
    async reservedBy(email: string): Promise<string | null> {
      const present = await client.get(keys.email(email))
      return present === null ? null : ownerOf(present)
    },
    /**
     * A reservation whose user does not exist or has another address; null if there is none. A new user of the address
     * makes a new reservation.
     */
    async voidReservation(email: string): Promise<string | null> {
      const present = await client.get(keys.email(email))
      if (present === null) return null
      const userId = ownerOf(present)
      const users = [keys.user(userId), keys.emailMove(userId, email)]
      return (await run(scripts.HAS_EMAIL, users, [encodeValue(email)])) ? null : present
    },
  }
}

/** What {@link createEmails} gives. */
export type Emails = ReturnType<typeof createEmails>

const ownerOf = (reservation: string): string => reservation.slice(reservation.indexOf(':') + 1)

/** A sign-up takes a few calls. If its last sign of life is older than this, it was interrupted. */
const SILENCE_MS = 2000

/** Pause between two looks at a sign-up of somebody else that is not finished, and the most looks. */
const LOOK_MS = 50
const LOOKS = 60

/**
 * Whether a user exists and their sign-up is finished. A sign-up that was interrupted is removed.
 *
 * @param renew called while the function waits for the sign-up of somebody else, to keep the caller's own sign-up alive
 */
export type IsSettled = (userId: string, renew?: () => Promise<void>) => Promise<boolean>

export const createSettledCheck =
  ({ keys, run }: RedisDependencies): IsSettled =>
  async (userId, renew) => {
    for (let looks = 0; looks < LOOKS; looks++) {
      const reply = await run(scripts.IS_SETTLED, [keys.user(userId)], [String(Date.now() - SILENCE_MS)])
      if (reply !== 2) return reply === 1
      await wait(LOOK_MS)
      await renew?.()
    }
    return true
  }

/** What {@link createOwnedRows} gives. */
export type OwnedRows = ReturnType<typeof createOwnedRows>

/** Deletes the rows of users. */
export function createOwnedRows(
  { keys, run, rows }: RedisDependencies,
  sessions: Pick<ReturnType<typeof createSessions>, 'deleteSessionsByUserId'>,
  records: Pick<ReturnType<typeof createRecords>, 'deleteRecordsByOwner'>,
) {
  /**
   * Deletes rows that a set of a user names, where they still belong to the user, and then their names. Gives how many
   * rows were deleted.
   *
   * @param keyOf the key of a row by its name in the set
   */
  const deleteNamed = async (
    userId: string,
    set: string,
    names: readonly string[],
    keyOf: (name: string) => string,
  ): Promise<number> => {
    let deleted = 0
    await inBatches(names, async (batch) => {
      const outcomes = await Promise.all(batch.map((name) => rows.deleteOwned(keyOf(name), userId)))
      deleted += outcomes.filter(Boolean).length
      await run(scripts.REMOVE, [set], batch)
    })
    return deleted
  }

  return {
    deleteNamed,

    /** Deletes all rows of a user who does not exist any more. Gives how many accounts and passkeys were deleted. */
    async deleteAll(userId: string): Promise<number> {
      const deleteSet = async (set: string, keyOf: (name: string) => string) => {
        const names = (await run(scripts.MEMBERS_TO_DELETE, [set, keys.deletion(userId)])) as string[]
        return deleteNamed(userId, set, names, keyOf)
      }
      const [accounts, authenticators] = await Promise.all([
        deleteSet(keys.accountsOf(userId), (key) => key),
        deleteSet(keys.authenticatorsOf(userId), keys.authenticator),
        sessions.deleteSessionsByUserId(userId),
        records.deleteRecordsByOwner(userId),
      ])
      await run(scripts.DELETE_TEXT, [keys.deletion(userId)], ['1'])
      return accounts + authenticators
    },
  }
}
