// Compiled by `npm run lint`, never run: what the routes behind a guard know of the session, without augmentation.
import express, { type Request, type RequestHandler, Router } from 'express'
import {
  type AuthConfig,
  authSession,
  type CurrentSession,
  defineAuth,
  requireAuth,
  type Session,
} from '../../lib/index.js'

const config: AuthConfig = {
  providers: [],
  session: { exposeIds: true },
  callbacks: { authorized: ({ auth }) => auth?.id !== undefined },
}

/** An application makes sessions of its own, without ids, as in its tests. */
export const made: Session = { expires: '2040-01-01T00:00:00.000Z', user: { name: 'Ada' } }
export const asked = (found: CurrentSession | null): Session | null => found
const app = express()

app.get('/papers/:id', requireAuth(config), (req, res) => {
  const session: Session = res.locals.session
  const sessionId: string = res.locals.session.id
  const userId: string | undefined = res.locals.session.user?.id
  const id: string = req.params.id
  // @ts-expect-error a session is no text
  const text: string = res.locals.session
  // @ts-expect-error the route has no such parameter
  const other: string = req.params.other
  res.json([session, sessionId, userId, id, text, other])
})
app.get('/visitors', authSession(config), (_req, res) => {
  // @ts-expect-error somebody who is not signed in may come here
  const session: Session = res.locals.session
  res.json([session, res.locals.session?.user?.name])
})
app.post('/papers', requireAuth(config, { roles: 'writer' }), express.json(), (req, res) => {
  res.json([res.locals.session.expires, req.body])
})

// A guard stands wherever Express takes a handler, also beside handlers whose types say nothing of the session.
const plain: RequestHandler = (_req, res) => void res.json(res.locals['session'])
export const handlers: RequestHandler[] = [requireAuth(config), authSession(config)]
app.use(requireAuth(config))
app.use('/many', [authSession(config), requireAuth(config)], plain)
Router().use(requireAuth(config)).get('/', plain)

requireAuth(config, { roles: ['writer', 'reader'], maxAuthAge: 300 })
requireAuth(config, { allow: (session) => session.user?.email === 'ada@example.com' })
requireAuth(config, { allow: ({ id }) => id.length > 0 })
// A rule of an application that knows sessions without ids stands as before.
requireAuth(config, { allow: (session: Session) => session.user?.email === 'ada@example.com' })
requireAuth(config, { allow: async (session, req: Request) => req.params['id'] === session.user?.id })
// @ts-expect-error a rule says yes or no
requireAuth(config, { allow: () => 'yes' })
// @ts-expect-error a role is a text
requireAuth(config, { roles: 7 })

const { handler, ...auth } = defineAuth({
  providers: [],
  callbacks: {
    jwt: ({ token, user }) => (user ? { ...token, plan: 'free' } : token),
    session: ({ session, token }) => ({ ...session, plan: String(token['plan']), user: { id: token.sub ?? '' } }),
  },
})
app.use('/auth', handler)
app.get('/plan/:id', auth.requireAuth({ allow: ({ plan }) => plan !== 'free' }), async (req, res) => {
  const plan: string = res.locals.session.plan
  const sessionId: string = res.locals.session.id
  const id: string = res.locals.session.user.id
  // @ts-expect-error no member of this session
  res.locals.session.role
  const again: string | undefined = (await auth.getSession(req))?.plan
  const updated: string | undefined = (await auth.updateSession(req, res, {}))?.user.id
  res.json([plan, sessionId, id, again, updated, req.params.id])
})

app.post('/login/:provider', async (req, res) => auth.startSignIn(req, res, req.params.provider, { fields: req.body }))
app.post('/logout', async (req, res) => auth.signOut(req, res, { redirectTo: '/' }))
app.get('/welcome', async (req, res) => void res.send((await auth.signInUrl(req)).toUpperCase()))
// @ts-expect-error the id of a provider comes first
app.get('/wrong', async (req, res) => auth.startSignIn(req, res, { redirectTo: '/' }))

// What the callback gives under these names keeps its type.
const numbered = defineAuth({
  providers: [],
  callbacks: { session: ({ session }) => ({ expires: session.expires, id: 7, user: { name: 'Ada' } }) },
})
app.get('/numbered', numbered.requireAuth({ allow: ({ id }) => id > 6 }), (_req, res) => {
  const id: number = res.locals.session.id
  const name: string = res.locals.session.user.name
  const userId: string | undefined = res.locals.session.user.id
  res.json([id, name, userId])
})

const usual = defineAuth({ providers: [] })
app.get('/usual/id', usual.requireAuth(), (_req, res) => void res.send(res.locals.session.id.toUpperCase()))
app.get('/usual', usual.requireAuth(), (_req, res) => void res.send(res.locals.session.user?.name))
const perRequest = defineAuth((req) => ({ providers: [], basePath: `/${req.headers.host}` }))
app.get('/other', perRequest.authSession(), (_req, res) => void res.send(res.locals.session?.expires))
// @ts-expect-error a misspelt option
defineAuth({ provider: [] })
