/** Remembers what was found for a text; forgets by itself, so that it never grows beyond its size. */
export interface TokenCache<Value> {
  get(token: string): Value | undefined
  set(token: string, value: Value): void
}

/**
 * A bounded cache of two generations: what was used since the young one began moves into it, and when it is full the old one is dropped
 * whole. That costs a look-up nothing, where moving every hit to the front of a list would cost more than what is saved.
 *
 * @param capacity entries at most; 0 remembers nothing
 */
export function createTokenCache<Value>(capacity: number): TokenCache<Value> {
  const half = Math.ceil(capacity / 2)
  let young = new Map<string, Value>()
  let old = new Map<string, Value>()
  const set = (token: string, value: Value) => {
    if (half === 0) return
    if (young.size >= half) {
      old = young
      young = new Map()
    }
    young.set(token, value)
  }
  return {
    set,
    get(token) {
      const fresh = young.get(token)
      if (fresh !== undefined) return fresh
      const value = old.get(token)
      if (value !== undefined) set(token, value)
      return value
    },
  }
}
