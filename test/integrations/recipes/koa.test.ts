import { expect } from 'chai'
import Koa from 'koa'
import { type AuthConfig, expressAuth, getSession, type Middleware, requireAuth } from '../../../lib/index.js'
import { listen, type Running, testConfig } from '../../support/app.js'
import { expectRecipe } from './recipes.js'

describe('the recipe for Koa', () => {
  let running: Running

  before(async () => {
    const mounted: AuthConfig = {
      ...testConfig({ session: { updateAge: 0 } }),
      basePath: '/auth',
      callbacks: {
        authorized: ({ auth, request }) => auth !== null || !new URL(request.url).pathname.startsWith('/private'),
      },
    }
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
    app.use(below('/auth', connect(expressAuth(mounted))))
    app.use(connect(requireAuth(mounted)))
    app.use(async (ctx) => {
      ctx.body = { path: ctx.path, session: await getSession(ctx.req, mounted) }
    })
    running = await listen(app.callback())
  })
  after(() => running?.close())

  it('serves the mount, guards, and renews sessions', () => expectRecipe(running.visitor))

  it('guards every spelling of a path', async () => {
    for (const path of ['/private', '/Private/papers', '/%70rivate/papers'])
      expect((await running.visitor().get(path)).status, path).to.equal(401)
  })
})
