import express, { type Express, type Response as ExpressResponse } from 'express'
// Your own application imports from 'latchkey', 'latchkey/providers', 'latchkey/providers/email' and so on.
import {
  type AuthConfig,
  authSession,
  csrfToken,
  expressAuth,
  issueToken,
  type OwnAccountPart,
  renderAccount,
  requireAuth,
  type Session,
  setPassword,
  verifyCsrfToken,
} from '../../lib/index.js'
import Email from '../../lib/providers/email.js'
import { oidcProvider } from '../../lib/providers/index.js'
import Passkey from '../../lib/providers/passkey.js'
import Password from '../../lib/providers/password.js'
import { ADA, type DemoDatabase } from './database.js'
import { home } from './home.js'
import { Html, html } from './html.js'
import type { IdentityProvider } from './identity-provider.js'
import { assets, sendPage } from './layout.js'
import { createMailbox, type Mailbox } from './mailbox.js'

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
      Passkey({ relayingParty: { id: 'localhost', name: 'Paper Boats' } }),
      Email({
        name: 'a mailed link',
        maxAge: 60 * 60,
        sendVerificationRequest: mailbox.send,
        // It mails the links for passwords and addresses, and tells people of changes.
        sendNotification: mailbox.notify,
      }),
      // All that passwords need: sign-up, reset and change have pages, and the address shares one form with the other ways.
      Password(),
    ],
    secondFactor: true,
    securityEvents: true,
    maxAddresses: 3,
    // Programs may send a token of their user in the header Authorization.
    bearer: true,
    accountPage: {
      parts: [
        ...(['profile', 'address', 'password', 'passkeys', 'secondFactor', 'accounts', 'sessions', 'tokens'] as const),
        program,
        ...(['language', 'securityEvents', 'data', 'deletion'] as const),
      ],
    },
    pages: {
      account: '/account',
      // It replaces the built-in page, because here the visitor can read the mail at once.
      verifyRequest: '/mailbox',
    },
    ...(logger && { logger }),
    theme: {
      name: 'Paper Boats',
      logo: '/logo.svg',
      brandColor: '#0f6b5c',
      languages: ['en', 'de', 'fr', 'es', 'pt', 'it', 'nl', 'pl', 'ja', 'zh-Hans', 'ar'],
    },
  }
}

/** A part of the account page that only this application can make: what its tokens are for. */
const program: OwnAccountPart = () => ({
  title: 'Your program',
  lead: 'With a token, a program reads /api/me as you, and can do nothing else.',
  actions: [{ text: 'Make a token', url: '/token', method: 'POST' }],
})

const TOKEN_SCOPE = 'profile:read'

/** Adds the user who has a password from the start. Later ones choose theirs by mail. */
async function addAda(config: AuthConfig, { adapter }: DemoDatabase): Promise<void> {
  const { name, email, password } = ADA
  if (await adapter.getUserByEmail(email)) return
  const { id } = await adapter.createUser({ id: crypto.randomUUID(), name, email, emailVerified: new Date() })
  await setPassword(config, { userId: id, password })
}

/** The application. */
export async function createApp(settings: DemoSettings): Promise<Express> {
  const mailbox = createMailbox()
  const config = configure(settings, mailbox)
  await addAda(config, settings.database)
  const app = express()
  app.disable('x-powered-by')

  app.use('/auth', expressAuth(config))
  app.use(assets('app'))

  app.get('/', authSession(config), (_req, res) => {
    const session = sessionOf(res)
    sendPage(res, { title: 'Welcome', site: 'app', corner: corner(session), body: home(session), hasPasskeys: true })
  })

  app.use(
    '/mailbox',
    authSession(config),
    mailbox.pages((res) => corner(sessionOf(res))),
  )

  app.get('/account', requireAuth(config), async (req, res) => {
    const session = sessionOf(res)
    const account = await renderAccount(req, config, { csrfToken: await csrfToken(req, res, config) })
    sendPage(res, {
      title: 'Your account',
      site: 'app',
      corner: corner(session),
      body: html`
        <h1>Your account</h1>
        <p class="lead">Only signed-in users see this page: <code>requireAuth</code> guards its route, and <code>renderAccount</code>
          makes its parts.</p>
        <div class="grid account">
          <div class="card parts">
            <div class="latchkey">
              ${account.done && html`<p class="done" role="status" lang="${account.language}" dir="auto">${account.done}</p>`}
              ${account.message && html`<div class="alert" role="alert" lang="${account.language}" dir="auto"><p>${account.message}</p></div>`}
              ${account.parts.map((part) => new Html(part.html))}
            </div>
          </div>
          <section class="card">
            <h2>Your session</h2>
            <p class="muted">A route gets this as <code>res.locals.session</code>:</p>
            <pre>${JSON.stringify(session, null, 2)}</pre>
          </section>
        </div>`,
      hasPasskeys: true,
    })
  })

  // For programs. A browser that is signed in may read it, too.
  app.get('/api/me', requireAuth(config, { scope: TOKEN_SCOPE }), (_req, res) => {
    res.json(sessionOf(res)?.user)
  })

  // Who signed in longer ago is asked to sign in again, as `issueToken` requires it.
  const recently = requireAuth(config, { maxAuthAge: 15 * 60 })
  app.post('/token', recently, express.urlencoded({ extended: false, limit: '4kb' }), async (req, res) => {
    if (!(await verifyCsrfToken(req, config, req.body?.csrfToken))) return res.redirect(303, '/account')
    const { token } = await issueToken(req, config, { maxAge: 30 * 24 * 60 * 60, scope: TOKEN_SCOPE, name: 'Program' })
    // There is no redirect: the token is in no URL, and nothing shows it again.
    sendPage(res, {
      title: 'Your token',
      site: 'app',
      corner: corner(sessionOf(res)),
      body: html`
        <h1>Your token</h1>
        <p class="lead">Copy it now, because it is shown only once. Try it:</p>
        <pre>curl -H "Authorization: Bearer ${token}" http://${req.headers.host}/api/me</pre>
        <p><a href="/account#part-tokens">Back to your account</a>, where you can revoke it.</p>`,
    })
  })

  app.use((_req, res) => {
    const body = html`<h1>Page not found</h1><p class="lead">This page does not exist.</p><p><a href="/">Back to the start page</a></p>`
    sendPage(res, { status: 404, title: 'Page not found', site: 'app', body })
  })

  return app
}

const sessionOf = (res: ExpressResponse) => res.locals['session'] as Session | null

const corner = (session: Session | null): Html =>
  session
    ? html`<nav aria-label="Account"><a href="/mailbox">Mailbox</a><a href="/account">Your account</a><a href="/auth/signout?callbackUrl=/">Sign out</a></nav>`
    : html`<nav aria-label="Account"><a href="/mailbox">Mailbox</a><a href="/auth/signin?callbackUrl=/">Sign in</a></nav>`
