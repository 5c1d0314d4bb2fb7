import cookieParser from 'cookie-parser'
import express, { type Express, type Request as ExpressRequest, type Response as ExpressResponse } from 'express'
// Your own application imports from 'latchkey', 'latchkey/providers', 'latchkey/providers/credentials' and so on.
import {
  type AuthConfig,
  authSession,
  csrfToken,
  expressAuth,
  issueToken,
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
  setPassword,
  unlinkAccount,
  updateSession,
  verifyCsrfToken,
} from '../../lib/index.js'
import Email from '../../lib/providers/email.js'
import { oidcProvider } from '../../lib/providers/index.js'
import PasskeyProvider from '../../lib/providers/passkey.js'
import Password from '../../lib/providers/password.js'
import { accountCard } from './accounts.js'
import { ADA, type DemoDatabase } from './database.js'
import { home, person } from './home.js'
import { type Html, html } from './html.js'
import type { IdentityProvider } from './identity-provider.js'
import { chooseLanguage, chosenLanguage, languages } from './languages.js'
import { assets, sendPage } from './layout.js'
import { createMailbox, type Mailbox } from './mailbox.js'
import { PASSKEY_SCRIPT, passkeyCard, removedPasskey } from './passkeys.js'
import { sessionCard } from './sessions.js'
import { newToken, TOKEN_LIFETIME, TOKEN_SCOPE, tokenCard } from './tokens.js'

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
        // It mails the links with which people choose a password, and tells them of a way to sign in that was added or removed.
        sendNotification: mailbox.notify,
      }),
      // All that passwords need: sign-up, reset and change have pages, and the address shares one form with the other ways.
      Password(),
    ],
    callbacks: {
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
    // Programs may send a token of their user in the header Authorization.
    bearer: true,
    ...(logger && { logger }),
    theme: { name: 'Paper Boats', logo: '/logo.svg', brandColor: '#0f6b5c' },
  }
}

const isName = (value: unknown): value is string =>
  typeof value === 'string' && value.trim() !== '' && value.length <= 60

/** Adds the user who has a password from the start. Later ones choose theirs by mail. */
async function addAda(config: AuthConfig, { adapter }: DemoDatabase): Promise<void> {
  const { name, email, password } = ADA
  if (await adapter.getUserByEmail(email)) return
  const { id } = await adapter.createUser({ id: crypto.randomUUID(), name, email, emailVerified: new Date() })
  await setPassword(config, { userId: id, password })
}

/** The application. */
export async function createApp(settings: DemoSettings): Promise<Express> {
  const { database } = settings
  const mailbox = createMailbox()
  const config = configure(settings, mailbox)
  await addAda(config, database)
  const app = express()
  app.disable('x-powered-by')

  // For cookies of the application's own. Latchkey reads its cookies itself, and works before and after it.
  app.use(cookieParser())
  app.use('/auth', chooseLanguage, expressAuth(config))
  app.use('/language', languages())

  app.use(assets('app'))

  app.get('/', authSession(config), (req, res) => {
    const session = sessionOf(res)
    const body = home(session, chosenLanguage(req))
    sendPage(res, { title: 'Welcome', site: 'app', corner: corner(session), body, script: PASSKEY_SCRIPT })
  })

  // For programs. A browser that is signed in may read it, too.
  app.get('/api/me', requireAuth(config, { scope: TOKEN_SCOPE }), (_req, res) => {
    res.json(sessionOf(res)?.user)
  })

  app.use(
    '/mailbox',
    authSession(config),
    mailbox.pages((res) => corner(sessionOf(res))),
  )

  app.use('/private', requireAuth(config))

  const showPrivate = async (req: ExpressRequest, res: ExpressResponse, { status = 200, note = '' }: Note = {}) => {
    const session = sessionOf(res)
    const [token, accounts, passkeys, sessions, isConfirmed] = await Promise.all([
      csrfToken(req, res, config),
      listAccounts(req, config),
      listPasskeys(req, config),
      listSessions(req, config),
      database.isConfirmed(session?.userId ?? ''),
    ])
    sendPage(res, {
      status,
      title: 'Private page',
      site: 'app',
      corner: corner(session),
      body: privatePage({ session, isConfirmed, accounts, passkeys, sessions, csrfToken: token, status, note }),
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
      const isToken = req.body?.kind === 'token'
      if (wasThere) return res.redirect(303, isToken ? '/private?done=revoked' : '/private?done=ended')
      await showPrivate(req, res, { status: 404, note: 'That session has ended already.' })
    } catch (error) {
      await showRefusal(error, req, res)
    }
  })

  app.post('/private/sessions/end-others', async (req, res) => {
    try {
      await revokeOtherSessions(req, config)
      res.redirect(303, '/private?done=ended-others')
    } catch (error) {
      await showRefusal(error, req, res)
    }
  })

  app.post('/private/tokens', async (req, res) => {
    const { name } = req.body as Record<string, unknown>
    if (!isName(name)) return res.redirect(303, '/private')
    try {
      const issued = await issueToken(req, config, { maxAge: TOKEN_LIFETIME, scope: TOKEN_SCOPE, name: name.trim() })
      // There is no redirect: the token is in no URL, and loading the page again does not show it.
      await showPrivate(req, res, { note: newToken(issued, name.trim(), `http://${req.headers.host}`) })
    } catch (error) {
      await showRefusal(error, req, res)
    }
  })

  app.post('/private/accounts/unlink', async (req, res) => {
    try {
      await unlinkAccount(req, config, String(req.body?.id))
      res.redirect(303, '/private?done=disconnected')
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
    try {
      const { passkey, signal } = await removePasskey(req, config, {
        credentialID: credentialID ?? '',
        csrfToken,
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
  ['revoked', 'The token was revoked.'],
  ['disconnected', 'The account was disconnected.'],
  ['renamed', 'The passkey was renamed.'],
  ['added', 'The passkey was added. You can sign in with it from now on.'],
])

const sessionOf = (res: ExpressResponse) => res.locals['session'] as Session | null

const corner = (session: Session | null): Html =>
  session
    ? html`<nav aria-label="Account"><a href="/mailbox">Mailbox</a><a href="/private">Private page</a><a href="/auth/account">Your account</a><a href="/auth/signout?callbackUrl=/">Sign out</a></nav>`
    : html`<nav aria-label="Account"><a href="/mailbox">Mailbox</a><a href="/auth/signin?callbackUrl=/">Sign in</a></nav>`

interface PrivatePage {
  readonly session: Session | null
  readonly isConfirmed: boolean
  readonly accounts: readonly LinkedAccount[]
  readonly passkeys: readonly Passkey[]
  readonly sessions: readonly ListedSession[]
  readonly csrfToken: string
  readonly status: number
  readonly note: Html | string
}

const privatePage = ({
  session,
  isConfirmed,
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
      <dl>
        <dt>Address</dt><dd>${isConfirmed ? 'confirmed' : 'not confirmed'}</dd>
        <dt>Password</dt><dd><a href="/auth/password/change?callbackUrl=/private">Choose or change it</a></dd>
      </dl>
      <form method="post" action="/private" class="inline">
        <input type="hidden" name="csrfToken" value="${csrfToken}">
        <label for="name">Name</label>
        <input id="name" name="name" type="text" value="${session?.user?.name}" maxlength="60" autocomplete="name" required>
        <button class="plain">Change the name</button>
      </form>
    </section>
    ${sessionCard(sessions, csrfToken)}
    ${accountCard(accounts, csrfToken)}
    ${passkeyCard(passkeys, csrfToken)}
    ${tokenCard(sessions, csrfToken)}
    <section class="card">
      <h2>Your session</h2>
      <p class="muted">A route gets this as <code>res.locals.session</code>:</p>
      <pre>${JSON.stringify(session, null, 2)}</pre>
    </section>
  </div>`
