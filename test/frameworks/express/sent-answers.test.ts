import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'chai'
import express, { type ErrorRequestHandler, type Request, type RequestHandler, type Response } from 'express'
import {
  type AuthConfig,
  AuthError,
  authSession,
  csrfToken,
  expressAuth,
  requireAuth,
  signOut,
  startSignIn,
  updateSession,
} from '../../../lib/index.js'
import { ADA, createLog, listen, type Running, testConfig } from '../../support/app.js'

const config = testConfig()

describe('an answer that was sent too early', () => {
  let app: Running
  afterEach(() => app.close())

  /** An application whose path /early answers, and then does something with Latchkey; gives the error of that. */
  async function errorOf(handler: RequestHandler): Promise<unknown> {
    let report: (error: unknown) => void = () => {}
    const reported = new Promise((resolve) => {
      report = resolve
    })
    const server = express()
    server.use('/auth', expressAuth(config))
    server.use('/early', (_req, res, next) => {
      res.send('early')
      next()
    })
    server.use('/early', handler)
    const onError: ErrorRequestHandler = (error, _req, _res, _next) => report(error)
    server.use(onError)
    app = await listen(server)
    const visitor = app.visitor()
    await visitor.signIn(ADA)
    expect((await visitor.get('/early/signin')).text).to.equal('early')
    return reported
  }

  const CALLS: Readonly<Record<string, (req: Request, res: Response) => Promise<unknown>>> = {
    'updateSession(req, res, config, data)': (req, res) => updateSession(req, res, config, { name: 'Countess' }),
    'startSignIn(req, res, config, provider, options)': (req, res) => startSignIn(req, res, config, 'credentials'),
    'signOut(req, res, config, options)': (req, res) => signOut(req, res, config),
    'csrfToken(req, res, config)': (req, res) => csrfToken(req, res, config),
  }

  for (const [call, make] of Object.entries(CALLS)) {
    it(`fails the call with the remedy: ${call}`, async () => {
      const error = await errorOf((req, res, next) => void make(req, res).catch(next))
      expect(error).to.be.instanceOf(AuthError)
      expect((error as Error).message).to.include(`Write \`await ${call}\` before you answer.`)
    })
  }

  const MIDDLEWARES: Readonly<Record<string, RequestHandler>> = {
    'authSession(config)': authSession(config),
    'requireAuth(config)': requireAuth(config),
    'expressAuth(config)': expressAuth(config),
  }

  for (const [call, middleware] of Object.entries(MIDDLEWARES)) {
    it(`gives the error handler the remedy: ${call}`, async () => {
      const error = await errorOf(middleware)
      expect(error).to.be.instanceOf(AuthError)
      expect((error as Error).message).to.include(`before \`${call}\` was done`)
      expect((error as Error).message).to.include('must not call next()')
    })
  }

  it('is an error in the log if a handler calls a guard and answers at once, whatever the guard is called with', async () => {
    const refusing: Readonly<Record<string, AuthConfig>> = {
      'nobody is signed in': testConfig(),
      'a callback makes the answer': testConfig({
        callbacks: { authorized: () => Response.json({ message: 'no' }, { status: 403 }) },
      }),
    }
    for (const [why, plain] of Object.entries(refusing)) {
      const { logger, errors } = createLog()
      const server = express().get('/', (req, res) => {
        requireAuth({ ...plain, logger })(req, res, () => {})
        res.send('secret')
      })
      app = await listen(server)
      expect((await app.visitor().get('/')).text).to.equal('secret')
      await delay(20)
      expect(
        errors.map(({ message }) => message),
        why,
      ).to.have.length(1)
      expect(errors[0]?.message, why).to.include('answered already').and.include('requireAuth(config), handler)')
      await app.close()
    }
  })
})
