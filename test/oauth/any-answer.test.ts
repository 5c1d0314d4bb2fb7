import { expect } from 'chai'
import fc from 'fast-check'
import { AuthError } from '../../lib/kernel/errors.js'
import { FakeProvider } from '../support/fake-provider.js'
import { CookieJar, OAuthDriver, resolved } from '../support/oauth-driver.js'

describe('whatever comes back', () => {
  let fake: FakeProvider
  before(async () => {
    fake = await FakeProvider.start()
  })
  after(() => fake.stop())

  const names = fc.oneof(
    fc.constantFrom('code', 'state', 'iss', 'error', 'response', 'id_token', 'token', 'error_description'),
    fc.string(),
  )
  const texts = fc.oneof(
    fc.string(),
    fc.constantFrom('', '\0', '%', 'null', '__proto__', 'x'.repeat(10_000)),
    fc.string({ unit: 'binary' }),
  )
  const cookieNames = fc.tuple(
    fc.constantFrom('__Host-authjs.state', '__Host-authjs.pkce.code_verifier', '__Host-authjs.nonce'),
    fc.constantFrom('.abcdefgh', '.', '', '.0', '.abcdefghi'),
  )

  for (const checks of [['pkce', 'state', 'nonce'], ['pkce'], ['none']] as const) {
    it(`signs nobody in by made-up parameters and cookies, with the checks ${checks.join(', ')}`, async () => {
      fake.reset()
      const provider = resolved({
        id: 'fake',
        name: 'Fake',
        type: 'oidc',
        issuer: fake.issuer,
        clientId: 'client',
        clientSecret: 'secret',
        checks: [...checks],
      })
      const driver = new OAuthDriver()
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.tuple(names, texts), { maxLength: 6 }),
          fc.array(fc.tuple(cookieNames, texts), { maxLength: 6 }),
          async (params, cookies) => {
            const jar = new CookieJar()
            for (const [[name, suffix], value] of cookies) jar.cookies.set(name + suffix, value)
            const error = await driver.finish(provider, jar, new URLSearchParams(params)).then(
              () => null,
              (thrown: unknown) => thrown,
            )
            expect(error).to.be.instanceOf(AuthError)
          },
        ),
        { numRuns: 150 },
      )
      if (!checks.includes('none' as never)) expect(fake.callsTo('/token')).to.deep.equal([])
    })
  }
})
