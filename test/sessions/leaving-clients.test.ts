import { type IncomingMessage, request } from 'node:http'
import { expect } from 'chai'
import express from 'express'
import pg from 'pg'
import type { Adapter } from '../../lib/adapters/adapter.js'
import { memoryAdapter } from '../../lib/adapters/memory.js'
import { sqlAdapter } from '../../lib/adapters/sql.js'
import { expressAuth, requireAuth } from '../../lib/index.js'
import { migratedDatabase, postgres } from '../adapters/sql/databases.js'
import { createLog, listen, type Running, testConfig } from '../support/app.js'
import { registering } from '../support/sign-ins.js'
import type { Visitor } from '../support/visitor.js'

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

async function start(adapter: Adapter, storeTimeout = 5) {
  const log = createLog()
  const config = testConfig({
    adapter,
    storeTimeout,
    providers: [registering(adapter as Required<Adapter>)],
    session: { strategy: 'database' },
    logger: log.logger,
  })
  const server = express()
  server.use('/auth', expressAuth(config))
  server.get('/private', requireAuth(config), (_req, res) => void res.send('in'))
  server.use((_error: Error, _req: express.Request, res: express.Response, _next: express.NextFunction) => {
    res.sendStatus(500)
  })
  const app = await listen(server)
  app.server.setMaxListeners(0)
  return { app, log }
}

const signedIn = async (app: Running) => {
  const visitor = app.visitor()
  await visitor.signIn({ email: `${Math.random()}@example.com` })
  return visitor
}

/** A request whose browser leaves as soon as the server has it; done when the server knows. */
async function leave(app: Running, visitor: Visitor, path: string) {
  const url = `${path}?${Math.random()}`
  const gone = new Promise<void>((resolve) => {
    const watch = (req: IncomingMessage & { originalUrl?: string }) => {
      if ((req.originalUrl ?? req.url) !== url) return
      app.server.off('request', watch)
      req.socket.once('close', () => resolve())
      sent.destroy()
    }
    app.server.on('request', watch)
  })
  const sent = request(visitor.origin + url, { headers: { cookie: visitor.cookieHeader() }, agent: false })
  sent.on('error', () => {})
  sent.end()
  await gone
}

describe('clients that leave while the store is busy', () => {
  it('cost no look-up, and no line in the log, at a guard, at the session action and at the list of sessions', async () => {
    const memory = memoryAdapter()
    const asked: string[] = []
    let gate = Promise.resolve()
    let open = () => {}
    const adapter: Adapter = {
      ...memory,
      async getSessionAndUser(token) {
        asked.push(token)
        await gate
        return memory.getSessionAndUser(token)
      },
    }
    const { app, log } = await start(adapter)
    const visitor = await signedIn(app)
    await visitor.get('/private')
    gate = new Promise((resolve) => {
      open = resolve
    })
    asked.length = 0
    const first = visitor.get('/private')
    await pause(30)
    for (const path of ['/private', '/auth/session', '/auth/sessions'])
      await Promise.all(Array.from({ length: 20 }, () => leave(app, visitor, path)))
    await pause(50)
    open()
    expect((await first).text).to.equal('in')
    await pause(20)
    expect(asked).to.have.length(1)
    expect(log.errors).to.deep.equal([])
    expect((await visitor.get('/private')).text).to.equal('in')
    await app.close()
  })

  it('send no query once the pool has a connection for it', async function () {
    await postgres.requireServer.call(this)
    const database = await migratedDatabase(postgres)
    const pool = new pg.Pool({ connectionString: database.url, max: 1 })
    const sent: string[] = []
    pool.on('connect', (client) => {
      const query = client.query.bind(client)
      Object.assign(client, {
        query: (...args: unknown[]) => {
          sent.push(String(args[0]))
          return (query as (...args: unknown[]) => unknown)(...args)
        },
      })
    })
    const { app, log } = await start(sqlAdapter(pool))
    const visitors = await Promise.all(Array.from({ length: 8 }, () => signedIn(app)))
    for (const visitor of visitors) expect((await visitor.get('/private')).text).to.equal('in')
    const busy = await pool.connect()
    sent.length = 0
    await Promise.all(visitors.map((visitor) => leave(app, visitor, '/private')))
    await pause(100)
    busy.release()
    await pause(100)
    expect(sent).to.deep.equal([])
    expect(log.errors).to.deep.equal([])
    expect((await visitors[0]?.get('/private'))?.text).to.equal('in')
    await app.close()
    await pool.end()
    await database.drop()
  })
})
