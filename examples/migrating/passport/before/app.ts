import express, { type NextFunction, type Request, type Response } from 'express'
import session from 'express-session'
import passport from 'passport'
import { Strategy as LocalStrategy } from 'passport-local'
import { FileStore } from '../session-store.js'
import { findById, findByPassword, type Person } from '../users.js'

passport.use(
  new LocalStrategy((username, password, done) => {
    findByPassword(username, password).then((person) => done(null, person ?? false), done)
  }),
)
passport.serializeUser((user, done) => done(null, (user as Person).id))
passport.deserializeUser((id: string, done) => {
  findById(id).then((person) => done(null, person ?? false), done)
})

const app = express()
app.use(express.urlencoded())
const store = new FileStore(process.env['SESSION_FOLDER'] ?? '.sessions')
app.use(session({ secret: process.env['SESSION_SECRET'] ?? '', store, resave: false, saveUninitialized: false }))
app.use(passport.session())

app.get('/login', (req, res) => {
  const failed = req.query['failed'] === undefined ? '' : '<p role="alert">The name or the password is wrong.</p>'
  res.send(`${failed}<form method="post" action="/login"><input name="username"><input name="password" type="password">
    <button>Sign in</button></form>`)
})
app.post('/login', passport.authenticate('local', { successRedirect: '/account', failureRedirect: '/login?failed' }))
app.post('/logout', (req, res, next) => {
  req.logout((error) => (error ? next(error) : res.redirect('/login')))
})

function signedIn(req: Request, res: Response, next: NextFunction) {
  if (req.isAuthenticated()) return next()
  return res.redirect('/login')
}

app.get('/account', signedIn, (req, res) => {
  const { id, name } = req.user as Person
  res.json({ id, name })
})

const server = app.listen(process.env['PORT'] ?? 3000, () => {
  const address = server.address()
  console.log(`http://localhost:${typeof address === 'object' ? address?.port : address}`)
})
