import express from 'express'
import { createClient } from 'redis'
import type { Adapter } from '../../lib/adapters/adapter.js'
import { redisAdapter } from '../../lib/adapters/redis.js'
import { sqlAdapter } from '../../lib/adapters/sql.js'
import { expressAuth, requireAuth, revokeAllSessions } from '../../lib/index.js'
import Credentials from '../../lib/providers/credentials.js'
import { listen, testConfig } from './app.js'

/** One process of an application with revocable token sessions: tells its origin to the process that started it, and ends with it. */
const { STORE_URL = '', CHECK_EVERY = '1' } = process.env

async function openStore(): Promise<Adapter> {
  if (!STORE_URL.startsWith('redis:')) return sqlAdapter({ url: STORE_URL }, { queryTimeout: 8 })
  const client = createClient({ url: STORE_URL, disableOfflineQueue: true, socket: { reconnectStrategy: 20 } })
  client.on('error', () => undefined)
  await client.connect()
  return redisAdapter(client)
}

/** Signs anybody in under the name that they give. */
const names = Credentials({
  credentials: { name: { label: 'Name' } },
  authorize: ({ name }) => ({ id: String(name), name: String(name), email: null, image: null }),
})

const config = testConfig({
  providers: [names],
  storeTimeout: 10,
  session: { revocation: { store: await openStore(), checkEvery: Number(CHECK_EVERY) } },
})
const app = express()
app.use('/auth', expressAuth(config))
app.get('/private', requireAuth(config), (_req, res) => void res.send(`Hello ${res.locals.session.user?.name}`))
app.post('/revoke-all/:user', async (req, res) => {
  await revokeAllSessions(config, req.params.user)
  res.send('done')
})
const { origin } = await listen(app)
process.once('disconnect', () => process.exit())
process.send?.({ origin })
