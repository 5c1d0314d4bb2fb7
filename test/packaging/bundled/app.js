import express from 'express'
import { CredentialsSignin, expressAuth, requireAuth } from 'latchkey'
import { memoryAdapter } from 'latchkey/adapters/memory'
import { redisAdapter } from 'latchkey/adapters/redis'
import { sqlAdapter } from 'latchkey/adapters/sql'
import { oauthProvider, oidcProvider } from 'latchkey/providers'
import Credentials from 'latchkey/providers/credentials'
import Nodemailer from 'latchkey/providers/nodemailer'
import Passkey from 'latchkey/providers/passkey'

class AccountLocked extends CredentialsSignin {
  code = 'locked'
}

const { ISSUER, BOARD, MAIL_SERVER } = process.env
const client = { clientId: 'app', clientSecret: 'the secret of the client, which is long enough' }
const url = (path) => BOARD + path

const config = {
  secret: 'a secret that is long enough for anything',
  adapter: memoryAdapter(),
  session: { strategy: 'jwt' },
  providers: [
    oidcProvider({ id: 'acme', name: 'Acme', issuer: ISSUER })({ ...client, allowInsecureHttp: true }),
    oauthProvider({
      id: 'board',
      name: 'Board',
      authorization: { url: url('/authorize'), params: { scope: 'read' } },
      token: url('/token'),
      userinfo: url('/userinfo'),
      profile: ({ sub, name }) => ({ id: `board-${sub}`, name }),
    })({ ...client, allowInsecureHttp: true }),
    Nodemailer({ server: MAIL_SERVER, from: 'app@example.com' }),
    Passkey(),
    Credentials({
      credentials: { username: {}, password: { type: 'password' } },
      authorize({ username, password }) {
        if (password === 'locked') throw new AccountLocked('This account is locked.')
        return password === 'lovelace' ? { id: '1815', name: username } : null
      },
    }),
  ],
}

const app = express()
app.use('/auth', expressAuth(config))
app.get('/private', requireAuth(config), (_req, res) => res.json(res.locals.session))
app.get('/stores', async (_req, res) => {
  const stores = [sqlAdapter({ url: 'postgres://nowhere.invalid' }), redisAdapter({ url: 'redis://nowhere.invalid' })]
  const attempts = stores.map(async (store) => store.getUser('1815'))
  const reasons = (await Promise.allSettled(attempts)).map(({ reason }) => [reason.message, reason.cause?.err?.message])
  res.json(reasons)
})
const server = app.listen(0, 'localhost', () => console.log(JSON.stringify(server.address())))
