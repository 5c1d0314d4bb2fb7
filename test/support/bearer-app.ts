import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import express from 'express'
import { memoryAdapter } from '../../lib/adapters/memory.js'
import {
  type AuthConfig,
  AuthError,
  authSession,
  expressAuth,
  getSession,
  issueToken,
  RequestRefused,
  requireAuth,
  updateSession,
} from '../../lib/index.js'
import { ADA, createLog, type Log, listen, type Running, testConfig } from './app.js'
import { SESSION } from './test-app.js'
import type { Answer, Visitor } from './visitor.js'

export const STRATEGIES = ['jwt', 'database'] as const
export type Strategy = (typeof STRATEGIES)[number]

/** What the application that issues tokens gives for one. */
export interface GivenToken {
  readonly token: string
  readonly id: string
  readonly expires: string
}

/** An application for people, scripts and mobile apps. */
export interface BearerApp extends Running {
  readonly config: AuthConfig
  readonly store: ReturnType<typeof memoryAdapter>
  readonly log: Log
  /** A browser in which Ada is signed in. */
  signedIn(): Promise<Visitor>
  /** Asks for a token in a page of the application. */
  ask(browser: Visitor, wanted: object, headers?: Record<string, string>): Promise<Answer>
  /** A token that the application has issued to Ada. */
  issued(wanted?: object): Promise<GivenToken>
  /** A request without cookies, with a header `Authorization`. */
  send(path: string, authorization?: string, init?: RequestInit): Promise<Response>
}

/** The session cookie of a browser, joined. */
export function sessionValue({ jar }: Visitor): string {
  const pieces = [...jar].filter(([name]) => name.startsWith(`${SESSION}.`)).map(([, value]) => value)
  return jar.get(SESSION) ?? pieces.join('')
}

/** Starts an application with routes behind guards of all kinds. */
export async function startBearerApp(strategy: Strategy, more: Partial<AuthConfig> = {}): Promise<BearerApp> {
  const store = memoryAdapter()
  store.createUser({ id: '1815', name: 'Ada', email: 'ada@example.com', image: null, emailVerified: null })
  const log = createLog()
  const kept: Partial<AuthConfig> = strategy === 'jwt' ? {} : { adapter: store }
  const session = { strategy, ...more.session }
  const config = testConfig({ bearer: true, logger: log.logger, ...kept, ...more, session })
  const server = express().set('env', 'test')
  server.use('/auth', expressAuth(config))
  const greet: express.RequestHandler = (_req, res) => res.send(`Hello ${res.locals['session']?.user?.name}`)
  server.use('/private', requireAuth(config), greet)
  server.get('/reports', requireAuth(config, { scope: 'reports:read' }), async (req, res) =>
    res.json({ guard: res.locals['session'], read: await getSession(req, config) }),
  )
  server.get('/both', requireAuth(config, { scope: 'users:list reports:read' }), greet)
  server.get('/nested', requireAuth(config, { scope: 'reports:read' }), requireAuth(config), greet)
  server.get('/recent', requireAuth(config, { maxAuthAge: 300 }), greet)
  server.get('/nobody', requireAuth(config, { allow: () => false }), greet)
  server.get('/peek', async (req, res) => res.json(await getSession(req, config)))
  server.get('/peek-reports', async (req, res) => res.json(await getSession(req, config, { scope: 'reports:read' })))
  server.get('/open', authSession(config), (_req, res) => res.json(res.locals['session']))
  server.all('/tokens', express.json(), async (req, res) => res.json(await issueToken(req, config, req.body)))
  server.post('/update', async (req, res) => res.json(await updateSession(req, res, config, { name: 'Eve' })))
  const report: express.ErrorRequestHandler = (error, _req, res, _next) => {
    const status = error instanceof RequestRefused ? error.status : 500
    res.status(status).json({ type: error instanceof AuthError ? error.type : 'other', message: error.message })
  }
  server.use(report)
  const app = await listen(server)
  const ask: BearerApp['ask'] = (browser, wanted, headers) =>
    browser.postJson('/tokens', wanted, { origin: app.origin, ...headers })
  const signedIn = async () => {
    const ada = app.visitor()
    await ada.signIn(ADA)
    return ada
  }
  return {
    ...app,
    config,
    store,
    log,
    ask,
    signedIn,
    issued: async (wanted = { maxAge: 3600 }) => (await ask(await signedIn(), wanted)).json(),
    send: (path, authorization, init = {}) =>
      fetch(new URL(path, app.origin), {
        redirect: 'manual',
        ...init,
        headers: { ...(authorization !== undefined && { authorization }), ...(init.headers as Record<string, string>) },
      }),
  }
}

const run = promisify(execFile)

/** What `curl` prints of an answer: the status, the headers and the body. */
export async function curl(...args: readonly string[]): Promise<{ status: number; head: string; body: string }> {
  const { stdout } = await run('curl', ['--silent', '--include', '--http1.1', ...args])
  const [head = '', ...body] = stdout.split('\r\n\r\n')
  return { status: Number(head.split(' ')[1]), head, body: body.join('\r\n\r\n') }
}
