import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import { nameOf } from './people.js'
import { BARE_ROUTE, type Usage } from './server.js'

/**
 * The process of one server. Its arguments are the name of a file in `servers/`, or `express`, and its options as JSON. It sends
 * its origin when it is ready, and answers each message with its {@link Usage}.
 */
const [file = '', options = '{}'] = process.argv.slice(2)
const batches: number[] = []
let isBareBatch = false
let start = process.cpuUsage()

// A connection is idle while other servers are measured. That takes longer than the defaults of Node.
const server = createServer({ keepAliveTimeout: 600_000, headersTimeout: 0, requestTimeout: 0 })
server.listen(0, '127.0.0.1', async () => {
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  // The bare route has an application of its own: neither application pays for the routes of the other.
  const bare = withoutGuard(BARE_ROUTE)
  const { serve } = file === 'express' ? { serve: () => withoutGuard('/hello') } : await import(`./servers/${file}.js`)
  const app = await serve(origin, JSON.parse(options))
  server.on('request', (req, res) => {
    const isBare = req.url === BARE_ROUTE
    // A batch ends when requests for the other route begin. A question between batches would cost more than a request.
    if (isBare !== isBareBatch) endBatch()
    isBareBatch = isBare
    if (isBare) bare(req, res)
    else app(req, res)
  })
  process.send?.(origin)
})
process.on('message', () => process.send?.(usage()))
process.on('disconnect', () => process.exit())

function withoutGuard(path: string): express.Express {
  return express().get(path, (_req, res) => void res.json({ hello: nameOf(0) }))
}

function endBatch(): void {
  const { user, system } = process.cpuUsage(start)
  batches.push(user + system)
  start = process.cpuUsage()
}

function usage(): Usage {
  endBatch()
  // Several times: finalizers of the first collection release more.
  for (let run = 0; run < 4; run += 1) global.gc?.()
  const { rss, heapUsed } = process.memoryUsage()
  return { batches: batches.splice(0), memory: [rss, heapUsed] }
}
