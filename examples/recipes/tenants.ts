// One application serves several customers, each at a host of its own. A tenant has its own users, sessions, providers and looks.
//
// - `instance` keeps the tenants apart, although all of them use AUTH_SECRET: a cookie, a form or a mailed link of one counts
//   nowhere else. Never change it.
// - Return the same object for the same tenant: each new object is checked and resolved again.
// - A host comes from the visitor. Look it up in a list of yours, as here. Behind a proxy that replaces `Host`, read the header
//   that the proxy sets.
// - A mistake in the configuration of a tenant shows at its first request. `npx latchkey doctor` finds it before.
import express from 'express'
import { type AuthConfig, expressAuth, type MiddlewareRequest, requireAuth } from 'latchkey'
import { migrateToLatest, sqlAdapter } from 'latchkey/adapters/sql'
import GitHub from 'latchkey/providers/github'

interface Tenant {
  id: string
  host: string
  name: string
  brandColor: string
  /** The tenant's own client at GitHub, with the callback URL https://{host}/auth/callback/github. */
  clientId: string
  clientSecret: string
}

/** From your database, where you add tenants. */
const tenants: Tenant[] = [
  { id: 'north', host: 'north.example', name: 'North', brandColor: '#0f6b5c', clientId: 'n', clientSecret: 'n-secret' },
  { id: 'south', host: 'south.example', name: 'South', brandColor: '#8a3ffc', clientId: 's', clientSecret: 's-secret' },
]

async function makeConfig({ id, host, name, brandColor, clientId, clientSecret }: Tenant): Promise<AuthConfig> {
  // A database for each tenant: an address can have an account at both, and a mistake in a query shows no other tenant.
  const database = { sqlite: `${id}.db` }
  await migrateToLatest(database)
  return {
    instance: id,
    url: `https://${host}`,
    adapter: sqlAdapter(database),
    providers: [GitHub({ clientId, clientSecret })],
    theme: { name, brandColor },
  }
}

/** One object for each tenant, made once. */
const configs = new Map<string, AuthConfig>()
for (const tenant of tenants) configs.set(tenant.host, await makeConfig(tenant))

function configFor(req: MiddlewareRequest): AuthConfig {
  const config = configs.get(req.headers.host ?? '')
  if (!config) throw new Error('There is no such tenant.')
  return config
}

const app = express()
app.use((req, res, next) => {
  if (configs.has(req.headers.host ?? '')) return next()
  res.status(404).send('There is nothing at this address.')
})
app.use('/auth', expressAuth(configFor))
app.get('/', requireAuth(configFor), (req, res) => {
  res.type('text').send(`${res.locals.session.user?.name} at ${configFor(req).theme?.name}`)
})

app.listen(3000)
