import { expect } from 'chai'
import { exportJWK, generateKeyPair } from 'jose'
import { customFetch } from 'openid-client'
import { giveBack, takeExchangeClient } from '../../lib/oauth/client.js'
import type { OIDCConfig } from '../../lib/providers/provider.js'
import { FakeProvider } from '../support/fake-provider.js'
import { CookieJar, identityOf, OAuthDriver, resolved } from '../support/oauth-driver.js'

describe('code exchanges of one provider after another', () => {
  let fake: FakeProvider
  before(async () => {
    fake = await FakeProvider.start()
  })
  after(() => fake.stop())
  beforeEach(() => fake.reset())

  const provider = (more: Partial<OIDCConfig<object>> = {}) =>
    resolved({
      id: 'fake',
      name: 'Fake',
      type: 'oidc',
      issuer: fake.issuer,
      clientId: 'client',
      clientSecret: 'secret',
      ...more,
    })
  const signIn = async (driver: OAuthDriver, configured: ReturnType<typeof provider>) => {
    const jar = new CookieJar()
    const params = fake.authorize((await driver.start(configured, jar)).href)
    const { account } = identityOf(await driver.finish(configured, jar, params))
    return { code: params.get('code') ?? '', account }
  }

  it('give each person their own answer, also at the same time and when each call is repeated', async () => {
    const { privateKey } = await generateKeyPair('ES256', { extractable: true })
    const bound = provider({ dpop: { key: { ...(await exportJWK(privateKey)), alg: 'ES256' } } })
    const refused = new Set<string>()
    fake.faults.token = (answer, { body }) => {
      const code = body.get('code') ?? ''
      if (refused.has(code))
        return { body: { ...answer, token_type: 'DPoP', access_token: `token-${code}`, [code]: 1 } }
      refused.add(code)
      return { status: 400, headers: { 'dpop-nonce': `nonce-${code}` }, body: { error: 'use_dpop_nonce' } }
    }
    const driver = new OAuthDriver()
    // The clients of the first three are kept for the next.
    for (let round = 0; round < 3; round += 1) {
      const signedIn = await Promise.all(Array.from({ length: 3 }, () => signIn(driver, bound)))
      for (const { code, account } of signedIn) {
        expect(account.access_token).to.equal(`token-${code}`)
        expect(Object.keys(account).filter((name) => name.startsWith('code-'))).to.deep.equal([code])
      }
    }
    expect(refused.size).to.equal(9)
  })

  it('have a client for themselves, which makes no call between two exchanges', async () => {
    const metadata = { issuer: fake.issuer, server: { issuer: fake.issuer }, isDiscovered: true }
    const take = () => takeExchangeClient({ provider: provider(), metadata, fetch, now: Date.now })
    const [first, second] = [await take(), await take()]
    expect(second.configuration).not.to.equal(first.configuration)
    giveBack(first, metadata)
    const between = await first.configuration[customFetch]?.(fake.issuer, {} as never).catch(String)
    expect(between).to.equal('Error: No code exchange has this client.')
    const again = await take()
    expect(again.configuration).to.equal(first.configuration)
    expect(again.configuration[customFetch]).to.equal(fetch)
    expect((await take()).configuration).not.to.equal(first.configuration)
  })

  it('check the ID token by the time of the present, also when the clock was changed', async () => {
    let time = Date.now()
    const configured = provider()
    const driver = new OAuthDriver({ now: () => time })
    fake.faults.claims = (claims) => ({ ...claims, iat: Math.floor(time / 1000), exp: Math.floor(time / 1000) + 300 })
    await signIn(driver, configured)
    time -= 20 * 60 * 1000
    await signIn(driver, configured)
  })
})
