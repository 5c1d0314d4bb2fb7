import type { webcrypto } from 'node:crypto'
import { expect } from 'chai'
import { exportJWK, generateKeyPair, importJWK } from 'jose'
import type { OIDCConfig } from '../../lib/providers/provider.js'
import { CookieJar, identityOf, OAuthDriver, resolved } from '../support/oauth-driver.js'
import { type RealOidcProvider, startOidcProvider } from '../support/oidc-provider.js'

const MOUNT = 'https://app.example/auth'
const SECRET = 'a secret: with/characters+that need%encoding&in=basic'

describe('a sign-in with a certified OpenID provider over HTTP', function () {
  this.timeout(120_000)
  let server: RealOidcProvider
  let strict: RealOidcProvider
  let privateJwk: Awaited<ReturnType<typeof exportJWK>>

  before(async () => {
    const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true })
    privateJwk = await exportJWK(privateKey)
    const client = (id: string, more: object) => ({
      client_id: id,
      redirect_uris: [`${MOUNT}/callback/${id}`],
      ...more,
    })
    server = await startOidcProvider({
      configuration: { enabledJWA: { clientAuthSigningAlgValues: ['HS256', 'ES256', 'RS256'] } },
      clients: [
        client('basic', { client_secret: SECRET }),
        client('post', { client_secret: SECRET, token_endpoint_auth_method: 'client_secret_post' }),
        client('secret-jwt', { client_secret: SECRET, token_endpoint_auth_method: 'client_secret_jwt' }),
        client('key-jwt', {
          token_endpoint_auth_method: 'private_key_jwt',
          token_endpoint_auth_signing_alg: 'ES256',
          jwks: { keys: [{ ...(await exportJWK(publicKey)), kid: 'of-the-client' }] },
        }),
        client('public', { token_endpoint_auth_method: 'none' }),
        client('form', { client_secret: SECRET }),
        client('userinfo', { client_secret: SECRET }),
      ],
    })
    strict = await startOidcProvider({
      configuration: {
        features: { pushedAuthorizationRequests: { enabled: true, requirePushedAuthorizationRequests: true } },
      },
      clients: [client('pushed', { client_secret: SECRET })],
    })
  })
  after(() => Promise.all([server.stop(), strict.stop()]))

  const configured = (id: string, more: Partial<OIDCConfig<unknown>> = {}, issuer = server.issuer) =>
    resolved({
      id,
      name: id,
      type: 'oidc',
      issuer,
      clientId: id,
      clientSecret: SECRET,
      checks: ['pkce', 'state', 'nonce'],
      ...more,
    })

  const signIn = async (provider: ReturnType<typeof configured>, at = server, login = 'ada') => {
    const driver = new OAuthDriver({ mountUrl: MOUNT })
    const jar = new CookieJar()
    const url = await driver.start(provider, jar)
    const answer = await at.authorize(url.href, login)
    return { url, answer, jar, identity: identityOf(await driver.finish(provider, jar, answer.params)) }
  }

  for (const [id, method] of [
    ['basic', undefined],
    ['post', 'client_secret_post'],
    ['secret-jwt', 'client_secret_jwt'],
    ['public', 'none'],
  ] as const) {
    it(`authenticates the client by ${method ?? 'client_secret_basic, form-encoded, when nothing is configured'}`, async () => {
      const { identity } = await signIn(
        configured(id, method ? { client: { token_endpoint_auth_method: method } } : {}),
      )
      expect(identity.account).to.include({ provider: id, providerAccountId: 'ada' })
      expect(identity.user).to.include({ name: 'Person ada', email: 'ada@example.com' })
    })
  }

  it('authenticates the client by private_key_jwt', async () => {
    const { identity } = await signIn(
      configured('key-jwt', {
        clientSecret: undefined,
        client: { token_endpoint_auth_method: 'private_key_jwt' },
        token: { clientPrivateKey: privateJwk },
      }),
    )
    expect(identity.account.providerAccountId).to.equal('ada')
  })

  it('authenticates by a CryptoKey, with a key id, just as well', async () => {
    const key = (await importJWK(privateJwk, 'ES256')) as webcrypto.CryptoKey
    for (const clientPrivateKey of [key, { key, kid: 'of-the-client' }, { key: privateJwk, kid: 'of-the-client' }]) {
      const client = { token_endpoint_auth_method: 'private_key_jwt' }
      await signIn(configured('key-jwt', { clientSecret: undefined, client, token: { clientPrivateKey } }))
    }
  })

  it('OIDC-22: takes an answer by form_post, with cookies that travel with a cross-site POST', async () => {
    const { answer, jar, identity } = await signIn(
      configured('form', { authorization: { params: { response_mode: 'form_post' } } }),
    )
    expect(answer.method).to.equal('POST')
    expect(identity.account.providerAccountId).to.equal('ada')
    expect(jar.changes).to.have.length(6)
    for (const { options } of jar.changes)
      expect(options).to.include({ sameSite: 'none', secure: true, httpOnly: true })
  })

  it('pushes the authorization request where the metadata demands it', async () => {
    const { url, identity } = await signIn(configured('pushed', {}, strict.issuer), strict)
    expect([...url.searchParams.keys()].sort()).to.deep.equal(['client_id', 'request_uri'])
    expect(identity.account.providerAccountId).to.equal('ada')
  })

  it('takes the profile from userinfo when idToken is false', async () => {
    const { identity } = await signIn(configured('userinfo', { idToken: false }))
    expect(identity.profile).to.deep.equal({
      sub: 'ada',
      name: 'Person ada',
      email: 'ada@example.com',
      email_verified: true,
    })
    expect(identity.account.id_token).to.be.a('string')
  })
})
