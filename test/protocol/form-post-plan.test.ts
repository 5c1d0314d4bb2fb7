import { FakeProvider } from '../support/fake-provider.js'
import { CookieJar, failure } from '../support/oauth-driver.js'
import { basicModules, RelyingParty } from '../support/oidc-basic-modules.js'

const formPost = { authorization: { params: { response_mode: 'form_post' } } }

describe('oidcc-client-formpost-basic-certification-test-plan', () => {
  let fake: FakeProvider
  before(async () => {
    fake = await FakeProvider.start()
  })
  after(() => fake.stop())

  basicModules(() => fake, formPost)

  it('oidcc-client-test-form-post-error: an error that comes by form_post reaches the visitor (OIDC-22)', async () => {
    const { driver, provider } = new RelyingParty(fake, formPost)
    const jar = new CookieJar()
    const url = await driver.start(provider, jar)
    const params = new URLSearchParams({
      error: 'access_denied',
      state: url.searchParams.get('state') ?? '',
      iss: fake.issuer,
    })
    await failure(driver.finish(provider, jar, params), 'OAuthCallbackError', /"access_denied"/)
  })
})
