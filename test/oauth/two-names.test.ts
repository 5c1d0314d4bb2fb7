import { expect } from 'chai'
import { customFetch, type OIDCConfig } from '../../lib/providers/provider.js'
import { CookieJar, failure, identityOf, OAuthDriver, resolved } from '../support/oauth-driver.js'
import { type RealOidcProvider, startOidcProvider } from '../support/oidc-provider.js'

const MOUNT = 'https://app.example/auth'

describe('a certified OpenID provider with two names, as in containers', () => {
  let server: RealOidcProvider
  let port: string
  /** The name that only this application knows, beside that of browsers. */
  let internal: string
  /** Hosts and paths that this application called. */
  const called: string[] = []

  before(async () => {
    const redirect_uris = [`${MOUNT}/callback/acme`]
    server = await startOidcProvider({
      clients: [
        { client_id: 'client', client_secret: 'secret', redirect_uris },
        { client_id: 'symmetric', client_secret: 's'.repeat(32), redirect_uris, id_token_signed_response_alg: 'HS256' },
      ],
      configuration: { enabledJWA: { idTokenSigningAlgValues: ['RS256', 'HS256'] } },
    })
    port = new URL(server.issuer).port
    internal = `http://localhost:${port}`
  })
  after(() => server.stop())
  beforeEach(() => {
    called.length = 0
  })

  /** As in a container: the public name leads nowhere, and a name of the network of containers leads to the provider. */
  const inContainer: typeof fetch = (input, init) => {
    const url = new URL(String(input))
    called.push(`${url.host}${url.pathname}`)
    if (url.hostname === '127.0.0.1')
      return Promise.reject(Object.assign(new TypeError('fetch failed'), { cause: { code: 'ECONNREFUSED' } }))
    return fetch(url.href.replace('http://idp.internal', internal), init)
  }
  const configured = (more: Partial<OIDCConfig<unknown>>) =>
    resolved({
      id: 'acme',
      name: 'Acme',
      type: 'oidc',
      clientId: 'client',
      clientSecret: 'secret',
      checks: ['pkce', 'state', 'nonce'],
      [customFetch]: inContainer,
      ...more,
    })
  const signIn = async (more: Partial<OIDCConfig<unknown>>) => {
    const provider = configured(more)
    const driver = new OAuthDriver({ mountUrl: MOUNT })
    const jar = new CookieJar()
    const url = await driver.start(provider, jar)
    expect(url.origin, 'browsers go to the public name').to.equal(server.issuer)
    const { params } = await server.authorize(url.href)
    return identityOf(await driver.finish(provider, jar, params)).account.providerAccountId
  }
  const metadataAt = (name: string) => `${name}/.well-known/openid-configuration`

  it('signs people in with the public issuer, the internal metadata, and the public authorization endpoint', async () => {
    const names = { issuer: server.issuer, wellKnown: metadataAt(internal), authorization: `${server.issuer}/auth` }
    expect(await signIn({ ...names, idToken: false })).to.equal('ada')
    expect(new Set(called.map((each) => each.split('/')[0]))).to.deep.equal(new Set([`localhost:${port}`]))
  })

  it('works with internal endpoints alone, without metadata; then the algorithm is an option', async () => {
    const endpoints = {
      issuer: server.issuer,
      authorization: `${server.issuer}/auth`,
      token: `${internal}/token`,
      userinfo: `${internal}/me`,
      jwks_endpoint: `${internal}/jwks`,
    }
    expect(await signIn(endpoints)).to.equal('ada')
    const symmetric = { ...endpoints, clientId: 'symmetric', clientSecret: 's'.repeat(32) }
    await failure(signIn(symmetric), 'CallbackRouteError', /id_token_signed_response_alg/)
    expect(await signIn({ ...symmetric, client: { id_token_signed_response_alg: 'HS256' } })).to.equal('ada')
  })

  it('needs allowInsecureHttp for a plain name that is not of this machine, and the start says so', async () => {
    const names = {
      issuer: server.issuer,
      wellKnown: metadataAt('http://idp.internal'),
      authorization: `${server.issuer}/auth`,
    }
    expect(() => configured(names)).to.throw(/wellKnown is http:\/\/idp\.internal.*set allowInsecureHttp: true/)
    const token = 'http://idp.internal/token'
    const jwks_endpoint = 'http://idp.internal/jwks'
    expect(await signIn({ ...names, token, jwks_endpoint, allowInsecureHttp: true })).to.equal('ada')
    expect(called.filter((each) => each.startsWith('idp.internal'))).to.have.length.greaterThan(2)
  })

  it('is named by both in the message if the internal name is the issuer', async () => {
    const provider = configured({ issuer: internal })
    const error = await failure(new OAuthDriver().start(provider, new CookieJar()), 'OAuthSignInError')
    expect(error.message)
      .to.include(`is of the issuer "${server.issuer}", configured is "${internal}"`)
      .and.include(`set issuer to it, and wellKnown: "${metadataAt(internal)}"`)
  })

  it('gives no such advice for another issuer of the same host', async () => {
    const provider = configured({ issuer: `${server.issuer}/another`, wellKnown: metadataAt(internal) })
    const error = await failure(new OAuthDriver().start(provider, new CookieJar()), 'OAuthSignInError')
    expect(error.message).to.match(/letter by letter\.$/)
  })
})
