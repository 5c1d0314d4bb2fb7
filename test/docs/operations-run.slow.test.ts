import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { expect } from 'chai'
import { migrateToLatest } from '../../lib/adapters/sql.js'
import { REDIS_URL } from '../adapters/redis/servers.js'
import { postgres, type TestDatabase } from '../adapters/sql/databases.js'
import { SECRET } from '../support/app.js'
import { compile } from '../support/compiled.js'
import { freePort } from '../support/free-port.js'
import { startTcpProxy } from '../support/tcp-proxy.js'
import { exportedPaths, ROOT, readText, snippets } from './documents.js'

const FOLDER = join(ROOT, '.tmp/operations')
const TSCONFIG = join(FOLDER, 'tsconfig.json')
const DOCUMENT = 'docs/guides/operations.md'

function snippetWith(text: string): string {
  const snippet = snippets().find(({ path, code }) => path === DOCUMENT && code.includes(text))
  if (!snippet) throw new Error(`The guide has nothing with ${text}.`)
  return snippet.code
}

/** The application of `examples/recipes`; with sessions in Redis if a URL is given, as the guide describes it. */
function applicationOf(redisUrl: string | undefined): string {
  const code = readText('examples/recipes/operations.ts')
  if (redisUrl === undefined) return code
  const own = code.slice(code.indexOf('const adapter ='), code.indexOf('const config'))
  return `${snippetWith('combineAdapters')}\n${code.replace(own, '').replace(/^import .*adapters\/sql'$/m, '')}`
}

/** A route that answers when the server no longer listens. */
const SLOW = `app.get('/slow', (_req, res) => {
  const timer = setInterval(() => {
    if (server.listening) return
    clearInterval(timer)
    res.send('slow')
  }, 20)
})
`

/** The application, with the route {@link SLOW}. It has loaded the drivers of its stores. */
async function startApplication(url: string, redisUrl?: string): Promise<{ process: ChildProcess; origin: string }> {
  const file = join(FOLDER, 'server.ts')
  writeFileSync(file, applicationOf(redisUrl).replace('const server = ', `${SLOW}const server = `))
  const port = await freePort()
  const child = spawn(process.execPath, [await compile(file, TSCONFIG)], {
    stdio: 'inherit',
    env: {
      ...process.env,
      PORT: String(port),
      DATABASE_URL: url,
      ...(redisUrl !== undefined && { REDIS_URL: redisUrl }),
      AUTH_SECRET: SECRET,
      DRAIN_SECONDS: '2',
    },
  })
  const origin = `http://127.0.0.1:${port}`
  for (let tries = 0; tries < 400; tries += 1) {
    const ready = await fetch(`${origin}/readyz`).catch(() => null)
    if (ready?.ok) {
      // The first look-up loads the driver of each store, which may take longer than the two seconds of a look-up.
      await storesOf(origin)
      return { process: child, origin }
    }
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
  throw new Error('The application did not become ready.')
}

const storesOf = async (origin: string): Promise<unknown> => (await fetch(`${origin}/storez`)).json()

/** A busy machine may need more than the two seconds that the application gives a store. */
async function untilStores(origin: string, expected: object): Promise<void> {
  for (let tries = 0; tries < 10; tries += 1) if (isDeepStrictEqual(await storesOf(origin), expected)) return
  expect(await storesOf(origin)).to.deep.equal(expected)
}

describe('the application of the operations guide', function () {
  this.timeout(120_000)
  let database: TestDatabase
  const children: ChildProcess[] = []

  before(async function () {
    await postgres.requireServer.call(this)
    database = await postgres.create()
    await migrateToLatest(database.connection)
    rmSync(FOLDER, { recursive: true, force: true })
    mkdirSync(FOLDER, { recursive: true })
    const compilerOptions = { paths: exportedPaths() }
    writeFileSync(TSCONFIG, JSON.stringify({ extends: '../../tsconfig.json', compilerOptions }))
  })
  after(async () => {
    for (const child of children) child.kill('SIGKILL')
    await database?.drop()
  })

  const start = async (url: string, redisUrl?: string) => {
    const app = await startApplication(url, redisUrl)
    children.push(app.process)
    return app
  }

  it('says that it is alive, that it is ready, and whether its store answers', async () => {
    const { origin, process: app } = await start(database.url)
    expect(await (await fetch(`${origin}/livez`)).text()).to.equal('alive')
    expect(await (await fetch(`${origin}/readyz`)).json()).to.deep.equal({ state: 'ready' })
    expect(await storesOf(origin)).to.deep.equal({ database: 'up' })
    expect((await fetch(`${origin}/account`)).status).to.equal(401)
    app.kill('SIGKILL')
  })

  it('stays in service while its store is down, and says so', async () => {
    const { origin, process: app } = await start(`postgres://127.0.0.1:${await freePort()}/nothing`)
    const ready = await fetch(`${origin}/readyz`)
    expect([ready.status, await ready.json()]).to.deep.equal([200, { state: 'ready' }])
    expect(await storesOf(origin)).to.deep.equal({ database: 'down' })
    app.kill('SIGKILL')
  })

  it('answers probes and public pages at once while its store hangs', async () => {
    const proxy = await startTcpProxy(Number(new URL(database.url).port || 5432))
    const url = new URL(database.url)
    url.port = String(proxy.port)
    url.hostname = '127.0.0.1'
    const { origin, process: app } = await start(url.href)
    expect(await storesOf(origin)).to.deep.equal({ database: 'up' })
    proxy.swallow()
    // The order of the answers shows that the probes wait for no store, and `/storez` for less than a page.
    const answered: string[] = []
    const statusOf = async (path: string, cookie = '') => {
      const { status } = await fetch(`${origin}${path}`, { headers: { cookie } })
      answered.push(path)
      return status
    }
    const cookie = 'authjs.session-token=0123456789abcdef'
    const [orders, account, stores] = [statusOf('/orders', cookie), statusOf('/account', cookie), statusOf('/storez')]
    for (const path of ['/livez', '/readyz', '/']) expect(await statusOf(path), path).to.equal(200)
    expect(answered).to.deep.equal(['/livez', '/readyz', '/'])
    expect(await stores).to.equal(200)
    expect(answered).to.deep.equal(['/livez', '/readyz', '/', '/storez'])
    expect(await storesOf(origin)).to.deep.equal({ database: 'down' })
    expect(await Promise.all([statusOf('/', cookie), orders, account])).to.deep.equal([200, 503, 503])
    app.kill('SIGKILL')
    await proxy.close()
  })

  it('asks each store of a combined adapter, and closes all of them', async () => {
    const { origin, process: app } = await start(database.url, `redis://127.0.0.1:${await freePort()}`)
    await untilStores(origin, { database: 'up', sessions: 'down' })
    const ended = once(app, 'exit')
    app.kill('SIGTERM')
    expect(await ended).to.deep.equal([0, null])
    const both = await start(database.url, REDIS_URL)
    await untilStores(both.origin, { database: 'up', sessions: 'up' })
    const bothEnded = once(both.process, 'exit')
    both.process.kill('SIGTERM')
    expect(await bothEnded).to.deep.equal([0, null])
  })

  it('stops in order: it says so, serves new requests, answers the open requests, and ends by itself', async () => {
    const { origin, process: app } = await start(database.url)
    const ended = once(app, 'exit')
    app.kill('SIGTERM')
    let ready = await fetch(`${origin}/readyz`)
    while (ready.ok) ready = await fetch(`${origin}/readyz`)
    expect([ready.status, (await ready.json()).state]).to.deep.equal([503, 'stopping'])
    const slow = fetch(`${origin}/slow`)
    expect(await (await slow).text(), 'open while the port closes').to.equal('slow')
    expect(await fetch(`${origin}/livez`).catch(() => 'refused')).to.equal('refused')
    expect(await ended).to.deep.equal([0, null])
  })
})
