import type { Adapter } from '../../lib/adapters/adapter.js'
import { openStore, type Store } from '../../lib/adapters/gateway.js'

/** An adapter as the package uses it. */
export const storeOver = (adapter: Adapter, timeout = 5): Store =>
  openStore(adapter, { timeout, logger: { warn() {} } })
