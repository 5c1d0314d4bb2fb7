import express, { type Express, type Request as ExpressRequest, type Response as ExpressResponse } from 'express'
// Your own application imports from 'latchkey', 'latchkey/providers', 'latchkey/providers/credentials' and so on.
import {
  type AuthConfig,
  authSession,
  csrfToken,
  expressAuth,
  type LinkedAccount,
  type ListedSession,
  listAccounts,
  listPasskeys,
  listSessions,
  type Passkey,
  RecentSignInRequired,
  RequestRefused,
  removePasskey,
  renamePasskey,
  requireAuth,
  revokeOtherSessions,
  revokeSession,
  type Session,
  unlinkAccount,
  updateSession,
  verifyCsrfToken,
} from '../../lib/index.js'
import Credentials from '../../lib/providers/credentials.js'
import Email from '../../lib/providers/email.js'
import { oidcProvider } from '../../lib/providers/index.js'
import PasskeyProvider from '../../lib/providers/passkey.js'
import { accountCard } from './accounts.js'
import { ADA, type DemoDatabase, type Stored } from './database.js'
import { type Html, html } from './html.js'
import type { IdentityProvider } from './identity-provider.js'
import { assets, sendPage } from './layout.js'
import { createMailbox, type Mailbox } from './mailbox.js'
import { PASSKEY_SCRIPT, passkeyCard, removedPasskey } from './passkeys.js'
import { loadPasskeyScript } from './script.js'
import { sessionCard } from './sessions.js'

declare module '../../lib/index.js' {
  interface Session {
    /** Id of the stored user, as the `session` callback below adds it. */
    userId?: string
  }
}

/** What the application needs to start. */
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
    // The demo listens on this machine only, so nobody else can send a wrong Host header.
    trustHost: true,
    // Users, accounts, sessions and the tokens of mailed links are rows of the application's database.
    adapter: database.adapter,
    providers: [
      HarbourId({ issuer, clientId, clientSecret }),
      // Browsers make passkeys for host names only, and not for an address such as 127.0.0.1.
      PasskeyProvider({ relayingParty: { id: 'localhost', name: 'Paper Boats' } }),
      Email({
        name: 'a mailed link',
        maxAge: 60 * 60,
        sendVerificationRequest: mailbox.send,
        // With this function, people are told by mail of a way to sign in that was added or removed.
        sendNotification: mailbox.notify,
      }),
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
      // A person who signed up with another person's address must lose the password. Latchkey cannot remove it.
      async confirmEmail({ user, remaining }) {
        if (remaining.some((way) => way !== 'password')) return false
        await database.removePassword(user.id)
        return true
      },
      // A browser can send anything as an update. Take only the members that you expect, and check them.
      async session({ session, user, trigger, newSession }) {
        const renames = trigger === 'update' && isName(newSession?.name)
        const { id, name, email, image } = renames
          ? await database.adapter.updateUser({ id: user.id, name: newSession.name.trim() })
          : user
        return { user: { name, email, image }, userId: id, expires: new Date(session.expires).toISOString() }
      },
    },
    // It replaces the built-in page, because here the visitor can read the mail at once.
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
    const [token, accounts, passkeys, sessions, stored] = await Promise.all([
      csrfToken(req, res, config),
      listAccounts(req, config),
      listPasskeys(req, config),
      listSessions(req, config),
      database.storedFor(session?.userId ?? ''),
    ])
    sendPage(res, {
      status,
      title: 'Private page',
      site: 'app',
      corner: corner(session),
      body: privatePage({ session, stored, accounts, passkeys, sessions, csrfToken: token, status, note }),
      script: PASSKEY_SCRIPT,
    })
  }

  /** Shows why Latchkey refused what a form asked for. */
  const showRefusal = async (error: unknown, req: ExpressRequest, res: ExpressResponse) => {
    if (!(error instanceof RequestRefused || error instanceof RecentSignInRequired)) throw error
    const signIn = html`<a href="/auth/signin?callbackUrl=/private">Sign in again</a> first. Your last sign-in was too long ago.`
    await showPrivate(req, res, { status: error.status, note: error.status === 403 ? signIn : error.message })
  }

  app.get('/private', (req, res) => showPrivate(req, res, { note: DONE.get(String(req.query.done)) ?? '' }))

  // This covers every form of the private page. A form of another site has no valid CSRF token, and is refused.
  app.post('/private{/*form}', express.urlencoded({ extended: false, limit: '4kb' }), async (req, res, next) => {
    if (await verifyCsrfToken(req, config, req.body?.csrfToken)) return next()
    await showPrivate(req, res, { status: 403, note: 'This form is too old. Please try again.' })
  })

  // The session action answers with JSON, for scripts in the browser. A plain form needs a route like this one.
  app.post('/private', async (req, res) => {
    const { name } = req.body as Record<string, unknown>
    await updateSession(req, res, config, { name })
    res.redirect(303, isName(name) ? '/private?done=saved' : '/private')
  })

  app.post('/private/sessions/end', async (req, res) => {
    try {
      const wasThere = await revokeSession(req, config, String(req.body?.id))
      if (wasThere) return res.redirect(303, '/private?done=ended#sessions')
      await showPrivate(req, res, { status: 404, note: 'That session has ended already.' })
    } catch (error) {
      await showRefusal(error, req, res)
    }
  })

  app.post('/private/sessions/end-others', async (req, res) => {
    try {
      await revokeOtherSessions(req, config)
      res.redirect(303, '/private?done=ended-others#sessions')
    } catch (error) {
      await showRefusal(error, req, res)
    }
  })

  app.post('/private/accounts/unlink', async (req, res) => {
    const { hasPassword } = await database.storedFor(sessionOf(res)?.userId ?? '')
    try {
      // Latchkey does not know which users have a password.
      await unlinkAccount(req, config, String(req.body?.id), { signsInOtherwise: hasPassword })
      res.redirect(303, '/private?done=disconnected#accounts')
    } catch (error) {
      await showRefusal(error, req, res)
    }
  })

  app.post('/private/passkeys/rename', async (req, res) => {
    const { credentialID, name, csrfToken } = req.body as Record<string, string>
    try {
      await renamePasskey(req, config, { credentialID: credentialID ?? '', name: name ?? '', csrfToken })
      res.redirect(303, '/private?done=renamed')
    } catch (error) {
      await showRefusal(error, req, res)
    }
  })

  app.post('/private/passkeys/remove', async (req, res) => {
    const { credentialID, csrfToken } = req.body as Record<string, string>
    const { hasPassword } = await database.storedFor(sessionOf(res)?.userId ?? '')
    try {
      const { passkey, signal } = await removePasskey(req, config, {
        credentialID: credentialID ?? '',
        csrfToken,
        // Latchkey does not know which users have a password.
        signsInOtherwise: hasPassword,
      })
      // There is no redirect: only this answer may make the browser forget a passkey, not a link by anybody.
      await showPrivate(req, res, { note: html`The passkey “${passkey.name}” was removed.${removedPasskey(signal)}` })
    } catch (error) {
      await showRefusal(error, req, res)
    }
  })

  app.use((_req, res) => {
    const body = html`<h1>Page not found</h1><p class="lead">This page does not exist.</p><p><a href="/">Back to the start page</a></p>`
    sendPage(res, { status: 404, title: 'Page not found', site: 'app', body })
  })

  return app
}

/** What the private page says about the form that was just sent. */
interface Note {
  readonly status?: number
  readonly note?: Html | string
}

const DONE = new Map([
  ['saved', 'Your name was saved.'],
  ['ended', 'The other browser is signed out.'],
  ['ended-others', 'You are signed out everywhere else.'],
  ['disconnected', 'The account was disconnected.'],
  ['renamed', 'The passkey was renamed.'],
  ['added', 'The passkey was added. You can sign in with it from now on.'],
])

const sessionOf = (res: ExpressResponse) => res.locals['session'] as Session | null

const corner = (session: Session | null): Html =>
  session
    ? html`<nav aria-label="Account"><a href="/mailbox">Mailbox</a><a href="/private">Private page</a><a href="/auth/signout?callbackUrl=/">Sign out</a></nav>`
    : html`<nav aria-label="Account"><a href="/mailbox">Mailbox</a><a href="/auth/signin?callbackUrl=/">Sign in</a></nav>`

const home = (session: Session | null): Html => html`
  <h1>${session ? `Welcome, ${firstName(session)}` : 'A small app with real sign-in'}</h1>
  <p class="lead">Every page here is plain HTML from Express. Sign-in, sign-out and sessions come from Latchkey. Only passkeys
    need a script. Users, sessions and passkeys are rows in a SQLite file.</p>
  <div class="grid">
    <section class="card">
      <h2>Your sign-in</h2>
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
        <li>Open the private page while you are signed out: the app asks you to sign in, and then shows the page.</li>
        <li>Sign in with Harbour ID, an OpenID provider that runs beside this app. It accepts any name.</li>
        <li>Let the app mail a link to any address. Open the <a href="/mailbox">mailbox</a> and follow the link, here or in another browser.</li>
        <li>Sign up with a passkey and any address. On the private page you can add, rename and remove passkeys.</li>
        <li>Sign in as <code>${ADA.username}</code> with the password <code>${ADA.password}</code>.</li>
        <li>On the private page, connect another account at Harbour ID, and disconnect it. The <a href="/mailbox">mailbox</a> has a mail about each.</li>
        <li>Sign in with another browser, or in a private window. The private page lists both, and can sign out the other one.</li>
        <li>Stop the app and start it again: you are still signed in.</li>
      </ol>
    </section>
  </div>`

interface PrivatePage {
  readonly session: Session | null
  readonly stored: Stored
  readonly accounts: readonly LinkedAccount[]
  readonly passkeys: readonly Passkey[]
  readonly sessions: readonly ListedSession[]
  readonly csrfToken: string
  readonly status: number
  readonly note: Html | string
}

const privatePage = ({
  session,
  stored,
  accounts,
  passkeys,
  sessions,
  csrfToken,
  status,
  note,
}: PrivatePage): Html => html`
  <h1>Your private page</h1>
  <p class="lead">Only signed-in users see this page: <code>requireAuth</code> guards its route.</p>
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
      <h2>Stored data</h2>
      <dl>
        <dt>Address</dt><dd>${stored.emailIsConfirmed ? 'confirmed' : 'not confirmed'}</dd>
        <dt>Password</dt><dd>${stored.hasPassword ? 'stored as a hash' : 'none'}</dd>
      </dl>
    </section>
    ${accountCard(accounts, csrfToken)}
    ${sessionCard(sessions, csrfToken)}
    ${passkeyCard(passkeys, csrfToken)}
    <section class="card wide">
      <h2>Your session</h2>
      <p class="muted">A route gets this as <code>res.locals.session</code>:</p>
      <pre>${JSON.stringify(session, null, 2)}</pre>
    </section>
  </div>`

const person = ({ user }: Session): Html => html`
  <div class="person">
    <div class="avatar" aria-hidden="true">${[...(user?.name ?? user?.email ?? '?')][0]?.toUpperCase()}</div>
    <div><p class="name">${user?.name ?? 'No name yet'}</p><p class="muted">${user?.email}</p></div>
  </div>`

const firstName = ({ user }: Session) => (user?.name ?? user?.email)?.split(/[ @]/, 1)[0]
