import { ExpressAuth, type ExpressAuthConfig, getSession } from '@auth/express'
import type { Adapter, AdapterSession, AdapterUser } from '@auth/express/adapters'
import Credentials from '@auth/express/providers/credentials'
import express from 'express'
import { CLIENT, CREDENTIALS, PROVIDERS, SECRET } from '../people.js'
import type { LatchkeyOptions } from './latchkey.js'

/** Options of the server. `storesSessions` means in Maps. */
export type AuthjsOptions = Pick<LatchkeyOptions, 'storesSessions' | 'issuer' | 'wellKnown'>

/** A route behind a guard of the application, as the documentation of the package shows it, and the routes of the package. */
export async function serve(_origin: string, options: AuthjsOptions): Promise<express.Express> {
  const { storesSessions, issuer, wellKnown } = options
  const modules = await Promise.all((wellKnown ? PROVIDERS : []).map((id) => import(`@auth/express/providers/${id}`)))
  const config: ExpressAuthConfig = {
    providers: [
      Credentials(CREDENTIALS),
      ...(issuer === undefined ? [] : [{ id: 'local', name: 'Local', type: 'oidc' as const, issuer, ...CLIENT }]),
      ...modules.map((module) => module.default(CLIENT)),
    ],
    basePath: '/auth',
    secret: SECRET,
    trustHost: true,
    ...(storesSessions ? { adapter: mapAdapter() } : {}),
  }
  const guard: express.RequestHandler = async (req, res, next) => {
    const session = await getSession(req, config)
    if (!session?.user) return void res.status(401).json({ message: 'Sign in first.' })
    res.locals['session'] = session
    next()
  }
  const app = express()
  app.get('/hello', guard, (_req, res) => void res.json({ hello: res.locals['session'].user.name }))
  app.use('/auth', ExpressAuth(config))
  return app
}

/** Users and sessions in Maps, the fastest store that is possible. Each person signs in once, so accounts are not kept. */
function mapAdapter(): Adapter {
  const users = new Map<string, AdapterUser>()
  const sessions = new Map<string, AdapterSession>()
  const kept = <Row>(rows: Map<string, Row>, key: string, row: Row) => rows.set(key, row) && row
  return {
    createUser: (user) => kept(users, user.id, user),
    getUser: (id) => users.get(id) ?? null,
    getUserByEmail: () => null,
    getUserByAccount: () => null,
    updateUser: (changes) => changes as AdapterUser,
    linkAccount: () => undefined,
    createSession: (session) => kept(sessions, session.sessionToken, session),
    getSessionAndUser(token) {
      const session = sessions.get(token)
      const user = session && users.get(session.userId)
      return session && user ? { session: { ...session }, user: { ...user } } : null
    },
    updateSession: () => null,
    deleteSession: () => undefined,
  }
}
