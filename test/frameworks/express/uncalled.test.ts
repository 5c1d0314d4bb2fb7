import { expect } from 'chai'
import connect from 'connect'
import express from 'express'
import express4 from 'express4'
import {
  Auth,
  authSession,
  csrfToken,
  expressAuth,
  getSession,
  InvalidConfiguration,
  requireAuth,
  signInUrl,
  signOut,
  startSignIn,
  updateSession,
  verifyCsrfToken,
} from '../../../lib/index.js'
import { listen, type Running, SECRET, testConfig } from '../../support/app.js'
import { written } from '../../support/console.js'
import { withEnv } from '../../support/env.js'
import { failureOf } from '../../support/failure.js'
import { rowsOfFeatures } from '../../support/of-features.js'
import { sendRaw } from '../../support/raw-http.js'
import { untyped } from '../../support/untyped.js'

type Call = (req: never, res: never, config: never) => Promise<unknown>
const OF_FEATURES = await rowsOfFeatures<Call>('calls')

describe('a function of Latchkey that is passed to the framework and not called', () => {
  let app: Running
  afterEach(() => app?.close())

  const frameworks = { 'Express 5': express, 'Express 4': express4, Connect: connect } as const
  const middlewares = { requireAuth, authSession, expressAuth } as const

  for (const [framework, create] of Object.entries(frameworks)) {
    for (const [name, middleware] of Object.entries(middlewares)) {
      it(`fails every request in ${framework}, and says how it is called: ${name}`, async () => {
        await withEnv({ AUTH_SECRET: SECRET }, async () => {
          const errors: unknown[] = []
          let ran = false
          const server = (create as typeof connect)()
          server.use(untyped<connect.NextHandleFunction>(middleware))
          server.use((_req: unknown, res: { end(text: string): void }) => {
            ran = true
            res.end('ran')
          })
          server.use(((
            error: unknown,
            _req: unknown,
            res: { statusCode: number; end(text: string): void },
            _next: unknown,
          ) => {
            errors.push(error)
            res.statusCode = 500
            res.end('failed')
          }) as connect.ErrorHandleFunction)
          app = await listen(server)
          for (const path of ['/', '/auth/signin', '/auth/session']) {
            expect((await sendRaw(app.origin, path)).status).to.equal(500)
          }
          expect([ran, errors.length]).to.deep.equal([false, 3])
          const [error] = errors as [Error]
          expect(error).to.be.instanceOf(InvalidConfiguration)
          expect(error.message).to.contain(`call it: ${name}(config)`)
        })
      })
    }
  }

  it('says the same of a web request, in the log', async () => {
    const request = new Request('http://localhost/auth/session')
    const lines = await written(async () => {
      for (const missing of [undefined, request]) expect((await Auth(request, untyped(missing))).status).to.equal(500)
    })
    expect(lines).to.have.length(2)
    for (const line of lines) expect(line).to.contain('call it: Auth(request, config)')
  })

  const calls: Record<string, Call> = {
    'getSession(req, config)': (req, _res, config) => getSession(req, config),
    'csrfToken(req, res, config)': csrfToken,
    'verifyCsrfToken(req, config, submitted)': (req, _res, config) => verifyCsrfToken(req, config, 'x'),
    'updateSession(req, res, config, data)': (req, res, config) => updateSession(req, res, config, {}),
    'startSignIn(req, res, config, provider, options)': (req, res, config) => startSignIn(req, res, config, 'github'),
    'signOut(req, res, config, options)': (req, res, config) => signOut(req, res, config),
    'signInUrl(req, config, options)': (req, _res, config) => signInUrl(req, config),
    ...OF_FEATURES,
  }
  for (const [call, run] of Object.entries(calls)) {
    it(`says what is missing: ${call}`, async () => {
      await withEnv({ AUTH_SECRET: SECRET }, async () => {
        const failures: Error[] = []
        const server = express().set('env', 'test')
        server.use(async (req, res) => {
          for (const config of [undefined, null, req, res, 'config', 7, [], expressAuth(testConfig())]) {
            failures.push(await failureOf(run(untyped(req), untyped(res), untyped(config))))
          }
          res.end()
        })
        app = await listen(server)
        await sendRaw(app.origin, '/')
        const messages = failures.map(({ message }) => message)
        expect(messages).to.have.length(8)
        for (const message of messages) expect(message).to.contain(`call it: ${call}`)
        expect(messages.join('\n'))
          .to.match(/No configuration was given; call it/)
          .and.match(/A request was given in place of the configuration; call it/)
          .and.match(/A response was given/)
          .and.match(/A middleware was given/)
      })
    })
  }

  it('is refused at once where a middleware is made without its configuration', () => {
    for (const [name, make] of Object.entries(middlewares)) {
      for (const wrong of [undefined, null, 'x', make(testConfig())]) {
        expect(() => make(untyped(wrong)), name)
          .to.throw(InvalidConfiguration)
          .with.property('message')
          .that.contains(`${name}(config)`)
      }
    }
  })
})
