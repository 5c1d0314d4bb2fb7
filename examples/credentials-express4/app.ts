// Your own application with Express 4 imports from 'express'.
import express from 'express4'
// Your own application imports from 'latchkey' and 'latchkey/providers/credentials'.
import { type AuthConfig, CredentialsSignin, expressAuth, requireAuth } from '../../lib/index.js'
import Credentials from '../../lib/providers/credentials.js'

/** The URL of the sign-in page gets this `code`. Your own sign-in page can explain it. */
class AccountLocked extends CredentialsSignin {
  override code = 'locked'
}

const config: AuthConfig = {
  // This default is only for this example. Your own application must get a secret from the environment, as AUTH_SECRET.
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
// Body parsers may run before Latchkey.
app.use(express.urlencoded({ extended: false }), express.json())
app.use('/auth', expressAuth(config))
app.use('/private', requireAuth(config))
app.get('/private', (_req, res) => res.json(res.locals.session))
app.get('/', (_req, res) => res.redirect('/private'))

const server = app.listen(process.env.PORT ?? 3000, () => {
  const address = server.address()
  console.log(`http://localhost:${typeof address === 'object' ? address?.port : address}`)
})
