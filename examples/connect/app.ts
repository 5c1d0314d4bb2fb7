import { createServer } from 'node:http'
import connect from 'connect'
// Your own application imports from 'latchkey' and 'latchkey/providers/credentials'.
import { type AuthConfig, expressAuth, getSession, requireAuth } from '../../lib/index.js'
import Credentials from '../../lib/providers/credentials.js'

const config: AuthConfig = {
  // This default is only for this example. Your own application must get a secret from the environment, as AUTH_SECRET.
  secret: process.env.AUTH_SECRET ?? 'a secret for trying out, known to all',
  providers: [
    Credentials({
      credentials: { username: { label: 'User name' }, password: { label: 'Password', type: 'password' } },
      authorize: ({ username, password }) =>
        username === 'ada' && password === 'analytical engine' ? { id: '1815', name: 'Ada Lovelace' } : null,
    }),
  ],
}

const app = connect()
app.use('/auth', expressAuth(config))
app.use('/private', requireAuth(config))
app.use(async (req, res, next) => {
  try {
    const session = await getSession(req, config)
    res.setHeader('content-type', 'application/json')
    res.end(JSON.stringify({ path: req.url, user: session?.user ?? null }))
  } catch (error) {
    next(error)
  }
})

const server = createServer(app).listen(process.env.PORT ?? 3000, () => {
  const address = server.address()
  console.log(`http://localhost:${typeof address === 'object' ? address?.port : address}`)
})
