import { expect } from 'chai'
import express from 'express'
import {
  Auth,
  type AuthConfig,
  authSession,
  expressAuth,
  getSession,
  InvalidConfiguration,
  requireAuth,
} from '../../../lib/index.js'
import { ADA, createLog, listen, startApp, testConfig } from '../../support/app.js'

/** The configuration of the issue: with the callback under this name, everybody would get in. */
const misspelt = (logger = createLog().logger) =>
  ({ ...testConfig({ logger }), callbacks: { signin: () => false, authorised: () => false } }) as AuthConfig

describe('a configuration with a misspelt option', () => {
  it('fails where it is given, at every door', async () => {
    for (const make of [expressAuth, authSession, requireAuth]) {
      expect(() => make(misspelt()), make.name).to.throw(InvalidConfiguration, 'Did you mean `callbacks.signIn`?')
    }
    for (const wrong of [Promise.resolve(testConfig()), [testConfig()], {}, { provider: [] }]) {
      for (const make of [expressAuth, authSession, requireAuth]) {
        expect(() => make(wrong as never), make.name).to.throw(InvalidConfiguration)
      }
    }
    const request = new Request('https://app.example/auth/session')
    expect((await Auth(request, misspelt())).status).to.equal(500)
    const error = await getSession({ headers: {} } as never, misspelt()).catch((thrown: unknown) => thrown)
    expect(error).to.be.instanceOf(InvalidConfiguration)
  })

  it('lets nobody through where a function gives it, and answers 500 at the mount', async () => {
    const log = createLog()
    const config = () => misspelt(log.logger)
    const app = express()
    app.use('/auth', expressAuth(config))
    app.get('/session', authSession(config), (_req, res) => void res.send('passed'))
    app.get('/guarded', requireAuth(config), (_req, res) => void res.send('passed'))
    app.get('/asked', async (req, res) => void res.json(await getSession(req, config)))
    app.use(((error, _req, res, _next) => void res.status(503).send(error.name)) as express.ErrorRequestHandler)
    const running = await listen(app)
    // Somebody with a session of the same secret, from before the option was misspelt.
    const sound = await startApp()
    const ada = sound.visitor()
    await ada.signIn(ADA)
    for (const cookie of ['', [...ada.jar].map(([name, value]) => `${name}=${value}`).join('; ')]) {
      for (const [path, status] of [
        ['/session', 503],
        ['/guarded', 503],
        ['/asked', 503],
        ['/auth/session', 500],
        ['/auth/signin', 500],
      ] as const) {
        const answer = await fetch(`${running.origin}${path}`, { headers: { cookie } })
        expect([path, answer.status]).to.deep.equal([path, status])
        expect(await answer.text()).to.not.contain('passed')
      }
      const posted = await fetch(`${running.origin}/auth/callback/credentials`, { method: 'POST', headers: { cookie } })
      expect(posted.status).to.equal(500)
    }
    expect(log.errors[0]?.message).to.contain('Did you mean `callbacks.signIn`?')
    await sound.close()
    await running.close()
  })

  it('is answered with 500 where a function gives a promise of a promise, a list, or nothing', async () => {
    for (const given of [null, undefined, [testConfig()], 'config', () => testConfig()]) {
      const answer = await Auth(new Request('https://app.example/auth/session'), () => given as never)
      expect(answer.status).to.equal(500)
    }
  })

  it('is checked once, when it is first seen', async () => {
    let reads = 0
    const config = Object.defineProperty(testConfig({ trustHost: true }), 'theme', {
      enumerable: true,
      get: () => {
        reads += 1
        return {}
      },
    })
    await Auth(new Request('https://app.example/auth/session'), config)
    const first = reads
    await Auth(new Request('https://app.example/auth/session'), config)
    await Auth(new Request('https://app.example/auth/csrf'), config)
    expect(first).to.be.greaterThan(0)
    expect(reads).to.equal(first)
  })
})
