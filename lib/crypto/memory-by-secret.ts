import { sha256Base64url } from './digest.js'

/** Something that remembers, and can be told to remember less. */
export interface Bounded {
  /** How much it remembers. */
  readonly size: number
  /** Forgets what has expired, and what else it can best spare, until it remembers no more than this. */
  shrinkTo(size: number): void
}

/** What is remembered under some secrets. */
export interface SharedMemory<T> {
  /** How many secrets there are. */
  readonly count: number
  /** What is remembered under one of them, the newest first; undefined when that is nothing. */
  at(index: number): T | undefined
  /** Changes what is remembered under one of them, the newest unless told. */
  change<R>(work: (own: T) => R, index?: number): R
}

/** All that is remembered by one clock. */
interface Shelf<T> {
  readonly all: Map<string, T>
  /** Sum of all sizes. */
  total: number
}

/**
 * A memory of the process that is parted by secrets and not by configuration objects: what may happen once, must happen once though an
 * application makes its configuration anew for each request. Times of different clocks cannot be compared, so each has a memory of its own.
 *
 * @param make what remembers for one secret and purpose
 * @param capacity over all secrets; beyond it whoever remembers the most has to forget, so that no tenant can flush another
 */
export function createSecretMemory<T extends Bounded>(
  make: (now: () => number) => T,
  capacity: number,
): (secrets: readonly string[], purpose: string, now: () => number) => SharedMemory<T> {
  const shelves = new WeakMap<() => number, Shelf<T>>()
  const shelfOf = (now: () => number): Shelf<T> => {
    const known = shelves.get(now)
    if (known) return known
    const shelf = { all: new Map<string, T>(), total: 0 }
    shelves.set(now, shelf)
    return shelf
  }

  return (secrets, purpose, now) => {
    const shelf = shelfOf(now)
    const keys = secrets.map((secret) => sha256Base64url(`${purpose} ${secret}`))
    return {
      count: keys.length,
      at: (index) => shelf.all.get(keys[index] ?? ''),
      change(work, index = 0) {
        const key = keys[index] ?? ''
        const own = shelf.all.get(key) ?? make(now)
        shelf.all.set(key, own)
        const before = own.size
        const outcome = work(own)
        shelf.total += own.size - before
        if (shelf.total > capacity) makeRoom(shelf, capacity)
        return outcome
      },
    }
  }
}

/** Makes more room than is needed now, since all of it has to be looked through. */
function makeRoom<T extends Bounded>(shelf: Shelf<T>, capacity: number): void {
  const { all } = shelf
  shelf.total = 0
  for (const [key, one] of all) {
    one.shrinkTo(one.size)
    if (one.size === 0) all.delete(key)
    shelf.total += one.size
  }
  const target = Math.ceil(capacity * 0.9)
  while (shelf.total > target) {
    const [key, largest] = [...all].reduce((most, entry) => (entry[1].size > most[1].size ? entry : most))
    const before = largest.size
    largest.shrinkTo(Math.max(Math.floor(before / 2), before - (shelf.total - target)))
    shelf.total += largest.size - before
    if (largest.size === 0) all.delete(key)
  }
}
