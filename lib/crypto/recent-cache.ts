/** Remembers what was found for a key; forgets by itself, so that it never grows beyond its size. */
export interface RecentCache<Key, Value> {
  get(key: Key): Value | undefined
  set(key: Key, value: Value): void
}

/** How much memory a cache may take up. */
export interface Budget<Value> {
  readonly bytes: number
  /** What a value takes up, about. */
  readonly sizeOf: (value: Value) => number
}

/**
 * A bounded cache of two generations: what was used since the young one began moves into it, and when it is full the old one is dropped
 * whole. That costs a look-up nothing, where moving every hit to the front of a list would cost more than what is saved.
 *
 * @param capacity entries at most; 0 remembers nothing
 * @param budget for values of very different sizes; one that would fill a generation alone is not remembered
 */
export function createRecentCache<Key, Value>(capacity: number, budget?: Budget<Value>): RecentCache<Key, Value> {
  const half = Math.ceil(capacity / 2)
  const halfBytes = budget ? budget.bytes / 2 : Number.POSITIVE_INFINITY
  let young = new Map<Key, Value>()
  let old = new Map<Key, Value>()
  let youngBytes = 0
  const set = (key: Key, value: Value) => {
    const bytes = budget ? budget.sizeOf(value) : 0
    if (half === 0 || bytes > halfBytes) return
    if (young.size >= half || youngBytes + bytes > halfBytes) {
      old = young
      young = new Map()
      youngBytes = 0
    }
    young.set(key, value)
    youngBytes += bytes
  }
  return {
    set,
    get(key) {
      const fresh = young.get(key)
      if (fresh !== undefined) return fresh
      const value = old.get(key)
      if (value !== undefined) set(key, value)
      return value
    },
  }
}
