import type { AdapterUser } from '../../adapters/adapter.js'
import type { Store } from '../../adapters/gateway.js'
import { sha256Base64url } from '../../kernel/digest.js'
import { deleteRecordsOf, putRecordOf } from '../../sign-in/records.js'
import { isSameUser } from '../../users/stored-users.js'

/** What an address beside the one of the user is among the records. */
const KIND = 'address'

/** One record an address, in the spelling in which users are looked up: so it is one user's at most. */
const keyOf = (email: string): string => sha256Base64url(email)

/**
 * Finds users by each of their addresses. So whatever asks for the user of an address knows all of them. The address of a user counts
 * before one that another user has beside theirs: it may have been theirs first. None counts for somebody whose own address is not
 * confirmed: the owner of that one may come at any moment, and get this user.
 */
export function findingByAnyAddress(store: Store): Store {
  const getUserByEmail = async (email: string): Promise<AdapterUser | null> => {
    const key = keyOf(email)
    const [own, record] = await Promise.all([store.getUserByEmail(email), store.getRecord(KIND, key)])
    if (!own && record?.owner && keyOf(record.value) === key) {
      const owner = await store.getUser(record.owner)
      return owner?.emailVerified ? owner : null
    }
    // As many calls for every address: how long an answer takes must not say who has it (PWD-10).
    await store.getRecord(KIND, key)
    return own ?? null
  }
  return Object.freeze({ ...store, getUserByEmail })
}

/** The addresses that users have beside their own. */
export type OtherAddresses = ReturnType<typeof createOtherAddresses>

/**
 * Each address has a record from the time when it was added, and the first one from the time when another one took its place. It stays
 * while the address is that of the user, so that no change, in whatever order its calls arrive, loses one.
 *
 * @param store finds users by any address
 * @param most how many addresses a user can have
 */
export const createOtherAddresses = (store: Store, most: number) => ({
  /**
   * Those that count now, in the order of the alphabet; or all that their user may remove, also while they count for nothing because
   * nobody has confirmed the main one.
   */
  async of(user: AdapterUser, { isAll = false } = {}): Promise<readonly string[]> {
    if (most === 1) return []
    const records = await store.listRecordsByOwner(KIND, String(user.id))
    const stored = records.filter(({ key, value }) => key === keyOf(value) && value !== user.email)
    const all = await Promise.all(
      stored.map(async ({ value }) => {
        const holder = await store.getUserByEmail(value)
        return (holder ? isSameUser(holder, user) : isAll) ? [value] : []
      }),
    )
    return all.flat().sort()
  },
  /** Stores an address that its user has confirmed. False if it is somebody else's, or the user is gone. */
  async keep(user: AdapterUser, email: string): Promise<boolean> {
    const userId = String(user.id)
    const key = keyOf(email)
    const held = await store.getRecord(KIND, key)
    const isOurs = held?.owner === userId
    // Nothing counts of a user who is gone, nor beside the user whose own address it is.
    if (held && !isOurs && (user.email === email || !(await store.getUser(String(held.owner)))))
      await store.deleteRecord(KIND, key)
    const isKept = isOurs || (await putRecordOf(store, userId, { kind: KIND, key, value: email, version: 1 }))
    const holder = await store.getUserByEmail(email)
    if (holder && isSameUser(holder, user)) return isKept
    // Somebody has signed up with it meanwhile.
    if (isKept) await store.deleteRecord(KIND, key)
    return false
  },
  /** Takes an address away from its user. False if it is not beside their own: of two requests at once, one gets true. */
  async take({ id }: Pick<AdapterUser, 'id'>, email: string): Promise<boolean> {
    const record = await store.getRecord(KIND, keyOf(email))
    if (record?.owner !== String(id) || (await store.deleteRecord(KIND, record.key)) === null) return false
    // Another request may have made it their own meanwhile.
    return (await store.getUser(id))?.email !== email
  },
  /** How many records there are of a user. */
  count: async (userId: string): Promise<number> => (await store.listRecordsByOwner(KIND, userId)).length,
  /** Takes all of them away. Gives how many there were. */
  forgetAll: (userId: string): Promise<number> => deleteRecordsOf(store, KIND, userId),
})
