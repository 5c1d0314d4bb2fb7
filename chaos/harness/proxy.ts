import { createConnection, createServer, type Socket } from 'node:net'

/** A proxy before a store, which does to its traffic what a bad day does. */
export interface StoreProxy {
  readonly port: number
  /** Milliseconds by which each piece is late, in both directions. Changed only while nothing is under way. */
  delayMs: number
  /** A piece for the store in which this is found goes no further, nor what follows it on its connection. */
  holdAt: RegExp | null
  /** Connections that are held so. */
  readonly held: number
  /**
   * From now on nothing passes, as when packets are dropped on the way: connections stay open, new ones are accepted, and nobody hears
   * anything.
   */
  swallow(): void
  /** New connections work. Those that were open during the silence stay silent for ever, as behind a firewall that forgot them. */
  forward(): void
  close(): Promise<void>
}

/** One connection through it. */
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
    // The end of a connection is a packet as well, and is lost with the others.
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
