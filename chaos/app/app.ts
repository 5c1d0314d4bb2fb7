import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { AuthConfig } from '../../lib/index.js'
import { setClock } from './clock.js'
import type { AppMessage, AppOrder, AppSettings } from './settings.js'
import { openAdapter } from './store.js'

/** One process of an application. It sends its origin to the program that started it, and ends when that program ends. */
const settings = JSON.parse(process.env['CHAOS_APP'] ?? '') as AppSettings
const tell = (message: AppMessage) => process.send?.(message)
const load = <Module>(path: string) => import(pathToFileURL(join(settings.modules, path)).href) as Promise<Module>

process.once('disconnect', () => process.exit())
process.on('message', ({ clockOffset }: AppOrder) => {
  setClock(clockOffset)
  tell({ isSet: true })
})

const { default: express } = await import('express')
const { expressAuth, requireAuth } = await load<typeof import('../../lib/index.js')>('index.js')
const adapter = await openAdapter(settings.store, load)

const client = { clientId: 'client', clientSecret: 'secret' }
const { issuer } = settings
const config: AuthConfig = {
  url: 'http://chaos.example',
  secret: 'a secret that is long enough for anything',
  session: { strategy: settings.strategy },
  ...(adapter && { adapter }),
  providers: [
    { id: 'oidc', name: 'OIDC', type: 'oidc', issuer, ...client },
    {
      id: 'oauth',
      name: 'OAuth',
      type: 'oauth',
      authorization: `${issuer}/authorize`,
      token: `${issuer}/token`,
      userinfo: `${issuer}/userinfo`,
      profile: ({ sub, email }: Record<string, string>) => ({ id: sub, name: 'Ada', email }),
      ...client,
    } as AuthConfig['providers'][number],
  ],
}

const app = express()
app.use('/auth', expressAuth(config))
app.get('/private', requireAuth(config), (_req, res) => void res.send(res.locals.session.user?.email))
const server = createServer(app)
server.listen(settings.port ?? 0, '127.0.0.1', () => {
  tell({ origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
})
