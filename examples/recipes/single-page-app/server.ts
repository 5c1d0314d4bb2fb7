// The API and the mount. The page is on an origin of its own: main.tsx, served by Vite.
import cors from 'cors'
import express, { type Request, type Response } from 'express'
import { type AuthConfig, corsOptions, expressAuth, requireAuth, verifyCsrfToken } from 'latchkey'
import { memoryAdapter } from 'latchkey/adapters/memory'
import GitHub from 'latchkey/providers/github'

const config: AuthConfig = {
  // Where the page is. In production this is its public origin alone.
  origins: [process.env['PAGE_ORIGIN'] ?? 'http://localhost:5173'],
  providers: [GitHub],
  // Use a real store later. Without one, the id of a user would be another one after each sign-in.
  adapter: memoryAdapter(),
}
const notes: { owner: string; text: string }[] = []

const api = express.Router()
// Before the guard: the page shall be able to read that it was refused. A request without a session gets 401 with JSON.
api.use(cors(corsOptions(config)), requireAuth(config), express.json())
// A page of another site can send a request with the visitor's cookies. It does not know the token.
api.use(async (req, res, next) => {
  const changesNothing = req.method === 'GET' || req.method === 'HEAD'
  if (changesNothing || (await verifyCsrfToken(req, config, req.get('x-csrf-token')))) return next()
  res.status(403).json({ message: 'Reload the page.' })
})

/** The user who sent the request. */
const ownerOf = (res: Response): string => res.locals['session'].user.id

api.get('/notes', (_req: Request, res: Response) => res.json(notes.filter(({ owner }) => owner === ownerOf(res))))
api.post('/notes', (req: Request, res: Response) => {
  const note = { owner: ownerOf(res), text: String(req.body.text) }
  notes.push(note)
  res.status(201).json(note)
})

const app = express()
app.use('/auth', expressAuth(config))
app.use('/api', api)

app.listen(3000)
