import express from 'express'
import { type ExpressAuthConfig, expressAuth, requireAuth } from 'latchkey'
import { getToken } from 'latchkey/jwt'
import Credentials from 'latchkey/providers/credentials'
import GitHub from 'latchkey/providers/github'

declare module 'latchkey' {
  interface User {
    role?: string | undefined
  }
  interface JWT {
    role?: string | undefined
  }
}

const config: ExpressAuthConfig = {
  trustHost: true,
  providers: [
    GitHub,
    Credentials({
      credentials: { username: { label: 'User name' }, password: { label: 'Password', type: 'password' } },
      authorize: ({ username, password }) =>
        username === 'ada' && password === 'analytical engine'
          ? { id: '1815', name: 'Ada Lovelace', email: 'ada@example.com', role: 'writer' }
          : null,
    }),
  ],
  callbacks: {
    jwt: ({ token, user }) => (user ? { ...token, role: user.role } : token),
    session: ({ session, token }) => ({ ...session, user: { ...session.user, role: token.role } }),
  },
}

const app = express()
// One proxy in front. `true` trusted a header of everybody.
app.set('trust proxy', 1)
app.use('/auth', expressAuth(config))

app.get('/private', requireAuth(config), (_req, res) => res.json(res.locals.session.user))

// A route for programs, which looks at the claims of the token.
app.get('/claims', async (req, res) => {
  const token = await getToken(req, config)
  res.json({ sub: token?.sub, role: token?.role })
})

const server = app.listen(process.env['PORT'] ?? 3000, () => {
  const address = server.address()
  console.log(`http://localhost:${typeof address === 'object' ? address?.port : address}`)
})
