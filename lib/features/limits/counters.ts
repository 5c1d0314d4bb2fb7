import type { AdapterRecord } from '../../adapters/adapter.js'
import { isUnsupportedError } from '../../adapters/failures.js'
import type { Store } from '../../adapters/gateway.js'
import { RECORD_METHODS } from '../../adapters/methods.js'
import type { MaybePromise } from '../../kernel/awaitable.js'
import { createPublicIds, sha256Base64url } from '../../kernel/digest.js'
import { createRecentCache } from '../../kernel/recent-cache.js'
import type { Parts } from '../../sign-in/feature.js'
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

const NONE: Count = { paidAt: 0, failures: 0 }

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
 */
export function createCounters(store: Store | null, { secrets, now }: Pick<Parts, 'secrets' | 'now'>) {
  const own = inMemory()
  const stored = store !== null && RECORD_METHODS.every((name) => store.has(name)) ? inRecords(store) : null
  let kept = stored ?? own
  const ids = createPublicIds(secrets, 'limit')
  const inKept = <Result>(work: (keeper: Keeper) => MaybePromise<Result>): MaybePromise<Result> => {
    const result = work(kept)
    if (!(result instanceof Promise)) return result
    return result.catch((error) => {
      // A database that Auth.js has made has no table for records, and its people shall sign in all the same.
      if (!isUnsupportedError(error)) throw error
      kept = own
      return work(own)
    })
  }
  const change = <Result>(key: string, refused: Result, next: Next<Result>) =>
    inKept((keeper) => keeper.change(key, refused, next))

  return {
    /** The key of a counter. Whoever reads the store cannot find out whom it counts; memory needs keys that are short. */
    keyOf: (what: readonly string[]): string => (stored ? ids.make(what) : sha256Base64url(JSON.stringify(what))),
    /**
     * Counts a try, if the rate allows it.
     *
     * @param closes whether many failures in a row close what is counted
     * @returns milliseconds to wait; 0 if it was counted
     */
    count: (key: string, { atOnce, perHour }: Rate, { closes = false } = {}): MaybePromise<number> =>
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
    giveBack: (key: string, { perHour }: Rate, endsRow = false): MaybePromise<void> =>
      change(key, undefined, ({ paidAt, failures }) => [
        { paidAt: paidAt - HOUR_MS / perHour, failures: endsRow ? 0 : Math.max(0, failures - 1) },
        undefined,
      ]),
    /** Ends the failures in a row, and takes nothing back. */
    forgive: (key: string): MaybePromise<void> =>
      change(key, undefined, ({ paidAt, failures }) => [failures === 0 ? null : { paidAt, failures: 0 }, undefined]),
    /** Begins anew: the owner has come in. */
    reset: (key: string): MaybePromise<void> => inKept((keeper) => keeper.drop(key)),
  }
}

/** What a count becomes, null for the same, and what the change gives. */
type Next<Result> = (count: Count) => readonly [Count | null, Result]

interface Keeper {
  /** @param refused what it gives if others change the count all the time */
  change<Result>(key: string, refused: Result, next: Next<Result>): MaybePromise<Result>
  drop(key: string): MaybePromise<void>
}

function inRecords(store: Store): Keeper {
  /** The changes of each counter, one after the other: only another process can come between the two halves of one. */
  const last = new Map<string, Promise<unknown>>()
  const inTurn = <Result>(key: string, work: () => Promise<Result>): Promise<Result> => {
    const mine = (last.get(key) ?? Promise.resolve()).then(work, work)
    last.set(key, mine)
    const leave = () => last.get(key) === mine && last.delete(key)
    mine.then(leave, leave)
    return mine
  }
  return {
    change: (key, refused, next) =>
      inTurn(key, async () => {
        for (let tries = 0; tries < TRIES; tries += 1) {
          const record = await store.getRecord(KIND, key)
          const [after, result] = next(record ? countIn(record) : NONE)
          if (after === null || (await putRecord(store, recordOf(key, after, (record?.version ?? 0) + 1))))
            return result
        }
        return refused
      }),
    drop: (key) =>
      inTurn(key, async () => {
        await store.deleteRecord(KIND, key)
      }),
  }
}

function countIn({ value }: AdapterRecord): Count {
  const [paidAt = 0, failures = 0] = value.split(' ').map(Number)
  return Number.isFinite(paidAt) && Number.isFinite(failures) ? { paidAt, failures } : NONE
}

/** @param version on which the next change depends */
const recordOf = (key: string, { paidAt, failures }: Count, version: number): AdapterRecord => ({
  kind: KIND,
  key,
  owner: null,
  value: `${paidAt} ${failures}`,
  expires: new Date(paidAt + (failures > 0 ? CLOSED_MS : HOUR_MS)),
  version,
})

/** What was not asked for the longest time is forgotten first. Nothing comes between the two halves of a change. */
function inMemory(): Keeper {
  const counts = createRecentCache<string, Count>(IN_MEMORY)
  return {
    change(key, _refused, next) {
      const [after, result] = next(counts.get(key) ?? NONE)
      if (after !== null) counts.set(key, after)
      return result
    },
    drop: (key) => counts.set(key, NONE),
  }
}
