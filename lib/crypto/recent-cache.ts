/** Remembers what was found for a key; forgets by itself, so that it never grows beyond its size. */
export interface RecentCache<Key, Value> {
  get(key: Key): Value | undefined
  set(key: Key, value: Value): void
}

/**
 * A bounded cache of two generations: what was used since the young one began moves into it, and when it is full the old one is dropped
 * whole. That costs a look-up nothing, where moving every hit to the front of a list would cost more than what is saved.
 *
 * @param capacity entries at most; 0 remembers nothing
 */
export function createRecentCache<Key, Value>(capacity: number): RecentCache<Key, Value> {
  const half = Math.ceil(capacity / 2)
  let young = new Map<Key, Value>()
  let old = new Map<Key, Value>()
  const set = (key: Key, value: Value) => {
    if (half === 0) return
    if (young.size >= half) {
      old = young
      young = new Map()
    }
    young.set(key, value)
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
