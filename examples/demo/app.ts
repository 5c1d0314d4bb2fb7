import express, { type Express, type Request as ExpressRequest, type Response as ExpressResponse } from 'express'
// In an application of your own: from 'latchkey', 'latchkey/providers' and 'latchkey/providers/credentials'.
import { Auth, type AuthConfig, authSession, expressAuth, requireAuth, type Session } from '../../lib/index.js'
import Credentials from '../../lib/providers/credentials.js'
import { oidcProvider } from '../../lib/providers/index.js'
import { type Html, html } from './html.js'
import type { IdentityProvider } from './identity-provider.js'
import { assets, sendPage } from './layout.js'

/** What the application needs from around it. */
export interface DemoSettings {
  readonly secret: string
  readonly provider: IdentityProvider
  readonly logger?: AuthConfig['logger']
}

/** One user with a password, kept here in the open because it is a demo. */
const ADA = {
  id: '1815',
  name: 'Ada Lovelace',
  email: 'ada@example.com',
  username: 'ada',
  password: 'analytical engine',
}

function configure({ secret, provider, logger }: DemoSettings): AuthConfig {
  const { issuer, clientId, clientSecret } = provider
  const HarbourId = oidcProvider({ id: 'harbour', name: 'Harbour ID', checks: ['pkce', 'state', 'nonce'] })
  return {
    secret,
    // The demo listens on this machine only, so the Host header can be believed.
    trustHost: true,
    providers: [
      HarbourId({ issuer, clientId, clientSecret }),
      Credentials({
        name: 'a password',
        credentials: {
          username: { label: `User name (${ADA.username})`, autocomplete: 'username', required: true },
          password: {
            label: `Password (${ADA.password})`,
            type: 'password',
            autocomplete: 'current-password',
            required: true,
          },
        },
        authorize: ({ username, password }) =>
          username === ADA.username && password === ADA.password
            ? { id: ADA.id, name: ADA.name, email: ADA.email }
            : null,
      }),
    ],
    callbacks: {
      // What a browser sends as an update is input like any other: take what you expect of it, and nothing else.
      jwt: ({ token, trigger, session }) =>
        trigger === 'update' && isName(session?.name) ? { ...token, name: session.name.trim() } : token,
    },
    ...(logger && { logger }),
    theme: { brandColor: '#0f6b5c' },
  }
}

const isName = (value: unknown): value is string =>
  typeof value === 'string' && value.trim() !== '' && value.length <= 60

/** The application. */
export function createApp(settings: DemoSettings): Express {
  const config = configure(settings)
  const app = express()
  app.disable('x-powered-by')

  app.use('/auth', expressAuth(config))

  app.use(assets('app'))

  app.get('/', authSession(config), (_req, res) => {
    const session = sessionOf(res)
    sendPage(res, { title: 'Welcome', site: 'app', corner: corner(session), body: home(session) })
  })

  app.use('/private', requireAuth(config))

  app.get('/private', async (req, res) => {
    const { csrfToken } = (await ask(req, res, config, 'csrf')) as { csrfToken: string }
    const session = sessionOf(res)
    const saved = req.query.saved === 'yes'
    sendPage(res, {
      title: 'Private page',
      site: 'app',
      corner: corner(session),
      body: privatePage(session, csrfToken, saved),
    })
  })

  // The session action answers with JSON, for code in the browser. A plain form goes through a route like this one.
  app.post('/private', express.urlencoded({ extended: false, limit: '4kb' }), async (req, res) => {
    const { csrfToken, name } = req.body as Record<string, unknown>
    const updated = await ask(req, res, config, 'session', { csrfToken, data: { name } })
    res.redirect(303, updated ? '/private?saved=yes' : '/private')
  })

  app.use((_req, res) => {
    const body = html`<h1>Nothing here</h1><p class="lead">This page does not exist.</p><p><a href="/">Back to the start</a></p>`
    sendPage(res, { status: 404, title: 'Nothing here', site: 'app', body })
  })

  return app
}

/** Asks Latchkey for what this browser could ask for itself, and passes its cookies on. */
async function ask(
  req: ExpressRequest,
  res: ExpressResponse,
  config: AuthConfig,
  action: 'csrf' | 'session',
  fields?: object,
) {
  const headers = new Headers()
  for (const name of ['cookie', 'origin', 'sec-fetch-site']) {
    const value = req.get(name)
    if (value !== undefined) headers.set(name, value)
  }
  if (fields) headers.set('content-type', 'application/json')
  const url = `${req.protocol}://${req.get('host')}/auth/${action}`
  const init = fields ? { method: 'POST', headers, body: JSON.stringify(fields) } : { headers }
  const answer = await Auth(new Request(url, init), config)
  for (const cookie of answer.headers.getSetCookie()) res.append('set-cookie', cookie)
  return (await answer.json()) as unknown
}

const sessionOf = (res: ExpressResponse) => res.locals['session'] as Session | null

const corner = (session: Session | null): Html =>
  session
    ? html`<nav aria-label="Account"><a href="/private">Private page</a><a href="/auth/signout?callbackUrl=/">Sign out</a></nav>`
    : html`<nav aria-label="Account"><a href="/auth/signin?callbackUrl=/">Sign in</a></nav>`

const home = (session: Session | null): Html => html`
  <h1>${session ? `Good to see you, ${firstName(session)}` : 'A small app with real sign-in'}</h1>
  <p class="lead">Every page here is plain HTML from Express. Sign-in, sign-out and the session come from Latchkey; no script
    runs in your browser.</p>
  <div class="grid">
    <section class="card">
      <h2>Who is here</h2>
      ${session ? person(session) : html`<p>You are not signed in.</p>`}
      <div class="actions">
        ${
          session
            ? html`<a class="button" href="/private">Open the private page</a><a class="button plain" href="/auth/signout?callbackUrl=/">Sign out</a>`
            : html`<a class="button" href="/auth/signin?callbackUrl=/">Sign in</a><a class="button plain" href="/private">Try the private page</a>`
        }
      </div>
    </section>
    <section class="card">
      <h2>Things to try</h2>
      <ol>
        <li>Open the private page while signed out: you are asked to sign in, and come back to it.</li>
        <li>Sign in with Harbour ID, an OpenID provider that runs beside this app. Any name will do.</li>
        <li>Or sign in as <code>${ADA.username}</code> with the password <code>${ADA.password}</code>.</li>
        <li>Start a sign-in in two tabs at once, and finish both.</li>
        <li>Change your name on the private page, then sign out.</li>
      </ol>
    </section>
  </div>`

const privatePage = (session: Session | null, csrfToken: string, saved: boolean): Html => html`
  <h1>Your private page</h1>
  <p class="lead">Only people who are signed in get here: the route is behind <code>requireAuth</code>.</p>
  ${saved ? html`<p class="note" role="status">Your name is saved in the session.</p>` : ''}
  <div class="grid">
    <section class="card">
      <h2>You</h2>
      ${session && person(session)}
      <form method="post" action="/private">
        <input type="hidden" name="csrfToken" value="${csrfToken}">
        <label for="name">Name</label>
        <input id="name" name="name" type="text" value="${session?.user?.name}" maxlength="60" autocomplete="name" required>
        <button>Change the name</button>
      </form>
    </section>
    <section class="card">
      <h2>Your session</h2>
      <p class="muted">What a route finds in <code>res.locals.session</code>:</p>
      <pre>${JSON.stringify(session, null, 2)}</pre>
    </section>
  </div>`

const person = ({ user }: Session): Html => html`
  <div class="person">
    <div class="avatar" aria-hidden="true">${(user?.name ?? '?').slice(0, 1)}</div>
    <div><p class="name">${user?.name}</p><p class="muted">${user?.email}</p></div>
  </div>`

const firstName = ({ user }: Session) => user?.name?.split(' ', 1)[0]
