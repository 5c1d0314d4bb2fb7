// Health, start and stop of an application with a store.
import { once } from 'node:events'
import express, { type NextFunction, type Request, type Response } from 'express'
import { AdapterError, type AuthConfig, expressAuth, getSession, requireAuth, SessionTokenError } from 'latchkey'
import { sqlAdapter } from 'latchkey/adapters/sql'

const adapter = sqlAdapter({ url: process.env.DATABASE_URL ?? '' })
// For each store, a look-up of a row that does not exist.
const stores = { database: () => adapter.getUserByEmail('nobody@store.invalid') }

const config: AuthConfig = { providers: [], adapter }
const app = express()
let state: 'starting' | 'ready' | 'stopping' = 'starting'

// While the process stops, no browser and no load balancer keeps a connection for its next request.
app.use((_req, res, next) => {
  if (state === 'stopping') res.set('Connection', 'close')
  next()
})

// Alive: this process answers. It asks no store: restarting the application does not repair a database.
app.get('/livez', (_req, res) => res.send('alive'))

// Ready: send requests here. It asks no store either: a probe waits one second, and a store that hangs takes longer.
app.get('/readyz', (_req, res) => res.status(state === 'ready' ? 200 : 503).json({ state }))

// For dashboards and alerts: the state of each store. It has no effect.
app.get('/storez', async (_req, res) => {
  const asked = Object.entries(stores).map(async ([name, ask]) => [name, await isUp(ask)])
  res.json(Object.fromEntries(await Promise.all(asked)))
})

/** Whether a store answers within two seconds. The first time it loads its driver. */
async function isUp(ask: () => Promise<unknown>) {
  const late = new Promise<boolean>((resolve) => setTimeout(resolve, 2000, false))
  const answer = ask().then(
    () => true,
    () => false,
  )
  return (await Promise.race([answer, late])) ? 'up' : 'down'
}

app.use('/auth', expressAuth(config))
app.get('/account', requireAuth(config), (_req, res) => res.send('Yours.'))

// A page for everybody that shows who is signed in, with a store or without.
app.get('/', async (req, res) => {
  const session = await getSession(req, config).catch(() => null)
  res.send(session ? `Hello, ${session.user?.name}.` : 'Hello.')
})

// A page that needs the session: the visitor is asked to come back, instead of getting 500 and a stack.
app.get('/orders', async (req, res) => {
  const session = await getSession(req, config)
  res.send(session ? 'Your orders.' : 'Sign in to see your orders.')
})
app.use((error: unknown, _req: Request, res: Response, next: NextFunction) => {
  const isStore = error instanceof SessionTokenError || error instanceof AdapterError
  if (!isStore || res.headersSent) return next(error)
  res.status(503).set('Retry-After', '5').send('Please try again in a moment.')
})

const server = app.listen(Number(process.env.PORT ?? 3000))
await once(server, 'listening')
state = 'ready'

async function stop() {
  if (state === 'stopping') return
  // 1. No new visitors: the load balancer needs a moment to notice, and requests are answered meanwhile.
  state = 'stopping'
  await new Promise((resolve) => setTimeout(resolve, Number(process.env.DRAIN_SECONDS ?? 5) * 1000))
  // 2. No new connections; open requests are answered, and after ten seconds cut off.
  const closed = once(server, 'close')
  server.close()
  setTimeout(() => server.closeAllConnections(), 10_000).unref()
  await closed
  // 3. The stores are closed last, because the requests above needed them.
  await adapter.close()
}
process.once('SIGTERM', stop)
process.once('SIGINT', stop)
