import { Hono } from 'hono'
import { setCookies, webAuth } from '../../../lib/web/index.js'
import { testConfig } from '../../support/app.js'
import { expectRecipe } from './recipes.js'
import { serveFetch } from './serve-fetch.js'

describe('the recipe for Hono', () => {
  it('serves the mount, guards, and renews sessions', async () => {
    const auth = webAuth(testConfig({ session: { updateAge: 0 } }))
    const app = new Hono<{ Variables: { userName: string | null } }>()
    app.all('/auth/*', (c) => auth.serve(c.req.raw))
    app.use('/private/*', async (c, next) => {
      const { session, cookies, response } = await auth.forRequest(c.req.raw).guard()
      if (response) return response
      c.set('userName', session?.user?.name ?? null)
      await next()
      return setCookies(c.res.headers, cookies)
    })
    app.get('/private/papers', (c) => c.json({ reader: c.get('userName') }))
    app.get('/', async (c) => c.json(await auth.forRequest(c.req.raw).getSession()))
    const running = await serveFetch(async (request) => app.fetch(request))
    try {
      await expectRecipe(running.visitor)
    } finally {
      await running.close()
    }
  })
})
