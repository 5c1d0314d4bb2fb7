/** Remembers values by key, up to a limit. It forgets values that were not used for the longest time. */
export interface RecentCache<Key, Value> {
  get(key: Key): Value | undefined
  set(key: Key, value: Value): void
}

/** How much memory a cache may use. */
interface Budget<Value> {
  readonly bytes: number
  /** The bytes that a value uses, approximately. */
  readonly sizeOf: (value: Value) => number
}

/**
 * A bounded cache of two generations. A used value moves to the young generation. When the young generation is full, it
 * becomes the old one, and the former old one is dropped with all its values. A value that is in the young generation
 * already need not move, which is faster than a list that every hit reorders.
 *
 * @param capacity the most entries; 0 remembers nothing
 * @param budget a limit in bytes, for values of very different sizes. A value that alone exceeds half of it is not remembered
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
