// People sign in with an address and a password. Who has forgotten the password, or never had one, asks for a mailed link. The link
// signs in, works once, and leads to a form for a new password. So one mail serves for the sign-up and for the reset. Set AUTH_URL,
// because a mailed link needs the address of the application.
//
// - The answer to /forgot is the same for every address, so it does not say who has an account. A link to an unknown address
//   creates the user. To refuse that, look the address up in the `signIn` callback.
// - The form asks for no old password, because a recent sign-in is enough. Ask for it as well if people share computers.
// - Latchkey limits sign-ins. The mails of these routes are yours to limit.
import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import express from 'express'
import { Kysely, SqliteDialect } from 'kysely'
import { type AuthConfig, csrfToken, expressAuth, requireAuth, revokeOtherSessions, verifyCsrfToken } from 'latchkey'
import { migrateToLatest, sqlAdapter } from 'latchkey/adapters/sql'
import Credentials from 'latchkey/providers/credentials'
import Nodemailer from 'latchkey/providers/nodemailer'
import Libsql from 'libsql'

interface Tables {
  users: { id: string; name: string | null; email: string }
  passwords: { userId: string; salt: string; hash: string }
}

const db = new Kysely<Tables>({ dialect: new SqliteDialect({ database: new Libsql('app.db') }) })
await migrateToLatest(db)
await db.schema
  .createTable('passwords')
  .ifNotExists()
  .addColumn('userId', 'text', (column) => column.primaryKey().references('users.id').onDelete('cascade'))
  .addColumn('salt', 'text', (column) => column.notNull())
  .addColumn('hash', 'text', (column) => column.notNull())
  .execute()

const hashOf = promisify<string, string, number, Buffer>(scrypt)

async function findUser(email: unknown, password: unknown) {
  if (typeof email !== 'string' || typeof password !== 'string') return null
  const found = await db
    .selectFrom('users')
    .innerJoin('passwords', 'passwords.userId', 'users.id')
    .select(['id', 'name', 'email', 'salt', 'hash'])
    .where('email', '=', email.trim().toLowerCase())
    .executeTakeFirst()
  // The same work for an unknown address: the time of the answer does not say who has an account.
  const hash = await hashOf(password, found?.salt ?? '', 32)
  if (!found || !timingSafeEqual(hash, Buffer.from(found.hash, 'hex'))) return null
  return { id: found.id, name: found.name, email: found.email }
}

async function setPassword(userId: string, password: string) {
  const salt = randomBytes(16).toString('hex')
  const hash = (await hashOf(password, salt, 32)).toString('hex')
  const row = { userId, salt, hash }
  await db
    .insertInto('passwords')
    .values(row)
    .onConflict((on) => on.column('userId').doUpdateSet(row))
    .execute()
}

const config: AuthConfig = {
  adapter: sqlAdapter(db),
  providers: [
    Credentials({
      credentials: {
        email: { label: 'E-mail address', type: 'email', autocomplete: 'username', required: true },
        password: { label: 'Password', type: 'password', autocomplete: 'current-password', required: true },
      },
      authorize: ({ email, password }) => findUser(email, password),
    }),
    Nodemailer({ server: process.env.SMTP_URL ?? '', from: 'Notes <no-reply@notes.example>', maxAge: 60 * 60 }),
  ],
  theme: {
    name: 'Notes',
    links: { forgot: '/forgot' },
    // The mailed link serves for the password alone, and the mail says so.
    texts: {
      en: {
        'mail.signIn.subject': 'Set a password for {site}',
        'mail.signIn.button': 'Set a password',
      },
    },
  },
  callbacks: {
    // Somebody may have signed up with the address of another person. When its owner comes, that password must go.
    async confirmEmail({ user, remaining }) {
      if (remaining.includes('password')) await db.deleteFrom('passwords').where('userId', '=', user.id).execute()
      return true
    },
  },
}

const app = express()
app.use('/auth', expressAuth(config))

app.get('/forgot', async (req, res) => {
  res.send(`<h1>Set a password</h1><form method="post" action="/auth/signin/nodemailer">
    <input type="hidden" name="csrfToken" value="${await csrfToken(req, res, config)}">
    <input type="hidden" name="callbackUrl" value="/account/password">
    <label>E-mail address <input name="email" type="email" autocomplete="email" required></label>
    <button>Mail me a link</button></form>`)
})

// Ten minutes after the sign-in, the form asks to sign in again.
app.use('/account/password', requireAuth(config, { maxAuthAge: 600 }))

app.get('/account/password', async (req, res) => {
  res.send(`<h1>New password</h1><form method="post">
    <input type="hidden" name="csrfToken" value="${await csrfToken(req, res, config)}">
    <label>At least 12 characters
      <input name="password" type="password" autocomplete="new-password" minlength="12" required></label>
    <button>Save</button></form>`)
})

app.post('/account/password', express.urlencoded(), async (req, res) => {
  const { csrfToken: token, password } = req.body
  if (!(await verifyCsrfToken(req, config, token))) return void res.status(403).send('Try again.')
  if (typeof password !== 'string' || password.length < 12) return void res.status(400).send('It is too short.')
  await setPassword(res.locals['session'].user.id, password)
  // Whoever knew the old password is signed out everywhere else.
  await revokeOtherSessions(req, config)
  res.redirect(303, '/')
})

app.get('/', requireAuth(config), (_req, res) => res.type('text').send(`Hello ${res.locals.session.user?.email}`))

app.listen(3000)
