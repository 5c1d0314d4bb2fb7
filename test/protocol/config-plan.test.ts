import { expect } from 'chai'
import { FakeProvider, fakeKey, signWith } from '../support/fake-provider.js'
import { CookieJar, failure, identityOf, OAuthDriver, resolved } from '../support/oauth-driver.js'
import { RelyingParty } from '../support/oidc-basic-modules.js'
import { startOidcProvider } from '../support/oidc-provider.js'
import { later } from '../support/timers.js'

describe('oidcc-client-config-certification-test-plan', () => {
  let fake: FakeProvider
  before(async () => {
    fake = await FakeProvider.start()
  })
  after(() => fake.stop())
  beforeEach(async () => {
    fake.reset()
    fake.keys = [await fakeKey('key-1')]
  })

  it('oidcc-client-test-discovery-openid-config: learns all endpoints from the metadata', async () => {
    const server = await startOidcProvider({
      clients: [
        { client_id: 'client', client_secret: 'secret', redirect_uris: ['https://app.example/auth/callback/op'] },
      ],
    })
    try {
      const provider = resolved({
        id: 'op',
        name: 'OP',
        type: 'oidc',
        issuer: server.issuer,
        clientId: 'client',
        clientSecret: 'secret',
      })
      const driver = new OAuthDriver()
      const jar = new CookieJar()
      const url = await driver.start(provider, jar)
      const { params } = await server.authorize(url.href, 'grace')
      expect(identityOf(await driver.finish(provider, jar, params)).account.providerAccountId).to.equal('grace')
    } finally {
      await server.stop()
    }
  })

  it('oidcc-client-test-discovery-jwks-uri-keys: verifies with the keys at jwks_uri', async () => {
    await new RelyingParty(fake).accepts()
    expect(fake.callsTo('/jwks')).to.have.length(1)
  })

  it('oidcc-client-test-discovery-issuer-mismatch: refuses metadata of another issuer (OIDC-01)', async () => {
    fake.faults.metadata = (document) => ({ ...document, issuer: 'https://other.example' })
    const { driver, provider } = new RelyingParty(fake)
    await failure(
      driver.start(provider, new CookieJar()),
      'OAuthSignInError',
      /metadata is of the issuer "https:\/\/other\.example"/,
    )
  })

  it('oidcc-client-test-signing-key-rotation: a second sign-in with a new key succeeds', async () => {
    const party = new RelyingParty(fake)
    await party.accepts()
    fake.keys = [await fakeKey('key-2')]
    await later(1100, () => party.accepts())
    expect(fake.callsTo('/jwks')).to.have.length(2)
  })

  it('oidcc-client-test-signing-key-rotation-just-before-signing: a key changed after the fetch, under the same id', async () => {
    const party = new RelyingParty(fake)
    await party.accepts()
    const before = await fakeKey('key-1')
    const after = await fakeKey('key-2')
    fake.faults.jwks = () => ({ body: { keys: [{ ...after.jwk, kid: before.jwk.kid }] } })
    fake.faults.idToken = async (claims) => signWith({ ...after, jwk: before.jwk }, claims)
    await later(1100, () => party.accepts())
  })

  it('oidcc-client-test-idtoken-sig-none: refuses an unsigned token', async () => {
    const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
    fake.faults.idToken = (claims) => `${part({ alg: 'none' })}.${part(claims)}.`
    await new RelyingParty(fake).refuses(/refused/)
  })
})
