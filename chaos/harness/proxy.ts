import { createConnection, createServer, type Socket } from 'node:net'

/** A proxy in front of a store, which can delay, hold and drop the traffic. */
export interface StoreProxy {
  readonly port: number
  /** Milliseconds by which each packet is delayed, in both directions. Change it only while no packet is on its way. */
  delayMs: number
  /** A packet for the store that matches this is held, and so is everything after it on its connection. */
  holdAt: RegExp | null
  /** Number of connections that are held in this way. */
  readonly held: number
  /**
   * From now on nothing passes, as if packets were dropped on the way: connections stay open, new ones are accepted, and
   * no data arrives.
   */
  swallow(): void
  /** New connections work. Connections that were open during the silence stay silent, as behind a firewall that dropped them. */
  forward(): void
  close(): Promise<void>
}

/** One connection through the proxy. */
interface Line {
  isDeaf: boolean
  isHeld: boolean
}

/** @param target port on this machine */
export async function startProxy(target: number): Promise<StoreProxy> {
  const sockets = new Set<Socket>()
  const lines = new Set<Line>()
  let isSilent = false

  const join = (from: Socket, to: Socket, line: Line, isAsking: boolean) => {
    from.on('data', (piece) => {
      if (isAsking && proxy.holdAt?.test(piece.toString('latin1'))) line.isHeld = true
      if (line.isDeaf || (isAsking && line.isHeld)) return
      if (proxy.delayMs === 0) to.write(piece)
      else setTimeout(() => to.writable && !line.isDeaf && to.write(piece), proxy.delayMs)
    })
    // The end of a connection is a packet, too, and is lost like the others.
    from.on('close', () => line.isDeaf || to.destroy())
    from.on('error', () => undefined)
  }
  const server = createServer((near) => {
    const line = { isDeaf: isSilent, isHeld: false }
    sockets.add(near)
    lines.add(line)
    near.on('error', () => undefined)
    near.on('close', () => {
      lines.delete(line)
      sockets.delete(near)
    })
    if (isSilent) return void near.resume()
    const far = createConnection(target, '127.0.0.1')
    sockets.add(far)
    far.on('close', () => sockets.delete(far))
    join(near, far, line, true)
    join(far, near, line, false)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('The proxy has no port.')
  const proxy: StoreProxy = {
    port: address.port,
    delayMs: 0,
    holdAt: null,
    get held() {
      return [...lines].filter(({ isHeld }) => isHeld).length
    },
    swallow() {
      isSilent = true
      for (const line of lines) line.isDeaf = true
    },
    forward() {
      isSilent = false
    },
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
  return proxy
}
