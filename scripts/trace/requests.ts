import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import type { AuthConfig } from '../../lib/index.js'
import { FakeProvider } from '../../test/support/fake-provider.js'
import { Visitor } from '../../test/support/visitor.js'
import { type Call, startRecording } from './recorder.js'

/** What is traced of an instrumented tree. Only its public API is used, so any version of Latchkey will do. */
export interface Traced {
  readonly latchkey: typeof import('../../lib/index.js')
  readonly memory: typeof import('../../lib/adapters/memory.js')
}

interface App {
  /** Another browser. */
  open(): Visitor
  /** The calls of the last request that was answered. */
  lastRequest(): readonly Call[]
  close(): Promise<void>
}

/**
 * The first callback of an OpenID provider: a user and an account are made, and a session row in the memory adapter.
 */
export const traceCallback = (traced: Traced): Promise<readonly Call[]> => traceCallbacks(traced, 1)

/** The callback of the same person in another browser: the user is known. */
export const traceKnownUser = (traced: Traced): Promise<readonly Call[]> => traceCallbacks(traced, 2)

async function traceCallbacks({ latchkey, memory }: Traced, browsers: number): Promise<readonly Call[]> {
  const provider = await FakeProvider.start()
  const app = await startApp(latchkey, provider, {
    adapter: memory.memoryAdapter(),
    session: { strategy: 'database' },
  })
  try {
    for (let browser = 1; browser <= browsers; browser += 1) await signIn(app.open(), provider)
    return app.lastRequest()
  } finally {
    await Promise.all([app.close(), provider.stop()])
  }
}

/** A request of a route behind `requireAuth`, with a session token that an earlier request brought already. */
export const traceGuardedRequest = ({ latchkey }: Traced): Promise<readonly Call[]> =>
  traceGuard(latchkey, { session: { strategy: 'jwt' } })

/** The same with a session in a row of the memory adapter. */
export const traceStoredSession = ({ latchkey, memory }: Traced): Promise<readonly Call[]> =>
  traceGuard(latchkey, { adapter: memory.memoryAdapter(), session: { strategy: 'database' } })

async function traceGuard(latchkey: Traced['latchkey'], config: Partial<AuthConfig>): Promise<readonly Call[]> {
  const provider = await FakeProvider.start()
  const app = await startApp(latchkey, provider, config)
  try {
    const visitor = app.open()
    await signIn(visitor, provider)
    for (let request = 1; request <= 2; request += 1) {
      const { status } = await visitor.get('/account')
      if (status !== 200) throw new Error(`The guarded route answered ${status}.`)
    }
    return app.lastRequest()
  } finally {
    await Promise.all([app.close(), provider.stop()])
  }
}

async function startApp(
  { expressAuth, requireAuth }: Traced['latchkey'],
  { issuer }: FakeProvider,
  more: Partial<AuthConfig>,
): Promise<App> {
  const config: AuthConfig = {
    secret: randomBytes(32).toString('base64url'),
    providers: [{ id: 'fake', name: 'Fake', type: 'oidc', issuer, clientId: 'client', clientSecret: 'secret' }],
    ...more,
  }
  const app = express()
  app.use('/auth', expressAuth(config))
  app.get('/account', requireAuth(config), (_request, response) => void response.json({}))
  let last: readonly Call[] = []
  const server = createServer((request, response) => {
    const stop = startRecording()
    response.once('close', () => {
      last = stop()
    })
    app(request, response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    open: () => new Visitor(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    lastRequest: () => last,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

async function signIn(visitor: Visitor, provider: FakeProvider): Promise<void> {
  const csrfToken = await visitor.csrfToken()
  const { location } = await visitor.post('/auth/signin/fake', { csrfToken })
  if (!location) throw new Error('The sign-in did not lead to the provider.')
  const callback = await visitor.get(`/auth/callback/fake?${provider.authorize(location.href)}`)
  if (callback.location?.pathname !== '/') throw new Error(`The callback led to ${callback.location}.`)
}
