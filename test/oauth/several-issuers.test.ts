import { expect } from 'chai'
import { FakeProvider, fakeKey } from '../support/fake-provider.js'
import { CookieJar, failure, OAuthDriver, resolved } from '../support/oauth-driver.js'

describe('two issuers at once', () => {
  let acme: FakeProvider
  let evil: FakeProvider
  before(async () => {
    acme = await FakeProvider.start()
    evil = await FakeProvider.start()
    acme.keys = [await fakeKey('key-1')]
    evil.keys = [await fakeKey('key-2')]
  })
  after(() => Promise.all([acme.stop(), evil.stop()]))
  beforeEach(() => {
    acme.reset()
    evil.reset()
  })
  const entry = (id: string, fake: FakeProvider, clientId = 'client') =>
    resolved({
      id,
      name: id,
      type: 'oidc',
      issuer: fake.issuer,
      clientId,
      clientSecret: `of-${id}`,
      checks: ['pkce', 'state', 'nonce'],
    })

  it('sign in side by side, each with its own metadata, keys and client', async () => {
    const driver = new OAuthDriver()
    const jar = new CookieJar()
    const [one, two] = [entry('acme', acme), entry('evil', evil)]
    const [first, second] = [await driver.start(one, jar), await driver.start(two, jar)]
    await driver.finish(two, jar, evil.authorize(second.href))
    await driver.finish(one, jar, acme.authorize(first.href))
    expect(acme.callsTo('/token')).to.have.length(1)
    expect(evil.callsTo('/token')).to.have.length(1)
  })

  it('may be two entries for one issuer, with two clients; a code of one is worthless at the other', async () => {
    const driver = new OAuthDriver()
    const jar = new CookieJar()
    const [staff, guests] = [entry('staff', acme, 'staff-client'), entry('guests', acme, 'guest-client')]
    const answer = acme.authorize((await driver.start(staff, jar)).href)
    await driver.start(guests, jar)
    await failure(driver.finish(guests, jar, answer), 'InvalidCheck')
    expect(acme.callsTo('/token')).to.have.length(0)
  })

  it('OAUTH-05: cannot be mixed up: an answer of one at the callback of the other never gets its code to the other', async () => {
    // RFC 9207 §1: the dishonest provider sends the browser on to the honest one, whose answer then comes to its callback.
    const driver = new OAuthDriver()
    const jar = new CookieJar()
    const url = await driver.start(entry('evil', evil), jar)
    const redirected = new URL(url.href)
    redirected.host = new URL(acme.issuer).host
    const answer = acme.authorize(redirected.href)
    await failure(driver.finish(entry('evil', evil), jar, answer), 'OAuthCallbackError', /another issuer/)
    expect(evil.callsTo('/token'), 'the code did not reach the dishonest provider').to.have.length(0)
  })

  it('cannot sign for each other', async () => {
    const driver = new OAuthDriver()
    const jar = new CookieJar()
    const provider = entry('acme', acme)
    const answer = acme.authorize((await driver.start(provider, jar)).href)
    const honest = acme.keys
    acme.faults.jwks = () => ({ body: { keys: honest.map(({ jwk }) => jwk) } })
    acme.keys = evil.keys
    try {
      await failure(driver.finish(provider, jar, answer), 'CallbackRouteError', /ID token is refused/)
    } finally {
      acme.keys = honest
    }
  })
})
