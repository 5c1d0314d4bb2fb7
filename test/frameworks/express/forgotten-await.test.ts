import { spawnSync } from 'node:child_process'
import { inspect } from 'node:util'
import { expect } from 'chai'
import express from 'express'
import { memoryAdapter } from '../../../lib/adapters/memory.js'
import { type AuthConfig, getSession, type MiddlewareRequest } from '../../../lib/index.js'
import { ADA, createLog, listen, type Running, SECRET, startApp, testConfig } from '../../support/app.js'
import { written } from '../../support/console.js'
import { sendRaw } from '../../support/raw-http.js'

/** What the application reads from a promise as if it were the result. */
type Unawaited = Record<string, unknown>

describe('a promise of getSession that is read without await', () => {
  let app: Running
  afterEach(() => app.close())

  /** Starts an app with a route, asks for it twice, and gives the metadata of the warnings. */
  async function warningsOf(route: (req: MiddlewareRequest, config: AuthConfig) => unknown) {
    const log = createLog()
    const warned: unknown[] = []
    const logger = {
      ...log.logger,
      warn: (code: string, data: unknown) => {
        if (code === 'forgotten-await') warned.push(data)
      },
    }
    const config = testConfig({ adapter: memoryAdapter(), logger })
    const server = express().get('/', async (req, res) => void res.json({ told: await route(req, config) }))
    app = await listen(server)
    for (let n = 0; n < 2; n += 1) await sendRaw(app.origin, '/')
    return warned as { place: string; fix: string }[]
  }

  it('is a warning with the place, once for each place', async () => {
    const warned = await warningsOf((req, config) => {
      const session = getSession(req, config) as unknown as Unawaited
      return [session['user'], session['expires']]
    })
    expect(warned).to.have.length(2)
    expect(warned[0]?.place).to.match(/forgotten-await\.test\.ts:\d+:\d+$/)
    expect(warned[0]?.fix).to.equal(
      'The promise of getSession was asked for `user`. Write: await getSession(req, config).',
    )
  })

  it('costs nothing in production, where nobody reads the log for this', () => {
    const script = `
      import { getSession } from './lib/index.js'
      const req = { headers: {}, method: 'GET', socket: {} }
      const config = { providers: [], secret: ${JSON.stringify(SECRET)}, url: 'https://app.example' }
      const promise = getSession(req, config)
      console.log(JSON.stringify([Object.getOwnPropertyNames(promise), promise.user ?? null, promise]))`
    const run = (environment: string) =>
      spawnSync(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], {
        encoding: 'utf8',
        env: { ...process.env, NODE_ENV: environment },
      })
    expect(run('production')).to.include({ stdout: '[[],null,{}]\n', stderr: '' })
    expect(run('development').stderr).to.include('(forgotten-await)')
  })

  it('goes to the console where a function gives the configuration', async () => {
    const config = testConfig()
    app = await listen(
      express().get('/', async (req, res) => {
        const session = getSession(req, () => config) as unknown as Unawaited
        res.json([session['user']])
      }),
    )
    const lines = await written(() => sendRaw(app.origin, '/'))
    expect(lines.join('\n')).to.include('(forgotten-await)').and.include('await getSession(req, config)')
  })

  it('does not notice what is right, and changes nothing else about the promise', async () => {
    const log = createLog()
    const config = testConfig({ logger: log.logger })
    app = await startApp(config, (server) => {
      server.get('/', async (req, res) => {
        const promise = getSession(req, config)
        const texts = [inspect(promise), Object.keys(promise).join(), String(promise)]
        const [one, other] = await Promise.all([promise, promise.then((session) => session?.user?.name)])
        res.json([one?.user?.name, other, promise instanceof Promise, ...texts])
      })
    })
    const ada = app.visitor()
    await ada.signIn(ADA)
    const [name, other, isPromise, inspected, keys, string] = (await ada.get('/')).json()
    expect([name, other, isPromise]).to.deep.equal(['Ada', 'Ada', true])
    expect(inspected)
      .to.match(/^Promise \{/)
      .and.not.match(/Getter/)
    expect([keys, string]).to.deep.equal(['', '[object Promise]'])
    expect(log.warnings).to.deep.equal([])
  })
})
