// A client of your own for latchkey/adapters/redis. Without an `error` listener, Node ends the process at the first lost connection.
import { redisAdapter } from 'latchkey/adapters/redis'
import { createClient, createCluster } from 'redis'

const client = createClient({
  url: 'redis://127.0.0.1:6379',
  // While the server is down, calls fail at once instead of waiting for it.
  disableOfflineQueue: true,
  socket: {
    connectTimeout: 3000,
    // Closes a connection that is silent for this long; longer than the interval of the pings below.
    socketTimeout: 5000,
    // The default stops reconnecting for ever after a socketTimeout.
    reconnectStrategy: (retries) => Math.min(50 * 2 ** retries, 2000),
  },
})
client.on('error', (error) => console.error(error.message))
await client.connect()

// socketTimeout does not find a dead connection in use, because it starts again with each command that is sent.
setInterval(async () => {
  if (!client.isReady) return
  const late = setTimeout(() => {
    client.destroy()
    client.connect().catch((error) => console.error(error.message))
  }, 2000)
  await client.ping().catch(() => undefined)
  clearTimeout(late)
}, 1000).unref()

export const adapter = redisAdapter(client)

/** The same for a cluster. */
export async function onCluster(urls: string[]) {
  const cluster = createCluster({ rootNodes: urls.map((url) => ({ url })), defaults: { disableOfflineQueue: true } })
  cluster.on('error', (error) => console.error(error.message))
  await cluster.connect()
  return redisAdapter(cluster, { prefix: 'shop:' })
}
