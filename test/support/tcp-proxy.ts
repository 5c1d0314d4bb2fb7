import { createConnection, createServer, type Socket } from 'node:net'

/** A proxy before a server on this machine, which can behave as a network that loses connections does. */
export interface TcpProxy {
  readonly port: number
  /** Connections that are open through it. */
  readonly openConnections: number
  /**
   * From now on nothing passes, in either direction: connections stay open, new ones are accepted, and nobody hears anything, as when packets are
   * dropped on the way. What is sent meanwhile is lost.
   */
  swallow(): void
  /** From now on new connections work. Those that were open during the silence stay silent for ever, as they do behind a firewall that forgot them. */
  forward(): void
  /** New connections lead to another server from now on, as when a name or an address moves at a failover. */
  moveTo(port: number): void
  /** Resets every connection, as when a server or a network tells that they are gone. */
  cut(): void
  /** Refuses connections from now on, and resets those that are open. */
  close(): Promise<void>
}

/** @param targetPort of the server on this machine */
export async function startTcpProxy(targetPort: number, targetHost = '127.0.0.1'): Promise<TcpProxy> {
  let isSilent = false
  let port = targetPort
  const sockets = new Set<Socket>()
  const sides = new Set<{ isDeaf: boolean }>()

  const keep = (socket: Socket) => {
    sockets.add(socket)
    // The fault of one side ends the other one by its 'close'.
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
  }

  const server = createServer((near) => {
    keep(near)
    const state = { isDeaf: isSilent }
    sides.add(state)
    near.on('close', () => sides.delete(state))
    if (isSilent) {
      near.resume()
      return
    }
    const far = createConnection(port, targetHost)
    keep(far)
    join(near, far, state)
    join(far, near, state)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('The proxy has no port.')

  const cut = () => {
    for (const socket of sockets) socket.resetAndDestroy()
  }
  return {
    port: address.port,
    get openConnections() {
      return sides.size
    },
    swallow() {
      isSilent = true
      for (const state of sides) state.isDeaf = true
    },
    forward() {
      isSilent = false
    },
    moveTo(next) {
      port = next
    },
    cut,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      cut()
      await closed
    },
  }
}

function join(from: Socket, to: Socket, state: { readonly isDeaf: boolean }): void {
  from.on('data', (chunk) => {
    if (!state.isDeaf) to.write(chunk)
  })
  // The end of a connection is a packet as well, and is lost with the others.
  from.on('close', () => {
    if (!state.isDeaf) to.destroy()
  })
}
