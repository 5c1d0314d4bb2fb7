import express from 'express'
import { getIronSession } from 'iron-session'
import { personIn, SECRET, userOf } from '../people.js'

const settings = {
  cookieName: 'iron-session',
  password: SECRET,
  cookieOptions: { secure: false },
}

interface SessionData {
  user?: { id: string; name: string; email: string }
}

/** A route behind a guard of the application, and a route that begins a session. */
export function serve() {
  const guard: express.RequestHandler = async (req, res, next) => {
    const session = await getIronSession<SessionData>(req, res, settings)
    if (!session.user) return void res.status(401).json({ message: 'Sign in first.' })
    res.locals['session'] = session
    next()
  }
  const app = express()
  app.get('/hello', guard, (_req, res) => void res.json({ hello: res.locals['session'].user.name }))
  app.post('/sign-in', async (req, res) => {
    const person = personIn(req.query['person'])
    const session = await getIronSession<SessionData>(req, res, settings)
    session.user = userOf(person)
    await session.save()
    res.status(204).end()
  })
  return app
}
