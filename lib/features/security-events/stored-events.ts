import { randomInt } from 'node:crypto'
import { sha256Base64url } from '../../kernel/digest.js'
import { createValueEncryption } from '../../kernel/encrypted-values.js'
import { AdapterError, AuthError, withoutDetails } from '../../kernel/errors.js'
import type { Parts } from '../../sign-in/feature.js'
import { putRecordOf } from '../../sign-in/records.js'
import type { SecurityEvent } from '../../sign-in/security-event.js'

/** What the events of a user are among the records: one record has them all. */
const KIND = 'security-events'

/** How many are kept of what only its owner can do, or who has got in, and of failures, which any stranger can cause. */
const MOST = 50
const MOST_FAILURES = 10

/** Bytes of their JSON. Encrypted they are a third more, and a record has at most 60,000. */
const MOST_BYTES = 40_000

/** How often a record is changed on condition that nobody has changed it meanwhile. */
const TRIES = 8

/**
 * For how long failures of a user are gathered before they are stored, milliseconds. Of somebody unknown nothing is stored: at another
 * time than the answer, which differs each time, the work does not show who is known (EVENT-02). And a storm of guesses costs one write.
 */
const GATHERED_FROM = 1000
const GATHERED_UNTIL = 3000

/** What the encrypted value of a record has. */
interface StoredEvents {
  /** Otherwise a record that was put in the place of another one would be somebody else's. */
  readonly userId: string
  /** The oldest first. */
  readonly events: readonly SecurityEvent[]
}

/**
 * Keeps the events of users of the adapter, each for some time.
 *
 * @param maxAge seconds
 */
export function createStoredEvents(
  maxAge: number,
  { store, secrets, now, logger }: Pick<Parts, 'store' | 'secrets' | 'now' | 'logger'>,
) {
  const encryption = createValueEncryption(secrets, 'security-events', now, { isInStore: true })
  const keyOf = (userId: string) => sha256Base64url(userId)
  const gathered = new Map<string, readonly SecurityEvent[]>()

  const read = async (userId: string) => {
    const record = await store.getRecord(KIND, keyOf(userId))
    // Nothing depends on them: those that cannot be read give way to the next ones.
    const value = record && (encryption.decrypt(record.value) as StoredEvents | null)
    const first = new Date(now() - maxAge * 1000).toISOString()
    const events = value?.userId === userId ? value.events.filter(({ at }) => at > first) : []
    return { version: record?.version ?? 0, events }
  }

  const append = async (userId: string, added: readonly SecurityEvent[]): Promise<void> => {
    const expires = new Date(now() + maxAge * 1000)
    for (let turn = 0; turn < TRIES; turn += 1) {
      const { version, events } = await read(userId)
      const value: StoredEvents = { userId, events: joined(events, added) }
      const sealed = encryption.encrypt(value, Number.POSITIVE_INFINITY)
      const record = { kind: KIND, key: keyOf(userId), value: sealed, expires, version: version + 1 }
      // Nothing is kept of who is no user of the adapter, or was deleted meanwhile (EVENT-06).
      if ((await putRecordOf(store, userId, record)) || !(await store.getUser(userId))) return
    }
    throw new AdapterError('Security events could not be stored: the record changes all the time.')
  }

  /** Stores failures later, together. Nobody waits for it. */
  const gather = (userId: string, failures: readonly SecurityEvent[]): void => {
    const earlier = gathered.get(userId)
    gathered.set(userId, joined(earlier ?? [], failures))
    if (earlier) return
    const flush = () => {
      const all = gathered.get(userId) ?? []
      gathered.delete(userId)
      append(userId, all).catch((error) => {
        logger.error(new AuthError('Failed sign-ins could not be stored.', { err: withoutDetails(error) }), undefined)
      })
    }
    setTimeout(flush, randomInt(GATHERED_FROM, GATHERED_UNTIL)).unref()
  }

  return {
    /** Those of one request: they are of one user. What is not about a known user is not kept, nor the end of an account. */
    async add(events: readonly SecurityEvent[]): Promise<void> {
      const kept = events.filter(({ userId, type }) => userId !== null && type !== 'account-deleted')
      const [{ userId = null } = {}] = kept
      if (userId === null) return
      if (kept.every(isFailure)) gather(userId, kept)
      else await append(userId, kept)
    },
    /** The newest first. */
    list: async (userId: string): Promise<readonly SecurityEvent[]> => (await read(userId)).events.toReversed(),
  }
}

const isFailure = ({ type }: SecurityEvent): boolean => type === 'sign-in-failed' || type === 'second-factor-failed'

/**
 * Earlier events with later ones. Failures of a day from one network are one, and they have a place of their own, so that no stranger
 * drives the others out (EVENT-04).
 */
function joined(events: readonly SecurityEvent[], added: readonly SecurityEvent[]): readonly SecurityEvent[] {
  const all = [...events]
  for (const event of added) {
    const at = isFailure(event) ? all.findIndex((earlier) => isSameFailure(earlier, event)) : -1
    const [same] = at < 0 ? [] : all.splice(at, 1)
    all.push(same ? { ...event, count: same.count + event.count } : event)
  }
  // Failures come some seconds later than what was stored meanwhile.
  all.sort((one, other) => Date.parse(one.at) - Date.parse(other.at))
  const failures = all.filter(isFailure).slice(-MOST_FAILURES)
  const others = all.filter((event) => !isFailure(event)).slice(-MOST)
  const kept = all.filter((event) => failures.includes(event) || others.includes(event))
  while (Buffer.byteLength(JSON.stringify(kept)) > MOST_BYTES) kept.shift()
  return kept
}

const isSameFailure = (one: SecurityEvent, other: SecurityEvent): boolean =>
  one.type === other.type && one.network === other.network && dayOf(one) === dayOf(other)

const dayOf = ({ at }: SecurityEvent): string => at.slice(0, 10)
