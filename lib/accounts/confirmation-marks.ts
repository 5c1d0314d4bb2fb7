import type { AdapterUser } from '../adapters/adapter.js'
import { adapterCalls } from '../adapters/adapter-calls.js'
import { keyedDigest } from '../crypto/keyed-digest.js'
import type { ResolverSettings } from './directory.js'

/**
 * Marks of confirmations that have begun and are not complete. While one is there, ways in may be left of a user whose address is stored as confirmed: the store may
 * have done so late, or the process may have died before it looked.
 */
export interface ConfirmationMarks {
  /** Leaves the mark of a user. One that is there already is as good. */
  leave(user: Pick<AdapterUser, 'id'>): Promise<void>
  /** Uses the mark up, and says whether there was one. */
  take(user: Pick<AdapterUser, 'id'>): Promise<boolean>
}

/**
 * No way in that is left may outlive the mark. So it has no end that anybody lives to see; tables want a date. The type
 * `timestamp` of MySQL and MariaDB has none after January 2038.
 */
const LIFETIME_MS = 10 * 365 * 24 * 60 * 60 * 1000
const LAST_END = Date.UTC(2038, 0, 1)

/** The marks in the verification tokens of an adapter. Both methods throw what the store throws: without a mark nothing is confirmed. */
export function createConfirmationMarks({
  adapter,
  secrets,
  logger,
  now,
}: Pick<ResolverSettings, 'adapter' | 'secrets' | 'logger' | 'now'>): ConfirmationMarks {
  const methods = ['createVerificationToken', 'useVerificationToken'] as const
  const store = adapterCalls(adapter, methods, 'confirming an address', logger)

  const takeFirst = async (user: Pick<AdapterUser, 'id'>): Promise<boolean> => {
    for (const secret of secrets) if (await store.useVerificationToken(markOf(user, secret))) return true
    return false
  }

  const leave = async (user: Pick<AdapterUser, 'id'>): Promise<void> => {
    const row = () => ({
      ...markOf(user, secrets[0] ?? ''),
      expires: new Date(Math.min(now() + LIFETIME_MS, LAST_END)),
    })
    try {
      await store.createVerificationToken(row())
    } catch {
      // Most stores refuse a second row of the same texts, and not all say so in a way that can be told from a fault.
      await takeFirst(user)
      await store.createVerificationToken(row())
    }
  }

  return {
    leave,
    async take(user) {
      try {
        return await takeFirst(user)
      } catch (error) {
        // It may have been used up although the answer was lost.
        await leave(user)
        throw error
      }
    },
  }
}

/** The row of a mark: two digests that nobody makes without the secret, of a user alone. */
function markOf({ id }: Pick<AdapterUser, 'id'>, secret: string): { identifier: string; token: string } {
  const subject = [String(id)]
  return {
    identifier: `confirming:${keyedDigest(secret, 'confirming', subject)}`,
    token: keyedDigest(secret, 'confirming-of-user', subject),
  }
}
