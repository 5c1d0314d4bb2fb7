import express from 'express'
import { defineAuth } from 'latchkey'
import { oidcProvider } from 'latchkey/providers'
import { notesOf } from '../notes.js'

const { BASE_URL = '', ISSUER_BASE_URL = '', CLIENT_ID = '', CLIENT_SECRET = '' } = process.env

// No store keeps the ID token for a sign-out, and this provider leads people back without it.
const endSession = { url: 'metadata', returnParam: 'post_logout_redirect_uri', withoutHint: true }
const Acme = oidcProvider({ id: 'acme', name: 'Acme', issuer: ISSUER_BASE_URL, tokenFacts: { endSession } })

// The secret is AUTH_SECRET.
const { handler, getSession, requireAuth, signOut, startSignIn } = defineAuth({
  url: BASE_URL,
  providers: [Acme({ clientId: CLIENT_ID, clientSecret: CLIENT_SECRET, endSession: 'always' })],
  callbacks: {
    // At a sign-in, `account` has the `sub` of the person at the provider.
    jwt: ({ token, account }) => (account ? { ...token, accountId: account.providerAccountId } : token),
    session: ({ session, token }) => ({
      user: { name: session.user.name, email: session.user.email, image: session.user.image },
      expires: session.expires,
      accountId: String(token['accountId']),
    }),
  },
})

const app = express()
app.use('/auth', handler)

// There is one provider, so nobody has to choose: who needs a session goes to it at once.
app.get('/login', (req, res) => startSignIn(req, res, 'acme', { fromAnywhere: true }))
app.post('/logout', (req, res) => signOut(req, res, { redirectTo: '/', endSession: true }))

app.get('/', async (req, res) => {
  const signOutForm = '<form method="post" action="/logout"><button>Sign out</button></form>'
  res.send((await getSession(req)) ? signOutForm : '<a href="/login">Sign in</a>')
})

app.get('/notes', requireAuth({ signInUrl: '/login' }), (_req, res) => {
  const { user, accountId } = res.locals.session
  res.json({ name: user.name, notes: notesOf(accountId) })
})

app.listen(process.env['PORT'] ?? 3000, () => console.log(BASE_URL))
