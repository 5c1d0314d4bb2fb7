// In an application of your own: from 'express', whose version is 4 there.
import express from 'express4'
// In an application of your own: from 'latchkey' and 'latchkey/providers/credentials'.
import { type AuthConfig, CredentialsSignin, expressAuth, requireAuth } from '../../lib/index.js'
import Credentials from '../../lib/providers/credentials.js'

/** Appears as `code` in the URL of the sign-in page, for a page of your own to explain. */
class AccountLocked extends CredentialsSignin {
  override code = 'locked'
}

const config: AuthConfig = {
  // For trying out only: take it from the environment, as AUTH_SECRET.
  secret: process.env.AUTH_SECRET ?? 'a secret for trying out, known to all',
  providers: [
    Credentials({
      credentials: { username: { label: 'User name' }, password: { label: 'Password', type: 'password' } },
      async authorize({ username, password }) {
        if (username === 'charles') throw new AccountLocked()
        return username === 'ada' && password === 'analytical engine' ? { id: '1815', name: 'Ada Lovelace' } : null
      },
    }),
  ],
}

const app = express()
// Body parsers may stand before Latchkey.
app.use(express.urlencoded({ extended: false }), express.json())
app.use('/auth', expressAuth(config))
app.use('/private', requireAuth(config))
app.get('/private', (_req, res) => res.json(res.locals.session))
app.get('/', (_req, res) => res.redirect('/private'))

const server = app.listen(process.env.PORT ?? 3000, () => {
  const address = server.address()
  console.log(`http://localhost:${typeof address === 'object' ? address?.port : address}`)
})
