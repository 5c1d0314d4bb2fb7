import { expect } from 'chai'
import { decodeJwt, exportJWK, generateKeyPair } from 'jose'
import type { OIDCConfig } from '../../lib/providers/provider.js'
import { FakeProvider } from '../support/fake-provider.js'
import { CookieJar, OAuthDriver, resolved } from '../support/oauth-driver.js'

describe('authorization requests of one provider after another', () => {
  let fake: FakeProvider
  before(async () => {
    fake = await FakeProvider.start()
  })
  after(() => fake.stop())

  const provider = (more: Partial<OIDCConfig<object>>) =>
    resolved({
      id: 'fake',
      name: 'Fake',
      type: 'oidc',
      issuer: fake.issuer,
      clientId: 'client',
      clientSecret: 'secret',
      ...more,
    })

  it('are signed with the time of the present, also when the clock was changed', async () => {
    const { privateKey } = await generateKeyPair('ES256', { extractable: true })
    const signed = provider({ requestObjects: { signingKey: { ...(await exportJWK(privateKey)), alg: 'ES256' } } })
    let time = Date.now()
    const driver = new OAuthDriver({ now: () => time })
    const issuedAt = async () => {
      const url = await driver.start(signed, new CookieJar())
      return Number(decodeJwt(url.searchParams.get('request') ?? '').iat)
    }
    expect(await issuedAt()).to.be.closeTo(time / 1000, 5)
    time += 20 * 60 * 1000
    expect(await issuedAt()).to.be.closeTo(time / 1000, 5)
  })

  it('each have the parameters of the configured URL, and values of their own', async () => {
    const authorization = `${fake.issuer}/authorize?audience=api`
    const driver = new OAuthDriver()
    const configured = provider({ authorization })
    const [first, second] = [
      await driver.start(configured, new CookieJar()),
      await driver.start(configured, new CookieJar()),
    ]
    for (const url of [first, second]) expect(url.searchParams.getAll('audience')).to.deep.equal(['api'])
    expect(second.searchParams.getAll('state')).to.have.length(1)
    expect(second.searchParams.get('state')).to.not.equal(first.searchParams.get('state'))
    expect(second.searchParams.get('code_challenge')).to.not.equal(first.searchParams.get('code_challenge'))
  })
})
