import express from 'express'
import { type AuthConfig, CredentialsSignin, expressAuth, requireAuth, signOut, startSignIn } from 'latchkey'
import Credentials from 'latchkey/providers/credentials'
import { findByPassword } from '../users.js'

const config: AuthConfig = {
  providers: [
    Credentials({
      credentials: { username: {}, password: { type: 'password' } },
      async authorize({ username, password }) {
        const person = await findByPassword(username, password)
        // Only what the session needs: `id` and `name` go into the token.
        return person ? { id: person.id, name: person.name } : null
      },
    }),
  ],
  pages: { signIn: '/login' },
}

const app = express()
app.use('/auth', expressAuth(config))

app.get('/login', (req, res) => {
  const failed = req.query['failed'] === undefined ? '' : '<p role="alert">The name or the password is wrong.</p>'
  res.send(`${failed}<form method="post" action="/login"><input name="username"><input name="password" type="password">
    <button>Sign in</button></form>`)
})
app.post('/login', express.urlencoded(), async (req, res) => {
  try {
    await startSignIn(req, res, config, 'credentials', { fields: req.body, redirectTo: '/account' })
  } catch (error) {
    if (!(error instanceof CredentialsSignin)) throw error
    res.redirect('/login?failed')
  }
})
app.post('/logout', (req, res) => signOut(req, res, config, { redirectTo: '/login' }))

app.get('/account', requireAuth(config), (_req, res) => {
  const { id, name } = res.locals.session.user ?? {}
  res.json({ id, name })
})

const server = app.listen(process.env['PORT'] ?? 3000, () => {
  const address = server.address()
  console.log(`http://localhost:${typeof address === 'object' ? address?.port : address}`)
})
