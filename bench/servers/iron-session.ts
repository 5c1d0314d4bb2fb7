import express from 'express'
import { getIronSession } from 'iron-session'
import { personIn, SECRET, userOf } from '../people.js'

/** A route behind a guard of the application, and a route that begins a session. */
export function serve(): express.Express {
  const settings = { cookieName: 'iron-session', password: SECRET, cookieOptions: { secure: false } }
  const sessionOf = (req: express.Request, res: express.Response) =>
    getIronSession<{ user?: ReturnType<typeof userOf> }>(req, res, settings)
  const guard: express.RequestHandler = async (req, res, next) => {
    const session = await sessionOf(req, res)
    if (!session.user) return void res.status(401).json({ message: 'Sign in first.' })
    res.locals['session'] = session
    next()
  }
  const app = express()
  app.get('/hello', guard, (_req, res) => void res.json({ hello: res.locals['session'].user.name }))
  app.post('/sign-in', async (req, res) => {
    const session = await sessionOf(req, res)
    session.user = userOf(personIn(req.query['person']))
    await session.save()
    res.status(204).end()
  })
  return app
}
