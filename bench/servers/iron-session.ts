import express from 'express'
import { getIronSession } from 'iron-session'
import { emailOf, nameOf, personIn } from '../harness/people.js'

const settings = {
  cookieName: 'iron-session',
  password: 'a secret of the benchmark, thirty-two characters or more',
  cookieOptions: { secure: false },
}

interface SessionData {
  user?: { id: string; name: string; email: string }
}

/** A route behind a guard of the application's own, and one that begins a session. */
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
    session.user = { id: String(person), name: nameOf(person), email: emailOf(person) }
    await session.save()
    res.status(204).end()
  })
  return app
}
