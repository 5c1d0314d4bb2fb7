import { hasMethods } from './has-methods.js'

/**
 * A connection of pg that breaks emits an error: the connection itself while it is in use, and its pool while it is
 * idle. An error without a listener ends the process. A listener that does nothing is enough: the pool drops the
 * connection, and its query fails anyway.
 */
export function surviveLostConnections(pool: unknown): void {
  if (!hasMethods(pool, 'on', 'listenerCount')) return
  if (heardPools.has(pool)) return
  heardPools.add(pool)
  const emitter = pool as unknown as NodeJS.EventEmitter
  emitter.on('error', () => {})
  const heard = new WeakSet<object>()
  emitter.on('acquire', (client: NodeJS.EventEmitter) => {
    if (heard.has(client)) return
    heard.add(client)
    client.on('error', () => {})
  })
}

/** Pools that have a listener. An application may pass the same pool many times. */
const heardPools = new WeakSet<object>()

/**
 * A client of pg that has a listener from the beginning. Its pool adds a listener only after the client has connected,
 * and some failures before that are errors of the client.
 */
export const heardClient = (Client: new (config?: never) => NodeJS.EventEmitter) =>
  class extends Client {
    constructor(config?: never) {
      super(config)
      this.on('error', () => {})
    }
  }
