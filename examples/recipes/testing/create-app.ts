// The application that is tested.
import express from 'express'
import { type AuthConfig, expressAuth, getSession, requireAuth } from 'latchkey'
import { memoryAdapter } from 'latchkey/adapters/memory'
import Passkey from 'latchkey/providers/passkey'

export function createApp(more: Partial<AuthConfig>) {
  const config: AuthConfig = {
    secret: 'a secret that is long enough for anything',
    adapter: memoryAdapter(),
    providers: [Passkey()],
    ...more,
  }
  const app = express()
  app.use('/auth', expressAuth(config))
  app.get('/invoices', requireAuth(config), (_req, res) => res.json([]))
  app.get('/', async (req, res) => {
    const user = (await getSession(req, config))?.user
    res.send(`Hello, ${user?.name ?? user?.email}`)
  })
  return { app, config }
}
