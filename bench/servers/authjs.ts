import { randomUUID } from 'node:crypto'
import { ExpressAuth, type ExpressAuthConfig, getSession } from '@auth/express'
import Credentials from '@auth/express/providers/credentials'
import express from 'express'
import { CATALOGUE } from '../harness/catalogue.js'
import { emailOf, nameOf, personIn, WHOEVER_IS_NAMED } from '../harness/people.js'
import { type MapStore, mapStore } from './authjs-store.js'

/** Which @auth/express is served. */
export interface AuthjsOptions {
  /** Stores sessions in Maps; without it, sessions are tokens. */
  readonly storesSessions?: boolean
  readonly issuer?: string
  /** Five well-known providers beside credentials. */
  readonly catalogue?: boolean
}

/** A route behind a guard of the application's own, as the documentation of the package shows it, and the sign-in routes. */
export async function serve(_origin: string, options: AuthjsOptions) {
  const store = options.storesSessions ? mapStore() : null
  const config = await configure(options, store)
  const guard: express.RequestHandler = async (req, res, next) => {
    const session = await getSession(req, config)
    if (!session?.user) return void res.status(401).json({ message: 'Sign in first.' })
    res.locals['session'] = session
    next()
  }
  const app = express()
  app.get('/hello', guard, (_req, res) => void res.json({ hello: res.locals['session'].user.name }))
  if (store) app.post('/sign-in', signInTo(store))
  app.use('/auth', ExpressAuth(config))
  return app
}

async function configure(options: AuthjsOptions, store: MapStore | null): Promise<ExpressAuthConfig> {
  return {
    providers: [
      Credentials(WHOEVER_IS_NAMED),
      ...openIdProvider(options.issuer),
      ...(options.catalogue ? await catalogue() : []),
    ],
    basePath: '/auth',
    secret: 'a secret of the benchmark, thirty-two characters or more',
    trustHost: true,
    ...(store ? { adapter: store.adapter } : {}),
  }
}

const openIdProvider = (issuer: string | undefined): ExpressAuthConfig['providers'] =>
  issuer === undefined
    ? []
    : [{ id: 'local', name: 'Local', type: 'oidc', issuer, clientId: 'authjs', clientSecret: 'the secret of authjs' }]

async function catalogue(): Promise<ExpressAuthConfig['providers']> {
  const client = { clientId: 'a client', clientSecret: 'its secret' }
  return Promise.all(CATALOGUE.map(async (name) => (await import(`@auth/express/providers/${name}`)).default(client)))
}

/** Leaves what a sign-in leaves in the store and in the browser: credentials go with tokens only here. */
function signInTo({ adapter }: MapStore): express.RequestHandler {
  return (req, res) => {
    const id = personIn(req.query['person'])
    const expires = new Date(Date.now() + 30 * 24 * 3600 * 1000)
    const sessionToken = randomUUID()
    adapter.createUser({ id: String(id), name: nameOf(id), email: emailOf(id), emailVerified: null })
    adapter.createSession({ sessionToken, userId: String(id), expires })
    res.cookie('authjs.session-token', sessionToken, { httpOnly: true, sameSite: 'lax', expires }).status(204).end()
  }
}
