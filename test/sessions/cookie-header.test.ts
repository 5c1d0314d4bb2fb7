import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import express from 'express'
import { type AuthConfig, expressAuth } from '../../lib/index.js'
import { SECRET } from '../support/app.js'
import { type RealOidcProvider, startOidcProvider } from '../support/oidc-provider.js'
import { Visitor } from '../support/visitor.js'

describe('the Cookie header of a visitor who signed in at an OpenID provider', function () {
  this.timeout(60_000)
  const app = express()
  let server: Server
  let provider: RealOidcProvider
  let origin: string

  before(async () => {
    server = createServer(app).listen(0, '127.0.0.1')
    await once(server, 'listening')
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const redirectUri = (mount: string) => `${origin}/${mount}/callback/harbour`
    const client = { client_id: 'app', client_secret: SECRET, redirect_uris: [redirectUri('a'), redirectUri('b')] }
    provider = await startOidcProvider({ clients: [client] })
  })
  after(async () => {
    server.closeAllConnections()
    server.close()
    await provider.stop()
  })

  const signedIn = async (mount: string, logout: { endSession?: 'offer' } = {}): Promise<Visitor> => {
    const harbour = { id: 'harbour', name: 'Harbour', type: 'oidc' as const, issuer: provider.issuer, ...logout }
    const config: AuthConfig = {
      secret: SECRET,
      trustHost: true,
      basePath: `/${mount}`,
      providers: [{ ...harbour, clientId: 'app', clientSecret: SECRET, checks: ['pkce', 'state', 'nonce'] }],
    }
    app.use(`/${mount}`, expressAuth(config))
    const visitor = new Visitor(origin)
    const csrfToken = await visitor.csrfToken(`/${mount}`)
    const { location } = await visitor.post(`/${mount}/signin/harbour`, { csrfToken, callbackUrl: origin })
    const { url } = await provider.authorize(location?.href ?? '', 'grace')
    await visitor.get(url.pathname + url.search)
    expect((await visitor.session(`/${mount}`)).user.email).to.equal('grace@example.com')
    return visitor
  }

  it('has no more than a session, a CSRF token and a return target, and no more than is needed in them', async () => {
    const visitor = await signedIn('a')
    expect([...visitor.jar.keys()].sort()).to.deep.equal([
      'authjs.callback-url',
      'authjs.csrf-token',
      'authjs.session-token',
    ])
    // The CSRF token has 149 bytes by its format, and a session token with nothing but the claims of Auth.js about 480.
    expect(visitor.cookieHeader().length).to.be.below(860)
  })

  it('says where the session began only where a sign-out leads there', async () => {
    const [plain, leading] = [await signedIn('a'), await signedIn('b', { endSession: 'offer' })]
    expect(leading.cookieHeader().length).to.be.greaterThan(plain.cookieHeader().length + 50)
  })
})
