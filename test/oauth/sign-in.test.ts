import { expect } from 'chai'
import { FakeProvider } from '../support/fake-provider.js'
import { CookieJar, identityOf, OAuthDriver, resolved } from '../support/oauth-driver.js'

describe('a sign-in', () => {
  let fake: FakeProvider
  before(async () => {
    fake = await FakeProvider.start()
  })
  after(() => fake.stop())
  beforeEach(() => fake.reset())

  it('gives the person, the account with all tokens, and the profile', async () => {
    const provider = resolved({
      id: 'fake',
      name: 'Fake',
      type: 'oidc',
      issuer: fake.issuer,
      clientId: 'client',
      clientSecret: 'secret',
      checks: ['pkce', 'state', 'nonce'],
    })
    const driver = new OAuthDriver()
    const jar = new CookieJar()
    const url = await driver.start(provider, jar, {}, 'https://app.example/wanted')
    const outcome = await driver.finish(provider, jar, fake.authorize(url.href))
    const { user, account, profile } = identityOf(outcome)
    expect(user).to.include({ name: 'Ada', email: 'ada@example.com', image: 'https://img.example/ada.png' })
    expect(user.id).to.match(/^[0-9a-f-]{36}$/)
    expect(account).to.include({
      provider: 'fake',
      type: 'oidc',
      providerAccountId: 'person-1',
      access_token: 'marked-access-token',
      token_type: 'bearer',
    })
    expect(account.expires_at).to.be.closeTo(Date.now() / 1000 + 3600, 5)
    expect(profile).to.include({ sub: 'person-1', email: 'Ada@Example.com' })
    expect(outcome).to.have.property('returnTarget', 'https://app.example/wanted')
    expect(jar.cookies).to.have.property('size', 0)
  })
})
