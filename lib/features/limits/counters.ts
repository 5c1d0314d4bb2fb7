import { isUnsupportedError } from '../../adapters/failures.js'
import type { Store } from '../../adapters/gateway.js'
import { RECORD_METHODS } from '../../adapters/methods.js'
import { createRecentCache } from '../../kernel/recent-cache.js'
import { putRecord } from '../../sign-in/records.js'
import type { Rate } from './options.js'

/** What a counter is among the records. */
const KIND = 'limit'

/** How far a counter has come. */
interface Count {
  /** When everything that was tried will have been paid off, at the rate of the limit: milliseconds since the epoch. */
  readonly paidAt: number
  /** Tries since the last one that succeeded. */
  readonly failures: number
}

/** A count as it is kept, with the version on which a change of it depends: 0 for none that is kept. */
interface Kept extends Count {
  readonly version: number
}

const NONE: Kept = { paidAt: 0, failures: 0, version: 0 }

/** Failures in a row after which what is counted is closed (NIST SP 800-63B-4 §3.2.2). */
const MOST_FAILURES = 100
/** For how long it stays closed, unless its owner comes in meanwhile. */
const CLOSED_MS = 30 * 24 * 60 * 60 * 1000
const HOUR_MS = 60 * 60 * 1000

/** How often a change is tried while other processes change the same counter. */
const TRIES = 8
/** After so many, a try is refused for a moment. */
const BUSY_MS = 1000

/** How many counters a process remembers if the adapter keeps no records. */
const IN_MEMORY = 200_000

/**
 * Counts tries, in records of an adapter, or in this process if it keeps none.
 *
 * @param store null to count in this process alone
 * @param now milliseconds since the epoch
 */
export function createCounters(store: Store | null, now: () => number) {
  const own = inMemory()
  let kept = store !== null && RECORD_METHODS.every((name) => store.has(name)) ? inRecords(store) : own
  /** The changes of each counter, one after the other: only another process can come between the two halves of one. */
  const last = new Map<string, Promise<unknown>>()
  const inTurn = <Result>(key: string, work: () => Promise<Result>): Promise<Result> => {
    const attempt = async () => {
      try {
        return await work()
      } catch (error) {
        // A database that Auth.js has made has no table for records, and its people shall sign in all the same.
        if (!isUnsupportedError(error)) throw error
        kept = own
        return work()
      }
    }
    const mine = (last.get(key) ?? Promise.resolve()).then(attempt, attempt)
    last.set(key, mine)
    const leave = () => last.get(key) === mine && last.delete(key)
    mine.then(leave, leave)
    return mine
  }

  /** Changes a count, as long as somebody else changes it at the same moment. */
  const change = <Result>(key: string, refused: Result, next: (count: Count) => readonly [Count | null, Result]) =>
    inTurn(key, async () => {
      for (let tries = 0; tries < TRIES; tries += 1) {
        const before = await kept.read(key)
        const [after, result] = next(before)
        if (after === null || (await kept.write(key, { ...after, version: before.version + 1 }))) return result
      }
      return refused
    })

  return {
    /**
     * Counts a try, if the rate allows it.
     *
     * @param closes whether many failures in a row close what is counted
     * @returns milliseconds to wait; 0 if it was counted
     */
    count: (key: string, { atOnce, perHour }: Rate, { closes = false } = {}): Promise<number> =>
      change(key, BUSY_MS, ({ paidAt, failures }) => {
        const time = now()
        const opensAt = closes && failures >= MOST_FAILURES ? paidAt + CLOSED_MS : 0
        if (opensAt > time) return [null, opensAt - time]
        const cost = HOUR_MS / perHour
        // What may follow at once is what may be unpaid. More than that is of before the clock was set back, and says nothing.
        const most = atOnce * cost
        const after = (paidAt > time && paidAt - time <= most ? paidAt : time) + cost
        const wait = after - time - most
        return wait > 0 ? [null, wait] : [{ paidAt: after, failures: opensAt > 0 ? 1 : failures + 1 }, 0]
      }),
    /**
     * Takes one try back: it succeeded.
     *
     * @param endsRow whether no failure before it counts in a row any more
     */
    giveBack: (key: string, { perHour }: Rate, endsRow = false): Promise<void> =>
      change(key, undefined, ({ paidAt, failures }) => [
        { paidAt: paidAt - HOUR_MS / perHour, failures: endsRow ? 0 : Math.max(0, failures - 1) },
        undefined,
      ]),
    /** Ends the failures in a row, and takes nothing back. */
    forgive: (key: string): Promise<void> =>
      change(key, undefined, ({ paidAt, failures }) => [failures === 0 ? null : { paidAt, failures: 0 }, undefined]),
    /** Begins anew: the owner has come in. */
    reset: (key: string): Promise<void> => inTurn(key, () => kept.drop(key)),
  }
}

interface Keeper {
  read(key: string): Promise<Kept>
  /** Whether nobody has changed it meanwhile. */
  write(key: string, count: Kept): Promise<boolean>
  drop(key: string): Promise<void>
}

const inRecords = (store: Store): Keeper => ({
  async read(key) {
    const record = await store.getRecord(KIND, key)
    if (!record) return NONE
    const [paidAt = 0, failures = 0] = record.value.split(' ').map(Number)
    const isSound = Number.isFinite(paidAt) && Number.isFinite(failures)
    return { ...(isSound ? { paidAt, failures } : NONE), version: record.version }
  },
  async write(key, { paidAt, failures, version }) {
    const record = {
      kind: KIND,
      key,
      owner: null,
      value: `${paidAt} ${failures}`,
      expires: new Date(paidAt + (failures > 0 ? CLOSED_MS : HOUR_MS)),
      version,
    }
    return putRecord(store, record)
  },
  async drop(key) {
    await store.deleteRecord(KIND, key)
  },
})

/** What was not asked for the longest time is forgotten first. */
function inMemory(): Keeper {
  const counts = createRecentCache<string, Kept>(IN_MEMORY)
  return {
    read: async (key) => counts.get(key) ?? NONE,
    async write(key, count) {
      counts.set(key, count)
      return true
    },
    drop: async (key) => counts.set(key, NONE),
  }
}
