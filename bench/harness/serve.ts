import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import { nameOf } from './people.js'
import { BARE_ROUTE, type MemoryUse, type Question, type ServerModule } from './server.js'

/**
 * The process of one server. Its arguments are the name of a file in `servers/`, a port (0 for any), and its options as JSON. It tells its
 * port when it is ready, and answers questions about itself.
 */
const [name = '', port = '0', options = '{}'] = process.argv.slice(2)

// A connection waits through the slices of all the others, which is longer than Node would let it.
const server = createServer({ keepAliveTimeout: 600_000, headersTimeout: 0, requestTimeout: 0 })
server.listen(Number(port), '127.0.0.1', async () => {
  const { port } = server.address() as AddressInfo
  const { serve }: ServerModule = await import(`../servers/${name}.js`)
  server.on('request', besideBare(await serve(`http://localhost:${port}`, JSON.parse(options))))
  process.send?.({ port })
})

process.on('message', (question: Question) => process.send?.(question === 'turns' ? takeTurns() : memory()))
process.on('disconnect', () => process.exit())

let turns: number[] = []
let isBareTurn = false
let began = cpu()

/**
 * Serves the bare route by an application of its own, and chooses in front of both, so that neither routes for the other. The turns are told apart
 * here: to be asked in between would cost more than a request.
 */
function besideBare(app: RequestListener): RequestListener {
  const bare = express()
  bare.get(BARE_ROUTE, (_req, res) => res.json({ hello: nameOf(0) }))
  return (req, res) => {
    const isBare = req.url === BARE_ROUTE
    if (isBare !== isBareTurn) {
      endTurn()
      isBareTurn = isBare
    }
    if (isBare) bare(req, res)
    else app(req, res)
  }
}

function endTurn(): void {
  const now = cpu()
  turns.push(now - began)
  began = now
}

function takeTurns(): readonly number[] {
  endTurn()
  const taken = turns
  turns = []
  return taken
}

function cpu(): number {
  const { user, system } = process.cpuUsage()
  return user + system
}

function memory(): MemoryUse {
  // Several times: finalizers that the first run queues free more.
  for (let run = 0; run < 4; run += 1) global.gc?.()
  const { rss, heapUsed } = process.memoryUsage()
  return { rss, heapUsed }
}
