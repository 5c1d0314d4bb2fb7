import express from 'express'
import { type Adapter, type AuthConfig, expressAuth, getSession, requireAuth, startSignIn } from 'latchkey'
import { Credentials } from 'latchkey/providers'
import { CLIENT, CREDENTIALS, PROVIDERS, SECRET, userOf } from '../people.js'

/** Options of the server. Sessions are tokens, unless they are stored in the memory adapter or in a file of SQLite. */
export interface LatchkeyOptions {
  readonly storesSessions?: boolean
  readonly sqlite?: string
  /** How many sessions the store has before the first sign-in. */
  readonly storedSessions?: number
  readonly tokenCacheSize?: number
  /** Seconds between two look-ups of one token session in a revocation store, the memory adapter; by default there is no store. */
  readonly checkEvery?: number
  /** How often the guarded route calls `getSession`. */
  readonly reads?: number
  /** Providers beside credentials: an OpenID provider to sign in at, whether there are five well-known ones, and how many others. */
  readonly issuer?: string
  readonly wellKnown?: boolean
  readonly otherProviders?: number
  /** How many configurations there are, of which the cookie `tenant` selects one, and how many groups a session token has. */
  readonly tenants?: number
  readonly groups?: number
}

/** How many people exist. They own the stored sessions. */
const PEOPLE = 1000

/** A route behind `requireAuth`, and the routes of Latchkey. */
export async function serve(_origin: string, options: LatchkeyOptions): Promise<express.Express> {
  const { reads = 0, tenants = 1 } = options
  const config = await configure(options)
  const configs = Array.from({ length: tenants }, (_, tenant) => ({ ...config, secret: `${SECRET} ${tenant}` }))
  const tenantOf = ({ headers }: { readonly headers: { readonly cookie?: string | undefined } }) =>
    configs[Number(/tenant=(\d+)/.exec(headers.cookie ?? '')?.[1])] ?? config
  const selected = tenants > 1 ? tenantOf : config
  const hello: express.RequestHandler = (_req, res) => void res.json({ hello: res.locals['session'].user.name })
  const helloAfterReads: express.RequestHandler = async (req, res, next) => {
    for (let read = 0; read < reads; read += 1) await getSession(req, selected)
    hello(req, res, next)
  }
  const app = express()
  app.get('/hello', requireAuth(selected), reads > 0 ? helloAfterReads : hello)
  app.get('/login', (req, res) => startSignIn(req, res, selected, 'local', { redirectTo: '/', fromAnywhere: true }))
  app.use('/auth', expressAuth(selected))
  return app
}

async function configure(options: LatchkeyOptions): Promise<AuthConfig> {
  const { issuer, wellKnown, otherProviders = 0, groups = 0 } = options
  const oidc = (id: string, issuer: string) => ({ id, name: id, type: 'oidc' as const, issuer, ...CLIENT })
  const others = Array.from({ length: otherProviders }, (_, index) => oidc(`p${index}`, `https://p${index}.example`))
  const modules = await Promise.all((wellKnown ? PROVIDERS : []).map((id) => import(`latchkey/providers/${id}`)))
  const groupNames = Array.from({ length: groups }, (_, index) => `group-${1000 + index}`)
  const adapter = await openStore(options)
  const session = await sessionOptions(options)
  return {
    providers: [
      Credentials(CREDENTIALS),
      ...(issuer === undefined ? [] : [oidc('local', issuer)]),
      ...modules.map((module) => module.default(CLIENT)),
      ...others,
    ],
    secret: SECRET,
    trustHost: true,
    ...(adapter ? { adapter } : {}),
    ...(session ? { session } : {}),
    ...(groups > 0 ? { callbacks: { jwt: ({ token }) => ({ ...token, groups: groupNames }) } } : {}),
  }
}

async function sessionOptions({ tokenCacheSize, checkEvery }: LatchkeyOptions): Promise<AuthConfig['session']> {
  if (tokenCacheSize !== undefined) return { tokenCacheSize }
  if (checkEvery === undefined) return undefined
  const { memoryAdapter } = await import('latchkey/adapters/memory')
  return { revocation: { store: memoryAdapter(), checkEvery } }
}

/** Adapters are imported when they are needed: the memory of a server without a store is measured too. */
async function openStore({ storesSessions, sqlite, storedSessions = 0 }: LatchkeyOptions): Promise<Adapter | null> {
  if (!storesSessions && sqlite === undefined) return null
  const { migrateToLatest, sqlAdapter } = await import('latchkey/adapters/sql')
  const { memoryAdapter } = await import('latchkey/adapters/memory')
  if (sqlite !== undefined) await migrateToLatest({ sqlite })
  const adapter = sqlite === undefined ? memoryAdapter() : sqlAdapter({ sqlite })
  const expires = new Date(Date.now() + 24 * 60 * 60 * 1000)
  // Credentials create no users: the people who sign in exist before.
  for (let person = 0; person < PEOPLE; person += 1) {
    await adapter.createUser({ ...userOf(person), emailVerified: null })
  }
  for (let session = 0; session < storedSessions; session += 1) {
    await adapter.createSession({ sessionToken: `stored-${session}`, userId: String(session % PEOPLE), expires })
  }
  return adapter
}
