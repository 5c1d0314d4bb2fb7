import type { AdapterUser } from '../adapters/adapter.js'
import { keyedDigest } from '../kernel/digest.js'
import type { AccountsDependencies } from './dependencies.js'

/**
 * Markers of confirmations that have begun and are not complete. A marker means: check this user's access again. The address
 * may be stored as confirmed while some access remains, because the store stored it late, or the process died before it
 * looked again.
 *
 * Both methods throw what the store throws: without a marker nothing is confirmed.
 */
interface ConfirmationMarkers {
  /** Stores the marker of a user. A user has one marker at most. */
  put(user: Pick<AdapterUser, 'id'>): Promise<void>
  /** Uses the marker of a user up. Returns whether there was one. */
  consume(user: Pick<AdapterUser, 'id'>): Promise<boolean>
}

/**
 * The marker must live as long as any access that is left, so it should not expire. Tables need a date, so the date is far
 * away. The type `timestamp` of MySQL and MariaDB has no dates after January 2038.
 */
const LIFETIME_MS = 10 * 365 * 24 * 60 * 60 * 1000
const LAST_EXPIRY = Date.UTC(2038, 0, 1)

/** Keeps the markers as verification tokens of an adapter. */
export function createConfirmationMarkers({
  store,
  secrets,
  now,
}: Pick<AccountsDependencies, 'store' | 'secrets' | 'now'>): ConfirmationMarkers {
  const consumeFirst = async (user: Pick<AdapterUser, 'id'>): Promise<boolean> => {
    for (const secret of secrets) if (await store.useVerificationToken(markerOf(user, secret))) return true
    return false
  }

  const put = async (user: Pick<AdapterUser, 'id'>): Promise<void> => {
    const row = () => ({
      ...markerOf(user, secrets[0] ?? ''),
      expires: new Date(Math.min(now() + LIFETIME_MS, LAST_EXPIRY)),
    })
    try {
      await store.createVerificationToken(row())
    } catch {
      // Most stores refuse a second row with the same texts, and the error of some cannot be distinguished from a fault.
      await consumeFirst(user)
      await store.createVerificationToken(row())
    }
  }

  return {
    put,
    async consume(user) {
      try {
        return await consumeFirst(user)
      } catch (error) {
        // The marker may have been used up although the answer was lost.
        await put(user)
        throw error
      }
    },
  }
}

/** The row of a marker: two digests of the user's id, which nobody can make without the secret. */
function markerOf({ id }: Pick<AdapterUser, 'id'>, secret: string): { identifier: string; token: string } {
  const subject = [String(id)]
  return {
    identifier: `confirming:${keyedDigest(secret, 'confirming', subject)}`,
    token: keyedDigest(secret, 'confirming-of-user', subject),
  }
}
