// A server whose sessions are in PostgreSQL. Make the tables before the first version that needs them starts:
// npx latchkey migrate up --database "$DATABASE_URL"
import { once } from 'node:events'
import express from 'express'
import { type AuthConfig, expressAuth, requireAuth } from 'latchkey'
import { sqlAdapter } from 'latchkey/adapters/sql'
import GitHub from 'latchkey/providers/github'

const adapter = sqlAdapter({ url: process.env.DATABASE_URL ?? '' })
const config: AuthConfig = { providers: [GitHub], adapter }

const app = express()
// It asks no store: restarting the application does not repair a database.
app.get('/livez', (_req, res) => res.send('alive'))
app.use('/auth', expressAuth(config))
app.get('/account', requireAuth(config), (_req, res) => res.json(res.locals.session.user))

const server = app.listen(Number(process.env.PORT ?? 3000))

process.once('SIGTERM', async () => {
  // Open requests are answered; then the connections to the store are closed, and the process ends by itself.
  server.close()
  await once(server, 'close')
  await adapter.close()
})
