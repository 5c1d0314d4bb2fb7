// Roles: a column of the table of users, guards that ask for it, and a page that changes it. A changed role counts at the next
// request, because stored sessions read the user each time. The first administrator gets the role in the database, after the
// first sign-in: update users set role = 'admin' where email = 'ada@example.com'
//
// - A person without the role gets 403, and somebody who is not signed in gets the sign-in page.
// - Do not give a role by an address alone at a sign-in. Give it to a user who is already in your table.
// - For rules that need more than a role, such as "only the author", use `allow` of the guard, or check in the route.
import express from 'express'
import { Kysely, SqliteDialect } from 'kysely'
import { type AuthConfig, csrfToken, expressAuth, requireAuth, verifyCsrfToken } from 'latchkey'
import { migrateToLatest, sqlAdapter } from 'latchkey/adapters/sql'
import GitHub from 'latchkey/providers/github'
import Libsql from 'libsql'

declare module 'latchkey' {
  interface User {
    role?: string | null
  }
}

const sqlite = new Libsql('app.db')
const db = new Kysely<{ users: { id: string; email: string; role: string | null } }>({
  dialect: new SqliteDialect({ database: sqlite }),
})
await migrateToLatest(db)
// A migration of your own, because the column is yours.
const columns = sqlite.prepare('pragma table_info(users)').all() as { name: string }[]
if (!columns.some(({ name }) => name === 'role')) sqlite.exec('alter table users add column role text')

const adapter = sqlAdapter(db)
const config: AuthConfig = {
  providers: [GitHub],
  adapter,
  callbacks: {
    session: ({ session, user }) => ({
      user: { name: user.name, email: user.email, image: user.image, role: user.role },
      expires: new Date(session.expires).toISOString(),
    }),
  },
}

const ROLES = ['writer', 'admin']
const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)

const app = express()
app.use('/auth', expressAuth(config))
app.use('/articles', requireAuth(config, { roles: ['writer', 'admin'] }))
app.use('/admin', requireAuth(config, { roles: 'admin' }))

app.get('/articles', (_req, res) => res.send('Write something.'))

app.get('/admin/users', async (req, res) => {
  const token = await csrfToken(req, res, config)
  const users = await db.selectFrom('users').select(['id', 'email', 'role']).orderBy('email').execute()
  const forms = users.map(
    ({ id, email, role }) => `<form method="post" action="/admin/users/${encodeURIComponent(id)}">
      <input type="hidden" name="csrfToken" value="${token}">
      ${escapeHtml(email)} is ${escapeHtml(role ?? 'a reader')}: <button name="role" value="writer">make a writer</button></form>`,
  )
  res.send(forms.join(''))
})

app.post('/admin/users/:id', express.urlencoded(), async (req, res) => {
  if (!(await verifyCsrfToken(req, config, req.body.csrfToken))) return void res.status(403).send('Try again.')
  // A role comes from this list, whatever the form says.
  if (!ROLES.includes(req.body.role)) return void res.status(400).send('There is no such role.')
  await adapter.updateUser({ id: req.params.id, role: req.body.role })
  res.redirect(303, '/admin/users')
})

app.listen(3000)
