import express from 'express'
import session from 'express-session'
import passport from 'passport'
import { personIn, SECRET, userOf } from '../people.js'

interface Person extends Express.User {
  readonly id: string
  readonly name: string
  readonly email: string
}

/** A route behind a guard of the application, and a route that begins a session. */
export function serve() {
  const people = new Map<string, Person>()
  passport.serializeUser((user, done) => done(null, (user as Person).id))
  passport.deserializeUser((id: string, done) => done(null, people.get(id) ?? false))

  const guard: express.RequestHandler = (req, res, next) => {
    if (req.isAuthenticated()) return next()
    res.status(401).json({ message: 'Sign in first.' })
  }
  const app = express()
  app.use(
    session({ secret: SECRET, resave: false, saveUninitialized: false, cookie: { maxAge: 30 * 24 * 3600 * 1000 } }),
  )
  app.use(passport.session())
  app.get('/hello', guard, (req, res) => void res.json({ hello: (req.user as Person).name }))
  app.post('/sign-in', (req, res, next) => {
    const id = personIn(req.query['person'])
    const person = userOf(id)
    people.set(person.id, person)
    req.login(person, (error) => (error ? next(error) : res.status(204).end()))
  })
  return app
}
