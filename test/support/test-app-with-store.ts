import { memoryAdapter } from '../../lib/adapters/memory.js'
import type { Adapter, AuthConfig } from '../../lib/index.js'
import { openTestApp } from './test-app.js'

/** A testApp over a store that has Ada, and counts what is asked of it. */
export function openTestAppWithStore(
  options: Partial<AuthConfig> = {},
  changed: (adapter: Adapter) => Adapter = (adapter) => adapter,
) {
  const store = memoryAdapter()
  store.createUser({ id: '1815', name: 'Ada', email: 'ada@example.com', image: null, emailVerified: null })
  const calls: string[] = []
  const counted = Object.fromEntries(
    Object.entries(changed(store)).map(([name, method]) => [
      name,
      (...args: unknown[]) => {
        calls.push(name)
        return (method as (...args: unknown[]) => unknown)(...args)
      },
    ]),
  ) as Adapter
  return { ...openTestApp({ adapter: counted, ...options }), store, calls }
}
