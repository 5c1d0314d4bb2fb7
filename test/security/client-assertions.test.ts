import { expect } from 'chai'
import {
  createLocalJWKSet,
  decodeJwt,
  decodeProtectedHeader,
  exportJWK,
  generateKeyPair,
  type JWK,
  jwtVerify,
} from 'jose'
import OryHydra from '../../lib/providers/catalogue/ory-hydra.js'
import type { OIDCConfig } from '../../lib/providers/provider.js'
import { FakeProvider } from '../support/fake-provider.js'
import { CookieJar, failure, identityOf, OAuthDriver, resolved } from '../support/oauth-driver.js'
import { startOidcProvider } from '../support/oidc-provider.js'

const SECRET = 'a-secret-that-is-long-enough-for-every-algorithm-0123456789-0123456789'

/** An assertion is a password for some seconds, so it must be of no use at any other server than the one it is for. */
describe('OAUTH-11: an assertion of the client', () => {
  let honest: FakeProvider
  let dishonest: FakeProvider
  let key: JWK
  let publicKey: JWK
  before(async () => {
    honest = await FakeProvider.start()
    dishonest = await FakeProvider.start()
    const pair = await generateKeyPair('ES256', { extractable: true })
    key = await exportJWK(pair.privateKey)
    publicKey = { ...(await exportJWK(pair.publicKey)), alg: 'ES256' }
  })
  beforeEach(() => {
    for (const fake of [honest, dishonest]) fake.reset()
  })
  after(() => Promise.all([honest.stop(), dishonest.stop()]))

  const methods: Record<string, () => object> = {
    private_key_jwt: () => ({ clientSecret: undefined, token: { clientPrivateKey: key } }),
    client_secret_jwt: () => ({ clientSecret: SECRET }),
  }
  const entry = (fake: FakeProvider, method: string, more: object = {}) =>
    resolved({
      id: 'acme',
      name: 'Acme',
      type: 'oidc',
      issuer: fake.issuer,
      clientId: 'client',
      client: { token_endpoint_auth_method: method, ...(more as { client?: object }).client },
      ...methods[method]?.(),
      ...Object.fromEntries(Object.entries(more).filter(([name]) => name !== 'client')),
    } as OIDCConfig<unknown>)
  const signIn = async (fake: FakeProvider, provider: ReturnType<typeof entry>) => {
    const driver = new OAuthDriver()
    const jar = new CookieJar()
    const answer = fake.authorize((await driver.start(provider, jar)).href)
    return driver.finish(provider, jar, answer)
  }
  const assertionAt = (fake: FakeProvider) => fake.callsTo('/token').at(-1)?.body.get('client_assertion') ?? ''

  for (const method of Object.keys(methods)) {
    describe(method, () => {
      it('is for the issuer alone by default', async () => {
        identityOf(await signIn(honest, entry(honest, method)))
        expect(decodeJwt(assertionAt(honest)).aud).to.equal(honest.issuer)
      })

      it('is for the token endpoint, too, where that is configured', async () => {
        identityOf(await signIn(honest, entry(honest, method, { clientAssertionAudience: 'token_endpoint' })))
        expect(decodeJwt(assertionAt(honest)).aud).to.deep.equal([honest.issuer, `${honest.issuer}/token`])
      })

      it('is not made for a server that names the token endpoint of another one as its own', async () => {
        const provider = entry(dishonest, method, { clientAssertionAudience: 'token_endpoint' })
        // It would get the assertion at its own endpoint for pushed requests (audience injection).
        dishonest.faults.metadata = (document) => ({
          ...document,
          token_endpoint: `${honest.issuer}/token`,
          require_pushed_authorization_requests: true,
          pushed_authorization_request_endpoint: `${dishonest.issuer}/par`,
        })
        await failure(signIn(dishonest, provider), 'OAuthSignInError', /not of the origin of the issuer/)
        for (const fake of [honest, dishonest])
          expect(fake.calls.filter(({ body }) => body.has('client_assertion'))).to.deep.equal([])
      })

      it('is made for a token endpoint on another origin that the application has configured', async () => {
        const token = `${honest.issuer}/token`
        const other = entry(honest, method, {
          clientAssertionAudience: 'token_endpoint',
          token: { url: token, ...(methods[method]?.() as { token?: object } | undefined)?.token },
        })
        identityOf(await signIn(honest, other))
        expect(decodeJwt(assertionAt(honest)).aud).to.deep.equal([honest.issuer, token])
      })
    })
  }

  const endpoints = ['pushed_authorization_request_endpoint', 'revocation_endpoint'] as const
  for (const endpoint of endpoints)
    for (const isConfigured of [true, false]) {
      const which = isConfigured ? 'configured' : 'announced'
      it(`for the ${which} token endpoint of one origin does not go to a ${endpoint} of another one`, async () => {
        const url = `${honest.issuer}/token`
        const provider = entry(isConfigured ? dishonest : honest, 'private_key_jwt', {
          clientAssertionAudience: 'token_endpoint',
          pushedAuthorizationRequests: endpoint === endpoints[0],
          token: { ...(isConfigured && { url }), clientPrivateKey: key },
        })
        const announcing = isConfigured ? dishonest : honest
        announcing.faults.metadata = (document) => ({ ...document, [endpoint]: `${dishonest.issuer}/endpoint` })
        const driver = new OAuthDriver()
        if (endpoint === endpoints[0])
          await failure(
            driver.start(provider, new CookieJar()),
            'OAuthSignInError',
            /is not the host of the token endpoint/,
          )
        else {
          const revoked = driver.flowOf(provider).tokenCalls.revoke([{ token: 'token', kind: 'refresh' }])
          expect(String(await revoked.catch((error: unknown) => error))).to.include(
            'is not the host of the token endpoint',
          )
        }
        expect(dishonest.calls.filter(({ body }) => body.has('client_assertion'))).to.deep.equal([])
      })
    }

  it('needs an issuer that no metadata choose: without it, the start fails', () => {
    const oauth = { type: 'oauth', issuer: undefined, profile: () => ({ id: '1' }) }
    const wellKnown = `${dishonest.issuer}/.well-known/openid-configuration`
    const urls = { authorization: `${honest.issuer}/authorize`, userinfo: `${honest.issuer}/userinfo` }
    const url = `${honest.issuer}/token`
    for (const method of Object.keys(methods)) {
      const { token } = { token: {}, ...methods[method]?.() }
      const incomplete = [
        { ...oauth, wellKnown },
        { ...oauth, wellKnown, clientAssertionAudience: 'token_endpoint' },
        { ...oauth, ...urls, token: { ...token, url } },
      ]
      for (const more of incomplete)
        expect(() => entry(dishonest, method, more)).to.throw(/_jwt needs an issuer.*Set issuer/)
      entry(dishonest, method, { ...oauth, wellKnown, issuer: dishonest.issuer })
      entry(dishonest, method, {
        ...oauth,
        wellKnown,
        clientAssertionAudience: 'token_endpoint',
        token: { ...token, url },
      })
      entry(dishonest, method, { issuer: undefined, wellKnown })
    }
  })

  it('of one server is refused by another that knows the same key', async () => {
    for (const clientAssertionAudience of ['issuer', 'token_endpoint']) {
      identityOf(await signIn(dishonest, entry(dishonest, 'private_key_jwt', { clientAssertionAudience })))
      const assertion = assertionAt(dishonest)
      const keys = createLocalJWKSet({ keys: [publicKey] })
      for (const audience of [honest.issuer, `${honest.issuer}/token`]) {
        const used = await jwtVerify(assertion, keys, { audience }).catch(({ claim }) => claim)
        expect(used, audience).to.equal('aud')
      }
      const own = clientAssertionAudience === 'issuer' ? dishonest.issuer : `${dishonest.issuer}/token`
      await jwtVerify(assertion, keys, { audience: own })
    }
  })

  for (const alg of ['HS256', 'HS384', 'HS512']) {
    it(`client_secret_jwt is signed with ${alg} where that is configured`, async () => {
      const client = { token_endpoint_auth_signing_alg: alg }
      identityOf(await signIn(honest, entry(honest, 'client_secret_jwt', { client })))
      const assertion = assertionAt(honest)
      expect(decodeProtectedHeader(assertion)).to.deep.equal({ alg })
      const { payload } = await jwtVerify(assertion, new TextEncoder().encode(SECRET), { algorithms: [alg] })
      expect(payload).to.include({ iss: 'client', sub: 'client', aud: honest.issuer })
      expect(payload.jti).to.be.a('string')
      expect((payload.exp ?? 0) - (payload.iat ?? 0)).to.be.at.most(60)
    })
  }

  it('client_secret_jwt with HS512 is accepted by a certified OpenID provider', async () => {
    const server = await startOidcProvider({
      configuration: {
        clientAuthMethods: ['client_secret_jwt'],
        enabledJWA: { clientAuthSigningAlgValues: ['HS512'] },
      },
      clients: [
        {
          client_id: 'client',
          client_secret: SECRET,
          redirect_uris: ['https://app.example/auth/callback/acme'],
          token_endpoint_auth_method: 'client_secret_jwt',
          token_endpoint_auth_signing_alg: 'HS512',
        },
      ],
    })
    try {
      const client = { token_endpoint_auth_signing_alg: 'HS512' }
      const provider = entry({ issuer: server.issuer } as FakeProvider, 'client_secret_jwt', { client })
      const driver = new OAuthDriver()
      const jar = new CookieJar()
      const { params } = await server.authorize((await driver.start(provider, jar)).href)
      identityOf(await driver.finish(provider, jar, params))
    } finally {
      await server.stop()
    }
  })

  it('client_secret_jwt with an algorithm that no secret has is refused at the start', () => {
    for (const token_endpoint_auth_signing_alg of ['RS256', 'none', 'HS1'])
      expect(() => entry(honest, 'client_secret_jwt', { client: { token_endpoint_auth_signing_alg } })).to.throw(
        /token_endpoint_auth_signing_alg is .* client_secret_jwt has HS256, HS384, HS512/,
      )
  })

  it('is for the token endpoint, too, with the entry of Ory Hydra, which takes no other', async () => {
    const provider = resolved(
      OryHydra({
        issuer: honest.issuer,
        clientId: 'client',
        client: { token_endpoint_auth_method: 'private_key_jwt' },
        token: { clientPrivateKey: key as never },
      }),
    )
    identityOf(await signIn(honest, provider))
    expect(decodeJwt(assertionAt(honest)).aud).to.deep.equal([honest.issuer, `${honest.issuer}/token`])
  })
})
