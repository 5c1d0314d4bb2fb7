import { once } from 'node:events'
import { createServer } from 'node:net'

/** A port that nobody listens at, for a process that has to know its port before it starts. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0)
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (typeof address !== 'object' || address === null) throw new Error('no port')
  return address.port
}
