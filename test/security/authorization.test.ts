import { expect } from 'chai'
import { memoryAdapter } from '../../lib/adapters/memory.js'
import type { Provider } from '../../lib/index.js'
import { FakeProvider } from '../support/fake-provider.js'
import { Clock, openTestApp, type TestBrowser } from '../support/test-app.js'

describe('an authorization request and its answer, over HTTP', () => {
  let acme: FakeProvider
  let other: FakeProvider
  before(async () => {
    acme = await FakeProvider.start()
    other = await FakeProvider.start()
  })
  after(() => Promise.all([acme.stop(), other.stop()]))

  const entry = (id: string, { issuer }: FakeProvider): Provider => ({
    id,
    name: id,
    type: 'oidc',
    issuer,
    clientId: 'client',
    clientSecret: 'secret',
    checks: ['pkce', 'state', 'nonce'],
  })
  const open = () => {
    const adapter = memoryAdapter()
    const providers = [entry('acme', acme), entry('other', other)]
    const clock = new Clock(Date.now())
    return { adapter, app: openTestApp({ adapter, session: { strategy: 'jwt' }, providers }, { clock }) }
  }
  const begin = async (browser: TestBrowser, provider: string) => {
    const { location } = await browser.post(`/auth/signin/${provider}`, { csrfToken: await browser.csrfToken() })
    return new URL(location ?? '')
  }
  const signIn = async (browser: TestBrowser, provider: string, fake: FakeProvider) =>
    browser.get(`/auth/callback/${provider}?${fake.authorize((await begin(browser, provider)).href)}`)

  it('OIDC-18: one `sub` at two issuers is two people, and a new `sub` with a known address is nobody who is known', async () => {
    const { adapter, app } = open()
    acme.profile = { sub: 'person-1', name: 'Ada', email: 'ada@example.com', email_verified: true }
    other.profile = { sub: 'person-1', name: 'Eve', email: 'eve@example.com', email_verified: true }
    const ada = app.browser()
    await signIn(ada, 'acme', acme)
    const eve = app.browser()
    await signIn(eve, 'other', other)
    expect((await ada.session())?.user?.name).to.equal('Ada')
    expect((await eve.session())?.user?.name).to.equal('Eve')

    other.profile = { sub: 'person-2', name: 'Mallory', email: 'ada@example.com', email_verified: true }
    const mallory = app.browser()
    await signIn(mallory, 'other', other)
    expect(await mallory.session()).to.equal(null)
    const account = { provider: 'other', providerAccountId: 'person-2' }
    expect(await adapter.getUserByAccount?.(account)).to.equal(null)
  })

  it('OAUTH-06: each provider has a redirect URI of its own', async () => {
    const browser = open().app.browser()
    const uris = await Promise.all(
      ['acme', 'other'].map(async (id) => (await begin(browser, id)).searchParams.get('redirect_uri')),
    )
    expect(uris).to.deep.equal(['http://app.example/auth/callback/acme', 'http://app.example/auth/callback/other'])
  })

  it('OIDC-22: an answer by form_post is refused where it is not configured, and the sign-in stays open', async () => {
    acme.profile = { sub: 'person-1', name: 'Ada', email: 'ada@example.com', email_verified: true }
    const browser = open().app.browser()
    const params = acme.authorize((await begin(browser, 'acme')).href)
    const calls = acme.callsTo('/token').length
    const refused = await browser.post('/auth/callback/acme', Object.fromEntries(params))
    expect(refused.status).to.equal(405)
    expect(acme.callsTo('/token')).to.have.length(calls)
    expect(await browser.session()).to.equal(null)
    await browser.get(`/auth/callback/acme?${params}`)
    expect((await browser.session())?.user?.name).to.equal('Ada')
  })
})
