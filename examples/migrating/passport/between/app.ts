import express, { type NextFunction, type Request, type Response } from 'express'
import session from 'express-session'
import {
  type AuthConfig,
  authSession,
  CredentialsSignin,
  expressAuth,
  requireAuth,
  signOut,
  startSignIn,
} from 'latchkey'
import Credentials from 'latchkey/providers/credentials'
import passport from 'passport'
import { FileStore } from '../session-store.js'
import { findById, findByPassword, type Person } from '../users.js'

const config: AuthConfig = {
  providers: [
    Credentials({
      credentials: { username: {}, password: { type: 'password' } },
      async authorize({ username, password }) {
        const person = await findByPassword(username, password)
        return person ? { id: person.id, name: person.name } : null
      },
    }),
  ],
  pages: { signIn: '/login' },
}

// Old sessions go on until they end. There is no strategy any more, so no new one begins.
passport.serializeUser((user, done) => done(null, (user as Person).id))
passport.deserializeUser((id: string, done) => {
  findById(id).then((person) => done(null, person ?? false), done)
})

const app = express()
const store = new FileStore(process.env['SESSION_FOLDER'] ?? '.sessions')
app.use(session({ secret: process.env['SESSION_SECRET'] ?? '', store, resave: false, saveUninitialized: false }))
app.use(passport.session())
app.use('/auth', expressAuth(config))
app.use(authSession(config))

app.get('/login', (req, res) => {
  const failed = req.query['failed'] === undefined ? '' : '<p role="alert">The name or the password is wrong.</p>'
  res.send(`${failed}<form method="post" action="/login"><input name="username"><input name="password" type="password">
    <button>Sign in</button></form>`)
})
app.post('/login', express.urlencoded(), async (req, res) => {
  try {
    await startSignIn(req, res, config, 'credentials', { fields: req.body, redirectTo: '/account' })
    // Somebody else may have been signed in before.
    req.session.destroy(() => {})
  } catch (error) {
    if (!(error instanceof CredentialsSignin)) throw error
    res.redirect('/login?failed')
  }
})

// A sign-out ends both sessions.
app.post('/logout', (req, res, next) => {
  req.session.destroy((error) => {
    if (error) return next(error)
    signOut(req, res, config, { redirectTo: '/login' }).catch(next)
  })
})

const guard = requireAuth(config)
/** A session of Latchkey counts first, then an old one. Everybody else gets the sign-in page. */
function signedIn(req: Request, res: Response, next: NextFunction) {
  const user = res.locals['session']?.user ?? req.user
  if (!user) return guard(req, res, next)
  res.locals['user'] = user
  return next()
}

app.get('/account', signedIn, (_req, res) => {
  const { id, name } = res.locals['user']
  res.json({ id, name })
})

const server = app.listen(process.env['PORT'] ?? 3000, () => {
  const address = server.address()
  console.log(`http://localhost:${typeof address === 'object' ? address?.port : address}`)
})
