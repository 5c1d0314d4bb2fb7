import express from 'express'
// Your own application imports from 'latchkey' and 'latchkey/providers/github'.
import { expressAuth, getSession, requireAuth } from '../../lib/index.js'
import GitHub from '../../lib/providers/catalogue/github.js'

const config = { providers: [GitHub] }
const app = express()

app.use('/auth', expressAuth(config))

app.get('/', async (req, res) => {
  const session = await getSession(req, config)
  if (!session) return void res.send('<a href="/auth/signin">Sign in</a>')
  // Plain text: a name comes from the visitor, and must not be read as HTML.
  res.type('text').send(`Signed in as ${session.user?.name ?? session.user?.email}`)
})

app.get('/private', requireAuth(config), (_req, res) => {
  res.type('text').send(`Only you see this, ${res.locals.session.user?.name ?? res.locals.session.user?.email}.`)
})

const server = app.listen(process.env.PORT ?? 3000, () => {
  const address = server.address()
  console.log(`http://localhost:${typeof address === 'object' ? address?.port : address}`)
})
