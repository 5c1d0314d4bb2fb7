import express from 'express'
// Your own application imports from 'latchkey' and 'latchkey/providers/github'.
import { expressAuth, getSession, requireAuth } from '../../lib/index.js'
import GitHub from '../../lib/providers/catalogue/github.js'

const config = { providers: [GitHub] }
const app = express()

app.use('/auth', expressAuth(config))

app.get('/', async (req, res) => {
  const session = await getSession(req, config)
  res.send(session ? `Signed in as ${session.user?.name}` : '<a href="/auth/signin">Sign in</a>')
})

app.get('/private', requireAuth(config), (_req, res) => {
  res.send(`Only you see this, ${res.locals.session.user?.name}.`)
})

const server = app.listen(process.env.PORT ?? 3000, () => {
  const address = server.address()
  console.log(`http://localhost:${typeof address === 'object' ? address?.port : address}`)
})
