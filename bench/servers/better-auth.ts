import { betterAuth } from 'better-auth'
import { memoryAdapter } from 'better-auth/adapters/memory'
import { fromNodeHeaders } from 'better-auth/node'
import express from 'express'
import { personIn, SECRET, userOf } from '../people.js'

/** `cookieCache`: whether a second cookie has a signed copy of the session, so that the store is not read. */
export type BetterAuthOptions = { readonly cookieCache?: boolean }

/** A route behind a guard of the application, as the documentation of the package shows it, and a route that begins a session. */
export function serve(origin: string, { cookieCache = false }: BetterAuthOptions): express.Express {
  const auth = betterAuth({
    baseURL: origin,
    secret: SECRET,
    database: memoryAdapter({ user: [], session: [], account: [], verification: [] }),
    // Passwords that cost nothing: many people sign up.
    emailAndPassword: { enabled: true, password: { hash: async (password) => password, verify: async () => true } },
    session: { cookieCache: { enabled: cookieCache, maxAge: 3600 } },
    rateLimit: { enabled: false },
    telemetry: { enabled: false },
  })
  const guard: express.RequestHandler = async (req, res, next) => {
    const session = await auth.api.getSession({ headers: fromNodeHeaders(req.headers) })
    if (!session) return void res.status(401).json({ message: 'Sign in first.' })
    res.locals['session'] = session
    next()
  }
  const app = express()
  app.get('/hello', guard, (_req, res) => void res.json({ hello: res.locals['session'].user.name }))
  app.post('/sign-in', async (req, res) => {
    const { name, email } = userOf(personIn(req.query['person']))
    const { headers } = await auth.api.signUpEmail({
      body: { name, email, password: 'a password' },
      returnHeaders: true,
    })
    res.setHeader('set-cookie', headers.getSetCookie()).status(204).end()
  })
  return app
}
