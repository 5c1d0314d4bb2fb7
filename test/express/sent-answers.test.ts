import { expect } from 'chai'
import express, { type ErrorRequestHandler, type Request, type RequestHandler, type Response } from 'express'
import {
  AuthError,
  authSession,
  csrfToken,
  expressAuth,
  requireAuth,
  signOut,
  startSignIn,
  updateSession,
} from '../../lib/index.js'
import { ADA, listen, type Running, testConfig } from '../support/app.js'

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
})
