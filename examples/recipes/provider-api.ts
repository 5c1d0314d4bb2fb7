// The application shows what an API at the provider has about the user. The client comes from AUTH_ACME_ID and
// AUTH_ACME_SECRET; a provider of the catalogue changes the import alone.
//
// - The token stays on the server. A browser calls your route, and your route calls the provider.
// - The tokens are encrypted in the table of accounts. Read them with `getAccessToken`, not with a query.
// - `scope` is what the call needs. If the user has not granted it, the result is `reauthorize`, and its page asks for it.
import express from 'express'
import { type AuthConfig, expressAuth, getAccessToken, requireAuth } from 'latchkey'
import { migrateToLatest, sqlAdapter } from 'latchkey/adapters/sql'
import { oidcProvider } from 'latchkey/providers'

const issuer = process.env.ACME_ISSUER ?? 'https://id.acme.example'
const Acme = oidcProvider({
  id: 'acme',
  name: 'Acme',
  issuer,
  // Most OpenID providers give a refresh token for this scope, and some of them only if they may ask the user.
  scopes: ['openid', 'profile', 'email', 'offline_access'],
})

const database = { sqlite: 'app.db' }
await migrateToLatest(database)

const config: AuthConfig = {
  providers: [Acme({ authorization: { params: { prompt: 'consent' } } })],
  adapter: sqlAdapter(database),
}

const app = express()
app.use('/auth', expressAuth(config))

app.get('/profile', requireAuth(config), async (req, res) => {
  const token = await getAccessToken(req, config, 'acme', { scope: 'openid' })
  // The session ended after the guard.
  if (token === null) return res.redirect('/auth/signin')
  // The user must go to the provider, for example because the consent was withdrawn there.
  if (token.status === 'reauthorize') return res.redirect(token.url)
  if (token.status === 'unavailable') return res.status(503).send('Acme does not answer. Try again soon.')

  const answer = await fetch(`${issuer}/me`, {
    headers: { authorization: `Bearer ${token.accessToken}` },
    signal: AbortSignal.timeout(5000),
  })
  if (!answer.ok) return res.status(502).send('Acme could not answer.')
  const { name, email } = (await answer.json()) as { name: string; email: string }
  return res.json({ name, email })
})

app.listen(3000)
