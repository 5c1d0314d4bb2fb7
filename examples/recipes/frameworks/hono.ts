// Without `c.res = undefined`, Hono merges the headers of both responses, and drops cookies. `privateByDefault` keeps what the guard
// let pass out of caches, also if no cookie is set: otherwise the browser shows the page after a sign-out.

import { Hono } from 'hono'
import { appendCookies, privateByDefault, webAuth } from 'latchkey/web'
import { config } from './config.js'

const auth = webAuth(config)
const app = new Hono<{ Variables: { userName: string | null } }>()

app.all('/auth/*', (c) => auth.serve(c.req.raw))

app.use('/private/*', async (c, next) => {
  const { session, cookies, response } = await auth.forRequest(c.req.raw).guard()
  if (response) return response
  c.set('userName', session?.user?.name ?? null)
  await next()
  const answer = appendCookies(privateByDefault(c.res), cookies)
  c.res = undefined
  c.res = answer
  return undefined
})
app.get('/private/papers', (c) => c.json({ reader: c.get('userName') }))

app.get('/', async (c) => c.json(await auth.forRequest(c.req.raw).getSession()))
