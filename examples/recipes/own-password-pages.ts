// The pages for passwords are those of the application, and use `latchkey/client`, without a bundler.
//
// - `npm install kysely libsql nodemailer`, `npx latchkey migrate up --database auth.db`, and a mail server for development.
// - Latchkey leads here: from the sign-in page to ask for a link, and from the mailed link, which has a `token`, to choose a password.
import { fileURLToPath } from 'node:url'
import express from 'express'
import { type AuthConfig, expressAuth, requireAuth } from 'latchkey'
import { sqlAdapter } from 'latchkey/adapters/sql'
import Nodemailer from 'latchkey/providers/nodemailer'
import Password from 'latchkey/providers/password'

const config: AuthConfig = {
  adapter: sqlAdapter({ sqlite: process.env['DATABASE'] ?? 'auth.db' }),
  providers: [
    Password(),
    Nodemailer({ server: process.env['SMTP'] ?? 'smtp://localhost:1025', from: 'no-reply@acme.example' }),
  ],
  pages: { password: '/password' },
}

const page = (title: string, body: string) =>
  `<!doctype html><html lang="en"><title>${title}</title><h1>${title}</h1>${body}<p role="status"></p>`
const newPassword =
  '<label>New password <input name="newPassword" type="password" autocomplete="new-password" required></label>'

const ASK = page(
  'Choose a password',
  `<form><label>E-mail <input name="email" type="email" autocomplete="username" required></label><button>Send the link</button></form>
  <script type="module">
    import { mailPasswordLink } from '/client/index.js'
    import { onSubmit, say } from '/password.js'
    onSubmit(async ({ email }) => {
      await mailPasswordLink(email, { redirectTo: '/' })
      say('Look into your mails.')
    })
  </script>`,
)

const CHOOSE = page(
  'Choose a password',
  `<form>${newPassword}<button>Save</button></form>
  <script type="module">
    import { choosePassword } from '/client/index.js'
    import { onSubmit, say } from '/password.js'
    const token = new URLSearchParams(location.search).get('token')
    onSubmit(async ({ newPassword }) => {
      const { ok, code } = await choosePassword({ token, newPassword, redirectTo: '/' })
      if (!ok) say(code)
    })
  </script>`,
)

const CHANGE = page(
  'Change your password',
  `<form><label>Password <input name="password" type="password" autocomplete="current-password" required></label>
  ${newPassword}<button>Save</button></form>
  <script type="module">
    import { changePassword } from '/client/index.js'
    import { onSubmit, say } from '/password.js'
    onSubmit(async (passwords) => {
      const { ok, code } = await changePassword(passwords)
      say(ok ? 'It is changed.' : code)
    })
  </script>`,
)

/** What the pages share. `code` is for programs: choose a text for each of them. */
const SCRIPT = `
const TEXTS = new Map([['wrong', 'That is not your password.'], ['too-short', 'It is too short.'], ['link', 'Ask for a new link.']])
export const say = (code) => { document.querySelector('[role=status]').textContent = TEXTS.get(code) ?? code }
export const onSubmit = (work) => document.forms[0].addEventListener('submit', (event) => {
  event.preventDefault()
  work(Object.fromEntries(new FormData(event.target))).catch((error) => say(error.code))
})`

const app = express()
app.use('/client', express.static(fileURLToPath(new URL('.', import.meta.resolve('latchkey/client')))))
app.get('/password.js', (_req, res) => res.type('js').send(SCRIPT))
// Before every guard: whoever chooses a password is not signed in.
app.get('/password', (req, res) => {
  // The address has the token of the link: no other site may learn it.
  res.set('Referrer-Policy', 'no-referrer').set('Cache-Control', 'no-store')
  res.send(req.query['token'] === undefined ? ASK : CHOOSE)
})
app.use('/auth', expressAuth(config))
app.get('/password/change', requireAuth(config), (_req, res) => res.send(CHANGE))
app.get('/', requireAuth(config), (_req, res) => res.type('text').send(`Hello ${res.locals.session.user?.email}`))
app.listen(3000)
