import { expect } from 'chai'
import express from 'express'
import { memoryAdapter } from '../../../lib/adapters/memory.js'
import { type AccessTokenResult, defineAuth, getAccessToken } from '../../../lib/index.js'
import { createLog, listen, type Running, testConfig } from '../../support/app.js'
import { type RealOidcProvider, startOidcProvider } from '../../support/oidc-provider.js'
import type { Visitor } from '../../support/visitor.js'

const SECRET = 'the secret of the client'

describe('getAccessToken in Express, with a certified OpenID provider that rotates refresh tokens', function () {
  this.timeout(120_000)
  let app: Running
  let idp: RealOidcProvider
  const log = createLog()
  const adapter = memoryAdapter()

  before(async () => {
    const server = express().set('env', 'test')
    app = await listen(server)
    idp = await startOidcProvider({
      configuration: { rotateRefreshToken: true, scopes: ['openid', 'offline_access', 'profile', 'email'] },
      clients: [
        {
          client_id: 'app',
          client_secret: SECRET,
          redirect_uris: [`${app.origin}/auth/callback/acme`],
          grant_types: ['authorization_code', 'refresh_token'],
          scope: 'openid offline_access profile email',
        },
      ],
    })
    const config = testConfig({
      adapter,
      bearer: true,
      logger: log.logger,
      // The provider's tokens live ten minutes, so each call refreshes.
      accountTokens: { refreshBefore: 3600 },
      providers: [
        {
          id: 'acme',
          name: 'Acme',
          type: 'oidc',
          issuer: idp.issuer,
          clientId: 'app',
          clientSecret: SECRET,
          authorization: { params: { scope: 'openid offline_access profile email', prompt: 'consent' } },
        },
      ],
    })
    const { handler, issueToken, requireAuth, getAccessToken: defined } = defineAuth(config)
    server.use('/auth', handler)
    server.get('/token', async (req, res) => void res.json(await getAccessToken(req, config, 'acme')))
    server.get('/more', async (req, res) => void res.json(await defined(req, 'acme', { scope: 'files' })))
    server.post('/issue', express.json(), async (req, res) => void res.json(await issueToken(req, req.body)))
    server.get(
      '/reports',
      requireAuth({ scope: 'reports' }),
      async (req, res) => void res.json(await defined(req, 'acme')),
    )
  })
  after(async () => {
    await app.close()
    await idp.stop()
  })

  const signIn = async (login: string): Promise<Visitor> => {
    const visitor = app.visitor()
    const { location } = await visitor.post('/auth/signin/acme', { csrfToken: await visitor.csrfToken() })
    const { url } = await idp.authorize(String(location), login)
    await visitor.visit(url.pathname + url.search)
    return visitor
  }
  const tokenOf = async (visitor: Visitor, path = '/token'): Promise<AccessTokenResult | null> =>
    (await visitor.visit(path)).json()

  it('refreshes again and again, and the tokens work at the provider', async () => {
    const ada = await signIn('ada')
    const seen = new Set<string>()
    for (let times = 0; times < 3; times += 1) {
      const result = await tokenOf(ada)
      expect(result).to.include({ status: 'ok', provider: 'acme', providerAccountId: 'ada' })
      const accessToken = result?.status === 'ok' ? result.accessToken : ''
      const answer = await fetch(`${idp.issuer}/me`, { headers: { authorization: `Bearer ${accessToken}` } })
      expect(((await answer.json()) as { sub: string }).sub).to.equal('ada')
      seen.add(accessToken)
    }
    expect(seen.size).to.equal(3)
    expect(log.errors).to.deep.equal([])
  })

  it('sends a user to the mount for a scope, and is null for nobody', async () => {
    const result = await tokenOf(await signIn('ada'), '/more')
    expect(result).to.include({ status: 'reauthorize', reason: 'scope' })
    expect(result?.status === 'reauthorize' && result.url).to.match(
      new RegExp(`^${app.origin}/auth/link/acme\\?request=[\\w.-]+$`),
    )
    expect(await tokenOf(app.visitor())).to.equal(null)
  })

  it('is null for a bearer token with a scope, unless a guard has asked for the scope', async () => {
    const ada = await signIn('ada')
    const issued = async (wanted: object): Promise<string> =>
      (await ada.postJson('/issue', wanted, { origin: app.origin })).json().token
    const get = async (path: string, token: string) =>
      (await fetch(app.origin + path, { headers: { authorization: `Bearer ${token}` } })).json() as Promise<{
        status?: string
      } | null>
    const restricted = await issued({ maxAge: 600, scope: 'reports' })
    expect(await get('/token', restricted)).to.equal(null)
    expect(await get('/reports', restricted)).to.include({ status: 'ok' })
    expect(await get('/token', await issued({ maxAge: 600 }))).to.include({ status: 'ok' })
  })
})
