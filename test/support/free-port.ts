import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * A port that nobody listens at, for a process that has to know its port before it starts. It is below the ports that systems give
 * to whoever asks for any, so that no other test gets it before the process has started.
 */
export async function freePort(): Promise<number> {
  const port = randomInt(12_000, 32_000)
  const server = createServer().listen(port)
  const isFree = await once(server, 'listening').then(
    () => true,
    () => false,
  )
  if (!isFree) return freePort()
  server.close()
  await once(server, 'close')
  return port
}
