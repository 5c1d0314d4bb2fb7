import { onceFor } from './awaitable.js'
import { sha256Base64url } from './digest.js'

/** A memory that can be made smaller. */
export interface Bounded {
  /** The number of its entries. */
  readonly size: number
  /** Removes expired entries, and then the least important ones, until there are no more than `size`. */
  shrinkTo(size: number): void
}

/** The memories of several secrets, which belong to one configuration. */
interface SharedMemory<T> {
  /** Keys of the memories of these secrets, the newest secret first. */
  readonly keys: readonly string[]
  /** The memories of all secrets; those that are empty are missing. */
  readonly memories: ReadonlyMap<string, T>
  /** Changes the memory of one secret, by default of the newest. */
  change<R>(work: (own: T) => R, index?: number): R
}

/** All memories whose times are of one clock. */
interface ClockMemories<T> {
  readonly all: Map<string, T>
  /** The sum of all sizes. */
  total: number
}

/** The number changes with what is kept there: two versions of the package may be in one process. */
const KEPT = Symbol.for('latchkey: kept by the process, 1')

/**
 * What the process has once. Next.js, and other bundlers, put this package into each part of an application: a value that one copy has
 * used up, or a session that it has ended, must not be good for another.
 *
 * @param name of what is kept
 * @param make makes it, in the copy that asks first
 */
export function onceInProcess<T>(name: string, make: () => T): T {
  const place = globalThis as { [KEPT]?: Map<string, unknown> }
  place[KEPT] ??= new Map()
  const kept = place[KEPT]
  if (!kept.has(name)) kept.set(name, make())
  return kept.get(name) as T
}

/**
 * Creates memories of the process, one for each secret and purpose. They do not belong to configuration objects: a value
 * that may be used only once must be refused the second time also if the application makes a new configuration for each
 * request. Times of different clocks cannot be compared, so each clock has its own memories.
 *
 * @param name of these memories, for all copies of this package in the process
 * @param make creates the memory of one secret and purpose
 * @param capacity the most entries of all memories together. If there are more, the largest memory is made smaller, so that
 *   one tenant cannot make the process forget the entries of another
 */
export function createSecretMemory<T extends Bounded>(
  name: string,
  make: (now: () => number) => T,
  capacity: number,
): (secrets: readonly string[], purpose: string, now: () => number) => SharedMemory<T> {
  const memoriesOf = onceInProcess(name, () =>
    onceFor((_now: () => number): ClockMemories<T> => ({ all: new Map(), total: 0 })),
  )

  return (secrets, purpose, now) => {
    const memories = memoriesOf(now)
    const keys = secrets.map((secret) => sha256Base64url(`${purpose} ${secret}`))
    return {
      keys,
      memories: memories.all,
      change(work, index = 0) {
        const key = keys[index] ?? ''
        const own = memories.all.get(key) ?? make(now)
        memories.all.set(key, own)
        const before = own.size
        const outcome = work(own)
        memories.total += own.size - before
        if (memories.total > capacity) makeRoom(memories, capacity)
        return outcome
      },
    }
  }
}

/** Removes more entries than it must, because it has to read all memories and so should not run often. */
function makeRoom<T extends Bounded>(memories: ClockMemories<T>, capacity: number): void {
  const { all } = memories
  memories.total = 0
  for (const [key, one] of all) {
    one.shrinkTo(one.size)
    if (one.size === 0) all.delete(key)
    memories.total += one.size
  }
  const target = Math.ceil(capacity * 0.9)
  while (memories.total > target) {
    const [key, largest] = [...all].reduce((most, entry) => (entry[1].size > most[1].size ? entry : most))
    const before = largest.size
    largest.shrinkTo(Math.max(Math.floor(before / 2), before - (memories.total - target)))
    memories.total += largest.size - before
    if (largest.size === 0) all.delete(key)
  }
}
