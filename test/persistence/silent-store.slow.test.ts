import { expect } from 'chai'
import express from 'express'
import type { Adapter } from '../../lib/adapters/adapter.js'
import { redisAdapter } from '../../lib/adapters/redis.js'
import { migrateToLatest, type PoolOptions, sqlAdapter } from '../../lib/adapters/sql.js'
import { expressAuth, requireAuth } from '../../lib/index.js'
import { within } from '../../lib/kernel/awaitable.js'
import { hasRedisPrograms, skipSuite, startServer } from '../adapters/redis/servers.js'
import { type Engine, mariadb, postgres } from '../adapters/sql/databases.js'
import { createLog, listen, type Running, testConfig } from '../support/app.js'
import { registering } from '../support/sign-ins.js'
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.js'
import type { Visitor } from '../support/visitor.js'

const LIMIT_S = 1

/** A store behind a proxy that can fall silent. */
interface Store {
  readonly adapter: Required<Adapter>
  readonly proxy: TcpProxy
  remove(): Promise<void>
}

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

const onSql =
  (engine: Engine, pool: PoolOptions) =>
  async (context: Mocha.Context): Promise<Store> => {
    await engine.requireServer.call(context)
    const database = await engine.create()
    await migrateToLatest(database.connection)
    const url = new URL(database.url)
    const proxy = await startTcpProxy(Number(url.port))
    url.port = String(proxy.port)
    const adapter = sqlAdapter({ url: url.href, pool }, { queryTimeout: LIMIT_S })
    return {
      adapter,
      proxy,
      async remove() {
        await proxy.close()
        await adapter.close().catch(() => {})
        await database.drop()
      },
    }
  }

const STORES: Readonly<Record<string, (context: Mocha.Context) => Promise<Store>>> = {
  PostgreSQL: onSql(postgres, { max: 4 }),
  MariaDB: onSql(mariadb, { connectionLimit: 4 }),
  async Redis(context) {
    if (!(await hasRedisPrograms())) return skipSuite(context, 'redis-server and redis-cli are not installed')
    const server = await startServer()
    const proxy = await startTcpProxy(server.port)
    const adapter = redisAdapter({ url: `redis://127.0.0.1:${proxy.port}` }, { commandTimeout: LIMIT_S })
    return {
      adapter,
      proxy,
      async remove() {
        await proxy.close()
        await adapter.close()
        await server.stop()
      },
    }
  },
}

for (const [name, open] of Object.entries(STORES)) {
  describe(`an application whose connections to ${name} die without a word`, () => {
    let store: Store
    let app: Running
    let visitors: Visitor[]
    const asked: string[] = []
    const log = createLog()
    const unhandled: unknown[] = []
    const note = (reason: unknown) => unhandled.push(reason)

    before(async function () {
      process.on('unhandledRejection', note)
      store = await open(this)
      const { adapter } = store
      const watched: Adapter = {
        ...adapter,
        getSessionAndUser(token) {
          asked.push(token)
          return adapter.getSessionAndUser(token)
        },
      }
      const config = testConfig({
        adapter: watched,
        storeTimeout: LIMIT_S,
        providers: [registering(adapter)],
        session: { strategy: 'database' },
        logger: log.logger,
      })
      const server = express()
      server.use('/auth', expressAuth(config))
      server.get('/private', requireAuth(config), (_req, res) => void res.send('in'))
      app = await listen(server)
      visitors = await Promise.all(
        Array.from({ length: 6 }, async () => {
          const visitor = app.visitor()
          await visitor.signIn({ email: `${Math.random()}@example.com` })
          return visitor
        }),
      )
    })
    after(async () => {
      process.off('unhandledRejection', note)
      await app?.close()
      await store?.remove()
      expect(unhandled).to.deep.equal([])
    })

    const timely = <T>(work: Promise<T>) => within(work, LIMIT_S * 1000 + 1000, () => new Error('It hangs.'))

    it('SESS-15: answers 60 requests with 503 in time, signs nobody out, and serves again by itself', async () => {
      for (const visitor of visitors) expect((await visitor.get('/private')).text).to.equal('in')
      store.proxy.swallow()
      const began = performance.now()
      const requests = Array.from({ length: 60 }, (_, number) => {
        const path = number % 2 === 0 ? '/private' : '/auth/session'
        return visitors[number % visitors.length]?.get(path)
      })
      for (const answer of await timely(Promise.all(requests))) {
        expect([answer?.status, answer?.setCookie]).to.deep.equal([503, []])
      }
      console.info(`      60 answers of 503 after ${Math.round(performance.now() - began)} ms`)
      store.proxy.forward()
      await pause(LIMIT_S * 1000 + 200)
      asked.length = 0
      const answers = await timely(Promise.all(visitors.map((visitor) => visitor.get('/private'))))
      expect(answers.map(({ text }) => text)).to.deep.equal(visitors.map(() => 'in'))
      // Nothing that was given up is asked now: one look-up for each visitor, and one more where a digest was looked for first.
      expect(asked.length).to.be.at.most(2 * visitors.length)
    })

    it('asks for a session that many requests want at once as often as it must', async () => {
      const [visitor] = visitors
      asked.length = 0
      const answers = await Promise.all(Array.from({ length: 60 }, () => visitor?.get('/private')))
      expect(answers.every((answer) => answer?.text === 'in')).to.equal(true)
      console.info(`      60 requests of one session made ${asked.length} look-ups`)
      expect(asked.length).to.be.at.most(30)
    })

    it('signs nobody in who could not be stored', async () => {
      const visitor = app.visitor()
      const csrfToken = await visitor.csrfToken()
      store.proxy.swallow()
      const fields = { csrfToken, email: 'late@example.com' }
      const { setCookie } = await within(
        visitor.post('/auth/callback/credentials', fields),
        3 * LIMIT_S * 1000 + 1000,
        () => new Error('It hangs.'),
      )
      expect(setCookie.filter((cookie) => cookie.includes('session-token'))).to.deep.equal([])
      store.proxy.forward()
      await pause(LIMIT_S * 1000 + 200)
      expect((await timely(visitor.get('/private'))).status).to.equal(401)
    })
  })
}
