// Compiled by `npm run lint`, never run: what Latchkey gives is what Express and Connect take.
import type { IncomingMessage, ServerResponse } from 'node:http'
import connect from 'connect'
import express, { type Request, type RequestHandler, Router } from 'express'
import {
  type AuthConfig,
  authSession,
  csrfToken,
  expressAuth,
  getSession,
  listSessions,
  type Middleware,
  requireAuth,
  revokeAllSessions,
  revokeOtherSessions,
  revokeSession,
  type Session,
  setPassword,
  signInUrl,
  signOut,
  startSignIn,
  updateSession,
  verifyCsrfToken,
  verifyPassword,
} from '../../lib/index.js'

const config: AuthConfig = { providers: [] }
const byRequest = (req: { headers: IncomingMessage['headers'] }): AuthConfig => ({
  ...config,
  basePath: `/${req.headers.host}`,
})

const app = express()
app.use(expressAuth(config))
app.use('/auth', expressAuth(config))
app.use('/auth', expressAuth(byRequest))
app.use(
  '/auth',
  expressAuth(async (req) => ({ ...config, secret: req.headers.host ?? '' })),
)
app.use(
  '/auth',
  expressAuth((req: Request) => ({ ...config, basePath: `/${req.hostname}` })),
)
app.all('/auth/*splat', expressAuth(config))
app.use(/^\/auth\/(.*)/, expressAuth(config))
app.use('/deep', Router().use('/auth', expressAuth(config)))
app.use(authSession(config))
app.get('/private', requireAuth(config), (_req, res) => {
  const name: string | null | undefined = res.locals.session.user?.name
  res.send(name)
})
app.get('/other', authSession(byRequest), requireAuth(byRequest, { signInUrl: '/login' }), (_req, res) => res.end())
app.get('/user/:id', requireAuth(config), (req, res) => res.json(req.params.id))
app.post('/form', requireAuth(config), (req, res) => {
  const { session } = res.locals
  res.json([req.body.name, req.query['x'], req.params, session.user?.name])
})
app.use('/many', [authSession(config), requireAuth(config)])

export const handlers: RequestHandler[] = [expressAuth(config), authSession(config), requireAuth(config)]

const plain = connect()
plain.use('/auth', expressAuth(config))
plain.use(authSession(config))
plain.use('/private', requireAuth(config))

export const bare: (req: IncomingMessage, res: ServerResponse, next: (error?: unknown) => void) => void =
  expressAuth(config)
export const middleware: Middleware = requireAuth(config)

export async function sessions(req: Request, message: IncomingMessage): Promise<(Session | null)[]> {
  // @ts-expect-error a session is a promise first
  const early: Session | null = getSession(req, config)
  // @ts-expect-error a web Request has no Node headers; Auth() is for those
  const web = await getSession(new globalThis.Request('http://localhost'), config)
  const found = [await getSession(req, config), await getSession(message, byRequest), early, web]
  const [first] = found
  if (!first) return []
  const expires: string = first.expires
  // @ts-expect-error a session may be of nobody in particular
  const email: string = first.user.email
  return [{ ...first, expires: expires + email }]
}

/** An option that may be missing is passed on as it is, also under `exactOptionalPropertyTypes`. */
export async function calls(req: Request, res: express.Response, redirectTo: string | undefined): Promise<string> {
  await startSignIn(req, res, config)
  await startSignIn(req, res, byRequest, 'github', { redirectTo, authorizationParams: { login_hint: 'ada' } })
  await startSignIn(req, res, config, 'credentials', { redirectTo, fields: req.body })
  await signOut(req, res, config, { redirectTo })
  // @ts-expect-error a misspelt option
  await signOut(req, res, config, { callbackUrl: '/' })
  return signInUrl(req, config, { redirectTo, provider: undefined })
}

plain.use('/login', (req, res, next) => void startSignIn(req, res, config, 'github').catch(next))
plain.use('/logout', (req, res, next) => void signOut(req, res, config, { redirectTo: '/' }).catch(next))

// @ts-expect-error options are an object
requireAuth(config, '/login')
// @ts-expect-error a configuration is needed
expressAuth()

// A function that is not called is no middleware, and there is no session without a configuration.
// @ts-expect-error call it
app.use(requireAuth)
// @ts-expect-error call it
app.use(authSession)
// @ts-expect-error call it
app.use('/auth', expressAuth)
// @ts-expect-error call it
app.get('/private', requireAuth, (_req, res) => void res.end())
// @ts-expect-error call it
plain.use(requireAuth)
// @ts-expect-error call it
plain.use('/auth', expressAuth)
// @ts-expect-error a configuration is needed
authSession()
// @ts-expect-error a middleware is no configuration
requireAuth(expressAuth(config))

export async function withoutConfiguration(req: Request, res: express.Response) {
  // @ts-expect-error a configuration is needed
  await getSession(req)
  // @ts-expect-error a request is no configuration
  await getSession(req, req)
  // @ts-expect-error a response is no configuration
  await getSession(req, res)
  // @ts-expect-error a configuration is needed
  await csrfToken(req, res)
  // @ts-expect-error a configuration is needed
  await verifyCsrfToken(req, 'token')
  // @ts-expect-error a configuration is needed
  await updateSession(req, res)
}

app.get('/sessions', async (req, res) => {
  const [first] = await listSessions(req, byRequest)
  const began: Date | null | undefined = first?.createdAt
  res.json({ began, browser: first?.browser })
})
app.post('/sessions', async (req, res) => {
  const isRevoked: boolean = await revokeSession(req, config, req.body.id)
  const count: number = await revokeOtherSessions(req, config, { maxAuthAge: Number.POSITIVE_INFINITY })
  res.json({ isRevoked, count })
})
connect().use(async (req, res) => res.end(String((await listSessions(req, config)).length)))
revokeAllSessions(config, '1815')
// @ts-expect-error there is no request that the function could choose a configuration for
revokeAllSessions(byRequest, '1815')
setPassword(config, { userId: '1815', password: 'a', mustChange: true })
setPassword(config, { userId: '1815', hash: 'a' })
// @ts-expect-error one of them
setPassword(config, { userId: '1815', password: 'a', hash: 'a' })
const isRight: Promise<boolean> = verifyPassword(config, { userId: '1815', password: 'a' })
isRight.catch(() => {})
// @ts-expect-error an option of another function
revokeOtherSessions({} as Request, config, { maxAge: 60 })
