import { betterAuth } from 'better-auth'
import { memoryAdapter } from 'better-auth/adapters/memory'
import { fromNodeHeaders, toNodeHandler } from 'better-auth/node'
import express from 'express'

/** Which better-auth is served. */
export interface BetterAuthOptions {
  /** Whether a signed copy of the session in a second cookie spares the look-up. */
  readonly cookieCache?: boolean
}

/** A route behind a guard of the application's own, as the documentation of the package shows it, and the sign-in routes. */
export function serve(origin: string, { cookieCache = false }: BetterAuthOptions) {
  const auth = betterAuth({
    baseURL: origin,
    secret: 'a secret of the benchmark, thirty-two characters or more',
    database: memoryAdapter({ user: [], session: [], account: [], verification: [] }),
    // Passwords that cost nothing: a thousand people are to sign up.
    emailAndPassword: {
      enabled: true,
      password: { hash: async (password) => password, verify: async ({ hash, password }) => hash === password },
    },
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
  app.all('/api/auth/*splat', toNodeHandler(auth))
  return app
}
