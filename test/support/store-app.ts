import express from 'express'
import { createClient } from 'redis'
import { combineAdapters } from '../../lib/adapters/combine.js'
import { redisAdapter } from '../../lib/adapters/redis.js'
import { sqlAdapter } from '../../lib/adapters/sql.js'
import { expressAuth, requireAuth } from '../../lib/index.js'
import { listen, testConfig } from './app.js'
import { registering } from './sign-ins.js'

/** One process of an application that runs on several: tells its origin to the process that started it, and ends with it. */
const { POSTGRES_URL = '', REDIS_URL = '', REDIS_PREFIX = '' } = process.env
const client = createClient({ url: REDIS_URL, disableOfflineQueue: true })
client.on('error', () => undefined)
await client.connect()
const adapter = combineAdapters({
  sessions: redisAdapter(client, { prefix: REDIS_PREFIX }),
  rest: sqlAdapter({ url: POSTGRES_URL }),
}) as Parameters<typeof registering>[0]
const config = testConfig({ adapter, providers: [registering(adapter)] })
const app = express()
app.use('/auth', expressAuth(config))
app.get('/private', requireAuth(config), (_req, res) => void res.send(`Hello ${res.locals.session.user?.email}`))
const { origin } = await listen(app)
process.once('disconnect', () => process.exit())
process.send?.({ origin })
