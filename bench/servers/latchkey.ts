import express, { type Request } from 'express'
import type { AuthConfig } from '../../dist/index.js'
import { CATALOGUE } from '../harness/catalogue.js'
import { loadLatchkey, loadMemoryAdapter, loadProvider, loadProviders } from '../harness/latchkey.js'
import { emailOf, nameOf, WHOEVER_IS_NAMED } from '../harness/people.js'

/** Which Latchkey is served. */
export interface LatchkeyOptions {
  /** Stores sessions in the memory adapter; without it, sessions are tokens. */
  readonly storesSessions?: boolean
  readonly tokenCacheSize?: number
  /** How often the route asks for the session again. */
  readonly readsAgain?: number
  /** An OpenID provider to sign in at, beside credentials. */
  readonly issuer?: string
  /** Five well-known providers beside credentials. */
  readonly catalogue?: boolean
}

/** How many may sign in where sessions are stored. */
const PEOPLE = 1000

/** A route behind `requireAuth`, and the sign-in routes. */
export async function serve(_origin: string, options: LatchkeyOptions) {
  const { expressAuth, getSession, requireAuth } = await loadLatchkey()
  const config = await configure(options)
  const { readsAgain = 0 } = options
  const app = express()
  app.get('/hello', requireAuth(config), readsAgain > 0 ? helloAfter(readsAgain) : hello)
  app.use('/auth', expressAuth(config))
  return app

  function helloAfter(times: number): express.RequestHandler {
    return async (req: Request, res) => {
      for (let time = 0; time < times; time += 1) await getSession(req, config)
      hello(req, res, () => {})
    }
  }
}

const hello: express.RequestHandler = (_req, res) => {
  res.json({ hello: res.locals['session'].user.name })
}

async function configure(options: LatchkeyOptions): Promise<AuthConfig> {
  const { Credentials } = await loadProviders()
  return {
    providers: [
      Credentials(WHOEVER_IS_NAMED),
      ...openIdProvider(options.issuer),
      ...(options.catalogue ? await catalogue() : []),
    ],
    secret: 'a secret of the benchmark, thirty-two characters or more',
    trustHost: true,
    ...(options.storesSessions ? { adapter: await fullStore() } : {}),
    ...(options.tokenCacheSize === undefined ? {} : { session: { tokenCacheSize: options.tokenCacheSize } }),
  }
}

const openIdProvider = (issuer: string | undefined): AuthConfig['providers'] =>
  issuer === undefined
    ? []
    : [
        {
          id: 'local',
          name: 'Local',
          type: 'oidc',
          issuer,
          clientId: 'latchkey',
          clientSecret: 'the secret of latchkey',
        },
      ]

async function catalogue(): Promise<AuthConfig['providers']> {
  const client = { clientId: 'a client', clientSecret: 'its secret' }
  return Promise.all(CATALOGUE.map(async (name) => (await loadProvider(name)).default(client)))
}

/** Credentials make no users: those who sign in with them are there before. */
async function fullStore() {
  const { memoryAdapter } = await loadMemoryAdapter()
  const adapter = memoryAdapter()
  for (let person = 0; person < PEOPLE; person += 1) {
    adapter.createUser({ id: String(person), name: nameOf(person), email: emailOf(person), emailVerified: null })
  }
  return adapter
}
