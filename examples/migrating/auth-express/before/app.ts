import { getToken } from '@auth/core/jwt'
import { ExpressAuth, type ExpressAuthConfig, getSession } from '@auth/express'
import Credentials from '@auth/express/providers/credentials'
import GitHub from '@auth/express/providers/github'
import express, { type NextFunction, type Request, type Response } from 'express'

declare module '@auth/core/types' {
  interface User {
    role?: string | undefined
  }
}
declare module '@auth/core/jwt' {
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
app.set('trust proxy', true)
app.use('/auth', ExpressAuth(config))

async function signedIn(req: Request, res: Response, next: NextFunction) {
  const session = await getSession(req, config)
  if (!session) return res.redirect('/auth/signin')
  res.locals['session'] = session
  return next()
}

app.get('/private', signedIn, (_req, res) => res.json(res.locals['session'].user))

// A route for programs, which looks at the claims of the token.
app.get('/claims', async (req, res) => {
  const secret = process.env['AUTH_SECRET'] ?? ''
  const token = await getToken({ req: { headers: new Headers({ cookie: req.headers.cookie ?? '' }) }, secret })
  res.json({ sub: token?.sub, role: token?.role })
})

const server = app.listen(process.env['PORT'] ?? 3000, () => {
  const address = server.address()
  console.log(`http://localhost:${typeof address === 'object' ? address?.port : address}`)
})
