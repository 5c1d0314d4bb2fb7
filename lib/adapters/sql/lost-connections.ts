import { hasMethods } from './has-methods.js'

/**
 * A connection of pg that breaks emits an error, by itself while it is in use and through its pool while it is idle, and an error that
 * nobody listens to ends the process. Listening is enough: the pool drops the connection, and a query that needed it fails on its own.
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

/** Pools that are listened to. An application may hand one over many times. */
const heardPools = new WeakSet<object>()

/**
 * A client of pg that is listened to from the beginning. Its pool begins when it is connected, and some of what goes wrong before is an error of the client.
 */
export const heardClient = (Client: new (config?: never) => NodeJS.EventEmitter) =>
  class extends Client {
    constructor(config?: never) {
      super(config)
      this.on('error', () => {})
    }
  }
