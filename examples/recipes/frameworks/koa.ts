// Guard with the `authorized` callback, and not with a comparison of `ctx.path`: routers read `/Private` and `/%70rivate` as
// `/private`. Latchkey asks the callback about each way in which a router may read the path.

import Koa from 'koa'
import { type AuthConfig, expressAuth, getSession, type Middleware, requireAuth } from 'latchkey'
import { config } from './config.js'

const mounted: AuthConfig = {
  ...config,
  basePath: '/auth',
  callbacks: {
    authorized: ({ auth, request }) => auth !== null || !new URL(request.url).pathname.startsWith('/private'),
  },
}

/** Runs a middleware for Connect. It ends when that middleware has answered, or else goes on. */
const connect =
  (middleware: Middleware): Koa.Middleware =>
  ({ req, res }, next) =>
    new Promise((resolve, reject) => {
      res.once('close', resolve)
      middleware(req, res, (error) => (error ? reject(error) : resolve(next())))
    })

const below =
  (path: string, middleware: Koa.Middleware): Koa.Middleware =>
  (ctx, next) =>
    ctx.path === path || ctx.path.startsWith(`${path}/`) ? middleware(ctx, next) : next()

const app = new Koa()
// Before parsers of bodies: Latchkey reads the bodies of its own forms.
app.use(below('/auth', connect(expressAuth(mounted))))
app.use(connect(requireAuth(mounted)))
app.use(async (ctx) => {
  ctx.body = { path: ctx.path, session: await getSession(ctx.req, mounted) }
})
