import type { Adapter } from '../../lib/adapters/adapter.js'
import { ADAPTER_METHODS } from '../../lib/adapters/methods.js'

/** A store that answers with promises, until a test lets it hang: then calls get no answer, now or later. */
export function hanging(store: Required<Adapter>) {
  let isHanging: (name: string) => boolean = () => false
  const calls: string[] = []
  const entries = ADAPTER_METHODS.map((name) => [
    name,
    async (...args: unknown[]) => {
      calls.push(name)
      if (isHanging(name)) return new Promise(() => {})
      return (store[name] as (...args: unknown[]) => unknown)(...args)
    },
  ])
  return {
    adapter: Object.fromEntries(entries) as Required<Adapter>,
    calls,
    /** From now on: one method, or all. */
    hang(method?: keyof Adapter) {
      isHanging = (name) => method === undefined || name === method
    },
    answer() {
      isHanging = () => false
    },
  }
}
