import type { Store } from '../adapters/gateway.js'
import { sha256Base64url } from '../crypto/digest.js'
import { AdapterError } from '../errors.js'
import { ENDLESS_MS } from './last-expiry.js'
import { timeOf } from './stored-time.js'
import { endedRow } from './token-session-rows.js'

/**
 * From when on all sessions of a user were revoked. A session that began before revocation was configured has no record,
 * so no list has it. It gets its record at its next use, and is revoked then if it began before the cutoff.
 */
export interface TokenCutoffs {
  /** Milliseconds since the epoch; null if the sessions of the user were never revoked together. */
  of(userId: string): Promise<number | null>
  /** Moves the cutoff of a user to the present. */
  move(userId: string): Promise<void>
}

/** Some columns have no milliseconds. */
const COLUMN_MS = 1000
const TRIES = 3

/**
 * The cutoffs, each in a row between the token sessions. Its id has a prefix that no id of a session has, and the row is
 * its own owner: no list of sessions shows it.
 *
 * @param instance name of the instance; other instances have cutoffs of their own
 * @param now milliseconds since the epoch
 */
export function createTokenCutoffs(store: Store, instance: string | undefined, now: () => number): TokenCutoffs {
  const idOf = (userId: string) => `cutoff:${sha256Base64url(JSON.stringify([instance ?? null, userId]))}`

  const read = async (userId: string) => timeOf((await store.getTokenSession(idOf(userId)))?.revokedAt)

  return {
    of: read,
    async move(userId) {
      const id = idOf(userId)
      // If another process has a clock that is ahead, its cutoff stays.
      const time = Math.max(now(), (await read(userId)) ?? 0)
      // No session without an expiry is older, so nobody needs an older cutoff.
      const expires = new Date(time + ENDLESS_MS)
      // Another process may write an earlier time at the same moment.
      for (let tries = 0; tries < TRIES; tries += 1) {
        await store.createTokenSession(endedRow(id, { expires, time, instance }))
        await store.updateTokenSession(id, { revokedAt: new Date(time), expires })
        if (((await read(userId)) ?? 0) > time - COLUMN_MS) return
      }
      throw new AdapterError('The store did not keep the time at which all sessions of a user were revoked.')
    },
  }
}
