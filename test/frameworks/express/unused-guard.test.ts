import { spawnSync } from 'node:child_process'
import { expect } from 'chai'
import express, { type RequestHandler } from 'express'
import { type AuthConfig, defineAuth, requireAuth } from '../../../lib/index.js'
import { listen, type Running, SECRET, testConfig } from '../../support/app.js'
import { withEnv } from '../../support/env.js'
import { collectGarbage } from '../../support/garbage.js'
import { sendRaw } from '../../support/raw-http.js'

describe('a guard that is made and never runs', () => {
  const running: Running[] = []
  afterEach(async () => {
    for (const app of running.splice(0)) await app.close()
  })

  /** Starts an app with this configuration, asks it twice for its page, and gives the warnings about guards. */
  async function warningsOf(make: (config: AuthConfig) => RequestHandler[]) {
    const warned: { place: string; fix: string }[] = []
    const { logger } = testConfig()
    const warn = (code: string, data: unknown) => {
      if (code === 'unused-guard') warned.push(data as (typeof warned)[number])
    }
    const config = testConfig({ logger: { ...logger, warn } })
    const app = await listen(express().get('/', ...make(config), (_req, res) => void res.send('secret')))
    running.push(app)
    const answers = [await sendRaw(app.origin, '/'), await sendRaw(app.origin, '/')]
    await collectGarbage()
    return { warned, statuses: answers.map(({ status }) => status) }
  }

  const MISTAKES: Readonly<Record<string, (config: AuthConfig) => RequestHandler>> = {
    'is awaited': (config) => async (_req, res) => {
      await requireAuth(config)
      res.send('secret')
    },
    'stands before next()': (config) => (_req, _res, next) => {
      requireAuth(config)
      next()
    },
    'is that of defineAuth': (config) => {
      const auth = defineAuth(config)
      return (_req, res) => {
        auth.requireAuth({ maxAuthAge: 600 })
        res.send('secret')
      }
    },
  }

  for (const [what, make] of Object.entries(MISTAKES)) {
    it(`is a warning with the place, once for each place, if it ${what}`, async () => {
      const { warned } = await warningsOf((config) => [make(config)])
      expect(warned).to.have.length(1)
      expect(warned[0]?.place).to.match(/unused-guard\.test\.ts:\d+:\d+$/)
      expect(warned[0]?.fix).to.include('app.get(path, requireAuth(config), handler)')
    })
  }

  it('is none in a route, whether somebody comes or not, and none if a handler runs it', async () => {
    const { warned, statuses } = await warningsOf((config) => {
      running.push({ close: async () => void unvisited } as Running)
      const unvisited = express().get('/never', requireAuth(config))
      return [(req, res, next) => requireAuth(config)(req, res, next), requireAuth(config)]
    })
    expect(statuses).to.deep.equal([401, 401])
    expect(warned).to.deep.equal([])
  })

  it('is not looked for in tests, which drop applications that nobody visited', async () => {
    await withEnv({ NODE_ENV: 'test' }, async () => {
      const { warned } = await warningsOf((config) => [
        (_req, res) => {
          requireAuth(config)
          res.send('secret')
        },
      ])
      expect(warned).to.deep.equal([])
    })
  })

  it('is not looked for in production', () => {
    const script = `
      import { requireAuth } from './lib/index.js'
      import { collectGarbage } from './test/support/garbage.js'
      requireAuth({ providers: [], secret: ${JSON.stringify(SECRET)}, url: 'https://app.example' })
      await collectGarbage()`
    const run = (environment: string) =>
      spawnSync(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], {
        encoding: 'utf8',
        env: { ...process.env, NODE_ENV: environment },
      }).stderr
    expect(run('production')).to.equal('')
    expect(run('development')).to.include('(unused-guard)')
  })
})
