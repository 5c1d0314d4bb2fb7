import express, { type Express, type Request as ExpressRequest, type Response as ExpressResponse } from 'express'
// In an application of your own: from 'latchkey', 'latchkey/providers', 'latchkey/providers/credentials' and so on.
import {
  type AuthConfig,
  authSession,
  csrfToken,
  expressAuth,
  listPasskeys,
  type Passkey,
  RequestRefused,
  removePasskey,
  renamePasskey,
  requireAuth,
  type Session,
  updateSession,
  verifyCsrfToken,
} from '../../lib/index.js'
import Credentials from '../../lib/providers/credentials.js'
import Email from '../../lib/providers/email.js'
import { oidcProvider } from '../../lib/providers/index.js'
import PasskeyProvider from '../../lib/providers/passkey.js'
import { ADA, type DemoDatabase, type Stored } from './database.js'
import { type Html, html } from './html.js'
import type { IdentityProvider } from './identity-provider.js'
import { assets, sendPage } from './layout.js'
import { createMailbox, type Mailbox } from './mailbox.js'
import { PASSKEY_SCRIPT, passkeyCard, removedPasskey } from './passkeys.js'
import { loadPasskeyScript } from './script.js'

declare module '../../lib/index.js' {
  interface Session {
    /** Id of the stored user, as the `session` callback below adds it. */
    userId?: string
  }
}

/** What the application needs from around it. */
export interface DemoSettings {
  readonly secret: string
  readonly provider: IdentityProvider
  readonly database: DemoDatabase
  readonly logger?: AuthConfig['logger']
}

function configure({ secret, provider, database, logger }: DemoSettings, mailbox: Mailbox): AuthConfig {
  const { issuer, clientId, clientSecret } = provider
  const HarbourId = oidcProvider({ id: 'harbour', name: 'Harbour ID', checks: ['pkce', 'state', 'nonce'] })
  return {
    secret,
    // The demo listens on this machine only, so the Host header can be believed.
    trustHost: true,
    // Users, accounts, sessions and the tokens of mailed links are rows of the application's database.
    adapter: database.adapter,
    providers: [
      HarbourId({ issuer, clientId, clientSecret }),
      // Browsers make passkeys for names of hosts, and for no address such as 127.0.0.1.
      PasskeyProvider({ relayingParty: { id: 'localhost', name: 'Paper Boats' } }),
      Email({ name: 'a mailed link', maxAge: 60 * 60, sendVerificationRequest: mailbox.send }),
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
        authorize: ({ username, password }) => database.checkPassword(username, password),
      }),
    ],
    callbacks: {
      // Whoever signed up with an address that is not theirs must not keep a password to it, and passwords are the application's.
      async confirmEmail({ user, remaining }) {
        if (remaining.some((way) => way !== 'password')) return false
        await database.removePassword(user.id)
        return true
      },
      // What a browser sends as an update is input like any other: take what you expect of it, and nothing else.
      async session({ session, user, trigger, newSession }) {
        const renames = trigger === 'update' && isName(newSession?.name)
        const { id, name, email, image } = renames
          ? await database.adapter.updateUser({ id: user.id, name: newSession.name.trim() })
          : user
        return { user: { name, email, image }, userId: id, expires: new Date(session.expires).toISOString() }
      },
    },
    // In place of the built-in page, since here the mail can be read right away.
    pages: { verifyRequest: '/mailbox' },
    ...(logger && { logger }),
    theme: { brandColor: '#0f6b5c' },
  }
}

const isName = (value: unknown): value is string =>
  typeof value === 'string' && value.trim() !== '' && value.length <= 60

/** The application. */
export function createApp(settings: DemoSettings): Express {
  const { database } = settings
  const mailbox = createMailbox()
  const config = configure(settings, mailbox)
  const app = express()
  app.disable('x-powered-by')

  app.use('/auth', expressAuth(config))

  app.use(assets('app'))

  app.get('/', authSession(config), (_req, res) => {
    const session = sessionOf(res)
    sendPage(res, { title: 'Welcome', site: 'app', corner: corner(session), body: home(session) })
  })

  app.use(
    '/mailbox',
    authSession(config),
    mailbox.pages((res) => corner(sessionOf(res))),
  )

  app.get(PASSKEY_SCRIPT, async (_req, res) => {
    res
      .type('js')
      .set('cache-control', 'no-cache')
      .send(await loadPasskeyScript())
  })

  app.use('/private', requireAuth(config))

  const showPrivate = async (req: ExpressRequest, res: ExpressResponse, { status = 200, note = '' }: Note = {}) => {
    const session = sessionOf(res)
    const [token, passkeys, stored] = await Promise.all([
      csrfToken(req, res, config),
      listPasskeys(req, config),
      database.storedFor(session?.userId ?? ''),
    ])
    sendPage(res, {
      status,
      title: 'Private page',
      site: 'app',
      corner: corner(session),
      body: privatePage({ session, stored, passkeys, csrfToken: token, status, note }),
      script: PASSKEY_SCRIPT,
    })
  }

  app.get('/private', (req, res) => showPrivate(req, res, { note: DONE.get(String(req.query.done)) ?? '' }))

  // Every form of the private page, and nothing but a form of this page.
  app.post('/private{/*form}', express.urlencoded({ extended: false, limit: '4kb' }), async (req, res, next) => {
    if (await verifyCsrfToken(req, config, req.body?.csrfToken)) return next()
    await showPrivate(req, res, { status: 403, note: 'That form was too old. Please try once more.' })
  })

  // The session action answers with JSON, for code in the browser. A plain form goes through a route like this one.
  app.post('/private', async (req, res) => {
    const { name } = req.body as Record<string, unknown>
    await updateSession(req, res, config, { name })
    res.redirect(303, isName(name) ? '/private?done=saved' : '/private')
  })

  app.post('/private/passkeys/rename', async (req, res) => {
    const { credentialID, name, csrfToken } = req.body as Record<string, string>
    try {
      await renamePasskey(req, config, { credentialID: credentialID ?? '', name: name ?? '', csrfToken })
      res.redirect(303, '/private?done=renamed')
    } catch (error) {
      if (!(error instanceof RequestRefused)) throw error
      await showPrivate(req, res, { status: error.status, note: error.message })
    }
  })

  app.post('/private/passkeys/remove', async (req, res) => {
    const { credentialID, csrfToken } = req.body as Record<string, string>
    const { hasPassword } = await database.storedFor(sessionOf(res)?.userId ?? '')
    try {
      const { passkey, signal } = await removePasskey(req, config, {
        credentialID: credentialID ?? '',
        csrfToken,
        // Latchkey does not know of passwords.
        signsInOtherwise: hasPassword,
      })
      // No redirect: what the browser is told must come from here, and never from a link that anybody can make.
      await showPrivate(req, res, { note: html`“${passkey.name}” is removed.${removedPasskey(signal)}` })
    } catch (error) {
      if (!(error instanceof RequestRefused)) throw error
      const signIn = html`<a href="/auth/signin?callbackUrl=/private">Sign in again</a> first: you did so a while ago.`
      await showPrivate(req, res, { status: error.status, note: error.status === 403 ? signIn : error.message })
    }
  })

  app.use((_req, res) => {
    const body = html`<h1>Nothing here</h1><p class="lead">This page does not exist.</p><p><a href="/">Back to the start</a></p>`
    sendPage(res, { status: 404, title: 'Nothing here', site: 'app', body })
  })

  return app
}

/** What the private page tells of what was just done. */
interface Note {
  readonly status?: number
  readonly note?: Html | string
}

const DONE = new Map([
  ['saved', 'Your name is saved.'],
  ['renamed', 'The passkey has its new name.'],
  ['added', 'The passkey is yours. You can sign in with it from now on.'],
])

const sessionOf = (res: ExpressResponse) => res.locals['session'] as Session | null

const corner = (session: Session | null): Html =>
  session
    ? html`<nav aria-label="Account"><a href="/mailbox">Mailbox</a><a href="/private">Private page</a><a href="/auth/signout?callbackUrl=/">Sign out</a></nav>`
    : html`<nav aria-label="Account"><a href="/mailbox">Mailbox</a><a href="/auth/signin?callbackUrl=/">Sign in</a></nav>`

const home = (session: Session | null): Html => html`
  <h1>${session ? `Good to see you, ${firstName(session)}` : 'A small app with real sign-in'}</h1>
  <p class="lead">Every page here is plain HTML from Express. Sign-in, sign-out and the session come from Latchkey; a script
    runs for passkeys only, and all else works without. Users, sessions and passkeys are rows of a SQLite file.</p>
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
        <li>Have a link mailed to any address, and follow it from the <a href="/mailbox">mailbox</a>, here or in another browser.</li>
        <li>Sign up with a passkey and any address. The private page lists your passkeys, and adds, renames and removes them.</li>
        <li>Or sign in as <code>${ADA.username}</code> with the password <code>${ADA.password}</code>.</li>
        <li>Sign in once more while you are signed in, as somebody else at Harbour ID: the second account becomes yours, too.</li>
        <li>Stop the app and start it again: you are still signed in.</li>
      </ol>
    </section>
  </div>`

interface PrivatePage {
  readonly session: Session | null
  readonly stored: Stored
  readonly passkeys: readonly Passkey[]
  readonly csrfToken: string
  readonly status: number
  readonly note: Html | string
}

const privatePage = ({ session, stored, passkeys, csrfToken, status, note }: PrivatePage): Html => html`
  <h1>Your private page</h1>
  <p class="lead">Only people who are signed in get here: the route is behind <code>requireAuth</code>.</p>
  ${note === '' ? '' : html`<p class="note" role="${status < 400 ? 'status' : 'alert'}">${note}</p>`}
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
      <h2>What is stored</h2>
      <dl>
        <dt>Sessions</dt><dd>${stored.sessions}</dd>
        <dt>Address</dt><dd>${stored.emailIsConfirmed ? 'confirmed' : 'not confirmed'}</dd>
        <dt>Password</dt><dd>${stored.hasPassword ? 'one, as a hash' : 'none'}</dd>
        <dt>Accounts</dt><dd>${
          stored.accounts.length === 0
            ? 'none'
            : html`<ul>${stored.accounts.map(({ provider, providerAccountId }) => html`<li>${provider} <code>${providerAccountId}</code></li>`)}</ul>`
        }</dd>
      </dl>
      <a class="button plain" href="/auth/signin?callbackUrl=/private">Link another account</a>
    </section>
    ${passkeyCard(passkeys, csrfToken)}
    <section class="card wide">
      <h2>Your session</h2>
      <p class="muted">What a route finds in <code>res.locals.session</code>:</p>
      <pre>${JSON.stringify(session, null, 2)}</pre>
    </section>
  </div>`

const person = ({ user }: Session): Html => html`
  <div class="person">
    <div class="avatar" aria-hidden="true">${[...(user?.name ?? user?.email ?? '?')][0]?.toUpperCase()}</div>
    <div><p class="name">${user?.name ?? 'No name yet'}</p><p class="muted">${user?.email}</p></div>
  </div>`

const firstName = ({ user }: Session) => (user?.name ?? user?.email)?.split(/[ @]/, 1)[0]
