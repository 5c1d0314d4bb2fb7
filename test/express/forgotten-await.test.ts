import { inspect } from 'node:util'
import { expect } from 'chai'
import express, { type Request } from 'express'
import { type AuthConfig, expressAuth, getSession } from '../../lib/index.js'
import { ADA, createLog, listen, testConfig } from '../support/app.js'

/** What a route in JavaScript does with a promise of a session. */
type Use = (session: Record<string, unknown>, req: Request) => unknown

describe('a forgotten await before getSession', () => {
  const production = process.env['NODE_ENV']
  afterEach(() => {
    if (production === undefined) delete process.env['NODE_ENV']
    else process.env['NODE_ENV'] = production
  })

  /** The warnings after a signed-in visitor has requested the route twice. */
  async function warningsOf(use: Use, more: Partial<AuthConfig> = {}) {
    const log = createLog()
    const details: Record<string, unknown>[] = []
    const logger: AuthConfig['logger'] = {
      ...log.logger,
      warn(code, metadata, context) {
        details.push(metadata as Record<string, unknown>)
        log.logger.warn?.(code, metadata, context)
      },
    }
    const config = testConfig({ logger, trustHost: true, ...more })
    const app = express()
    app.use('/auth', expressAuth(config))
    app.get('/route', (req, res) => {
      res.json(use(getSession(req, config) as never, req) ?? null)
    })
    const running = await listen(app)
    try {
      const ada = running.visitor()
      await ada.signIn(ADA)
      await ada.get('/route')
      const { status } = await ada.get('/route')
      return { warnings: log.warnings, details, status }
    } finally {
      await running.close()
    }
  }

  it('is said once for each place, with the file and the line', async () => {
    const { warnings, details, status } = await warningsOf((session) => session['user'])
    expect(warnings).to.deep.equal(['await-missing'])
    expect(details[0]?.['member']).to.equal('user')
    expect(details[0]?.['place']).to.match(/forgotten-await\.test\.ts:\d+$/)
    expect(details[0]?.['fix']).to.include('await getSession(req, config)')
    expect(status).to.equal(200)
    const two = await warningsOf((session) => {
      const { user } = session
      const { expires } = session
      return [user, expires]
    })
    expect(two.warnings).to.deep.equal(['await-missing', 'await-missing'])
  })

  it('is said for a promise that is sent as JSON', async () => {
    const { warnings, status } = await warningsOf((session) => session)
    expect(warnings).to.deep.equal(['await-missing'])
    expect(status).to.equal(200)
  })

  it('is not said for what may be done with a promise', async () => {
    const { warnings } = await warningsOf((session) => {
      const promise = session as unknown as Promise<unknown>
      Promise.all([promise]).then(() => Promise.race([promise]))
      inspect(promise)
      Object.keys(promise)
      return { ...session }
    })
    expect(warnings).to.deep.equal([])
  })

  it('is not said in production', async () => {
    process.env['NODE_ENV'] = 'production'
    expect((await warningsOf((session) => session['user'])).warnings).to.deep.equal([])
  })
})
