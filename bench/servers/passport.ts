import express from 'express'
import session from 'express-session'
import passport from 'passport'
import { nameOf, personIn, SECRET } from '../people.js'

/** A route behind a guard of the application, and a route that begins a session. */
export function serve(): express.Express {
  const people = new Map<string, { readonly id: string; readonly name: string }>()
  passport.serializeUser((user, done) => done(null, (user as { id: string }).id))
  passport.deserializeUser((id: string, done) => done(null, people.get(id) ?? false))
  const guard: express.RequestHandler = (req, res, next) => {
    if (req.isAuthenticated()) return next()
    res.status(401).json({ message: 'Sign in first.' })
  }
  const app = express()
  const cookie = { maxAge: 30 * 24 * 3600 * 1000 }
  app.use(session({ secret: SECRET, resave: false, saveUninitialized: false, cookie }))
  app.use(passport.session())
  app.get('/hello', guard, (req, res) => void res.json({ hello: (req.user as { name: string }).name }))
  app.post('/sign-in', (req, res, next) => {
    const person = { id: String(personIn(req.query['person'])), name: nameOf(personIn(req.query['person'])) }
    people.set(person.id, person)
    req.login(person, (error) => (error ? next(error) : res.status(204).end()))
  })
  return app
}
