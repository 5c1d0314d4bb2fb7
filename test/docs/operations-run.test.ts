import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect } from 'chai'
import { migrateToLatest } from '../../lib/adapters/sql.js'
import { postgres, type TestDatabase } from '../adapters/sql/databases.js'
import { SECRET } from '../support/app.js'
import { exportedPaths, ROOT, snippets } from './documents.js'

const FOLDER = join(ROOT, '.tmp/operations')
const TSX = import.meta.resolve('tsx')
const DOCUMENT = 'docs/guides/operations.md'

async function freePort(): Promise<number> {
  const server = createServer().listen(0)
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (typeof address !== 'object' || address === null) throw new Error('no port')
  return address.port
}

/** The application of the guide, with a route that takes its time. */
async function startApplication(url: string): Promise<{ process: ChildProcess; origin: string }> {
  const snippet = snippets().find(({ path, code }) => path === DOCUMENT && code.includes("app.get('/livez'"))
  if (!snippet) throw new Error('The guide shows no application.')
  const slow = `app.get('/slow', (_req, res) => void setTimeout(() => res.send('slow'), 400))\n`
  const file = join(FOLDER, 'server.ts')
  writeFileSync(file, snippet.code.replace('const server = ', `${slow}const server = `))
  const port = await freePort()
  const child = spawn(process.execPath, ['--import', TSX, file], {
    stdio: 'inherit',
    env: {
      ...process.env,
      TSX_TSCONFIG_PATH: join(FOLDER, 'tsconfig.json'),
      PORT: String(port),
      DATABASE_URL: url,
      AUTH_SECRET: SECRET,
      DRAIN_SECONDS: '0.3',
    },
  })
  const origin = `http://127.0.0.1:${port}`
  for (let tries = 0; tries < 400; tries += 1) {
    const ready = await fetch(`${origin}/readyz`).catch(() => null)
    if (ready?.ok) return { process: child, origin }
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
  throw new Error('The application did not become ready.')
}

describe('the application of the operations guide', function () {
  this.timeout(60_000)
  let database: TestDatabase
  const children: ChildProcess[] = []

  before(async function () {
    await postgres.requireServer.call(this)
    database = await postgres.create()
    await migrateToLatest(database.connection)
    rmSync(FOLDER, { recursive: true, force: true })
    mkdirSync(FOLDER, { recursive: true })
    const compilerOptions = { paths: exportedPaths() }
    writeFileSync(join(FOLDER, 'tsconfig.json'), JSON.stringify({ extends: '../../tsconfig.json', compilerOptions }))
  })
  after(async () => {
    for (const child of children) child.kill('SIGKILL')
    await database?.drop()
  })

  const start = async (url: string) => {
    const app = await startApplication(url)
    children.push(app.process)
    return app
  }

  it('tells that it is alive, that it is ready, and how its store is', async () => {
    const { origin, process: app } = await start(database.url)
    expect(await (await fetch(`${origin}/livez`)).text()).to.equal('alive')
    expect(await (await fetch(`${origin}/readyz`)).json()).to.deep.equal({ state: 'ready', store: 'up' })
    expect((await fetch(`${origin}/account`)).status).to.equal(401)
    app.kill('SIGKILL')
  })

  it('stays in service while its store is down, and says so', async () => {
    const { origin, process: app } = await start(`postgres://127.0.0.1:${await freePort()}/nothing`)
    const ready = await fetch(`${origin}/readyz`)
    expect([ready.status, await ready.json()]).to.deep.equal([200, { state: 'ready', store: 'down' }])
    app.kill('SIGKILL')
  })

  it('stops in order: it says so, serves those who still come, answers what is under way, and ends by itself', async () => {
    const { origin, process: app } = await start(database.url)
    const ended = once(app, 'exit')
    app.kill('SIGTERM')
    await new Promise((resolve) => setTimeout(resolve, 100))
    const ready = await fetch(`${origin}/readyz`)
    expect([ready.status, (await ready.json()).state]).to.deep.equal([503, 'stopping'])
    const slow = fetch(`${origin}/slow`)
    expect(await (await slow).text(), 'under way as the port closes').to.equal('slow')
    expect(await fetch(`${origin}/livez`).catch(() => 'refused')).to.equal('refused')
    expect(await ended).to.deep.equal([0, null])
  })
})
