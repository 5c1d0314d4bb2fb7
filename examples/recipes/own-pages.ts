// The sign-in page and the error page are those of the application, made on the server, and work without a script. Latchkey sends
// visitors there, checks the forms, and leads back.
//
// - `startSignIn` and `signOut` need no CSRF token: the browser says that one of your pages sent the form. A form that goes to the
//   mount needs it.
// - Put the routes of these pages before a guard, never behind it.
// - A form for a provider or a mailed link goes to /auth/signin/{provider}. Passkeys need the client.
import express, { type Request, type Response } from 'express'
import { type AuthConfig, CredentialsSignin, csrfToken, expressAuth, requireAuth, signOut, startSignIn } from 'latchkey'
import Credentials from 'latchkey/providers/credentials'
import GitHub from 'latchkey/providers/github'

const config: AuthConfig = {
  providers: [
    GitHub,
    Credentials({
      credentials: { username: {}, password: { type: 'password' } },
      // Your own check of a password.
      authorize: ({ username, password }) =>
        username === 'ada' && password === 'analytical engine' ? { id: '1815', name: 'Ada' } : null,
    }),
  ],
  pages: { signIn: '/login', signOut: '/goodbye', error: '/sorry' },
}

/** What visitors read, by the value of `error`. Anybody can write any value into a link, so only known ones count. */
const MESSAGES = new Map([
  ['CredentialsSignin', 'The name or the password is wrong.'],
  ['OAuthAccountNotLinked', 'This address has an account already. Sign in the way that you used before.'],
  ['SessionRequired', 'Please sign in first.'],
  ['AccessDenied', 'You may not sign in here.'],
])
const messageFor = (error: unknown) =>
  error === undefined ? '' : (MESSAGES.get(String(error)) ?? 'That did not work. Please try again.')

const escapeHtml = (text: unknown) =>
  String(text ?? '').replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
const page = (title: string, body: string) =>
  `<!doctype html><html lang="en"><title>${title}</title><h1>${title}</h1>${body}`

/** Where the visitor goes in the end. Latchkey checks it; never redirect to it yourself. */
type Target = { callbackUrl?: unknown }

async function showLogin(req: Request, res: Response, { callbackUrl }: Target, error: unknown, username = '') {
  const target = `<input type="hidden" name="callbackUrl" value="${escapeHtml(callbackUrl ?? '/account')}">`
  // This form goes to Latchkey, and needs the token of this browser. The other one goes to the route below.
  const token = `<input type="hidden" name="csrfToken" value="${await csrfToken(req, res, config)}">`
  const body = `<p role="alert">${messageFor(error)}</p>
    <form method="post" action="/auth/signin/github">${token}${target}<button>Sign in with GitHub</button></form>
    <form method="post" action="/login">${target}
      <label>User name <input name="username" value="${escapeHtml(username)}" autocomplete="username" required></label>
      <label>Password <input name="password" type="password" autocomplete="current-password" required></label>
      <button>Sign in</button></form>`
  res.send(page('Welcome back', body))
}

const app = express()
app.use('/auth', expressAuth(config))

app.get('/login', (req, res) => showLogin(req, res, req.query, req.query['error']))

app.post('/login', express.urlencoded(), async (req, res) => {
  const { callbackUrl, ...fields } = req.body
  try {
    await startSignIn(req, res, config, 'credentials', { fields, redirectTo: String(callbackUrl) })
  } catch (error) {
    if (!(error instanceof CredentialsSignin)) throw error
    // The page again, with the name that was entered.
    res.status(401)
    await showLogin(req, res, { callbackUrl }, 'CredentialsSignin', String(fields.username))
  }
})

app.get('/goodbye', (_req, res) => {
  res.send(page('Sign out?', '<form method="post"><button>Sign out</button></form>'))
})
app.post('/goodbye', (req, res) => signOut(req, res, config, { redirectTo: '/login' }))

app.get('/sorry', (req, res) => {
  const { error } = req.query
  const body = `<p>${messageFor(error)}</p><a href="/login">Back to the sign-in page</a>`
  res.status(error === 'Configuration' ? 500 : 403).send(page('Sorry', body))
})

app.get('/account', requireAuth(config), (_req, res) => {
  const name = escapeHtml(res.locals.session.user?.name)
  res.send(page('Your account', `<p>${name}</p><a href="/goodbye">Sign out</a>`))
})

app.listen(3000)
