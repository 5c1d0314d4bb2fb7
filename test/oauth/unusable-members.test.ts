import { expect } from 'chai'
import type { JWTPayload } from 'jose'
import { memoryAdapter } from '../../lib/adapters/memory.js'
import type { LoggerInstance } from '../../lib/kernel/logger.js'
import MicrosoftEntraID from '../../lib/providers/catalogue/microsoft-entra-id.js'
import { customFetch, type OIDCConfig, type User } from '../../lib/providers/provider.js'
import { FakeProvider } from '../support/fake-provider.js'
import { CookieJar, identityOf, OAuthDriver, quiet, resolved } from '../support/oauth-driver.js'
import { oauth } from '../support/sign-ins.js'
import { Clock, openTestApp } from '../support/test-app.js'

describe('a member of a profile that nothing could keep', () => {
  let fake: FakeProvider
  before(async () => {
    fake = await FakeProvider.start()
  })
  beforeEach(() => fake.reset())
  after(() => fake.stop())

  /** The user of a sign-in, and the warnings. */
  const signIn = async (claims: object, more: Partial<OIDCConfig<unknown>> = {}) => {
    const warnings: object[] = []
    const logger: LoggerInstance = { ...quiet, warn: (_code, fields) => void warnings.push(fields ?? {}) }
    fake.faults.claims = (usual) => ({ ...usual, ...claims }) as JWTPayload
    const entry = resolved({
      id: 'fake',
      name: 'Fake',
      type: 'oidc',
      issuer: fake.issuer,
      clientId: 'client',
      clientSecret: 'a-client-secret',
      ...more,
    })
    const driver = new OAuthDriver({ logger })
    const jar = new CookieJar()
    const url = await driver.start(entry, jar)
    const { user, account } = identityOf(await driver.finish(entry, jar, fake.authorize(url.href)))
    return { user, account, stored: entry.account(account) ?? {}, warnings }
  }
  const picture = (characters: number) => `data:image/jpeg;base64,${'A'.repeat(characters)}`

  for (const [what, claims, member] of [
    ['a picture of ten kilobytes', { picture: picture(10_000) }, 'image'],
    ['a picture of sixty kilobytes', { picture: picture(60_000) }, 'image'],
    ['a picture that is an object', { picture: { url: 'https://op.example/a.png' } }, 'image'],
    ['a name of sixty kilobytes', { name: 'x'.repeat(60_000) }, 'name'],
    ['a name of more than a column takes', { name: 'x'.repeat(256) }, 'name'],
    ['a name with a NUL', { name: 'Ada\0' }, 'name'],
    ['a name that is a list', { name: ['Ada'] }, 'name'],
    ['an address of sixty kilobytes', { email: `${'x'.repeat(60_000)}@example.com` }, 'email'],
    ['an address that is a list', { email: ['ada@example.com'] }, 'email'],
  ] as const) {
    it(`keeps nobody out, and is left out with a warning: ${what}`, async () => {
      const { user, warnings } = await signIn({ name: 'Ada', email: 'ada@example.com', ...claims })
      expect((user as unknown as Record<string, unknown>)[member] ?? null).to.equal(null)
      expect(warnings.map((fields) => (fields as { member?: string }).member)).to.deep.equal([member])
      expect(JSON.stringify(warnings)).to.have.length.below(300)
    })
  }

  it('is a number as text, and none for a blank text', async () => {
    const { user, warnings } = await signIn({ name: 42, email: '   ', picture: '' })
    expect(user).to.include({ name: '42', email: null, image: null })
    expect(warnings).to.deep.equal([])
  })

  it('may be of the application itself, and then as long as a column of a text', async () => {
    const profile = (claims: { sub?: string | null }): User =>
      ({ id: String(claims.sub), short: 'x'.repeat(60_000), long: 'x'.repeat(70_000), roles: ['a'] }) as User
    const { user, warnings } = await signIn({}, { profile } as Partial<OIDCConfig<unknown>>)
    expect(user).to.include.keys('short', 'roles').and.not.to.have.property('long')
    expect(warnings).to.have.length(1)
  })

  it('keeps its own limits: a picture and a name of usual length stay', async () => {
    const claims = { name: 'x'.repeat(255), picture: picture(2000) }
    const { user, warnings } = await signIn(claims)
    expect(user).to.include({ name: claims.name, image: claims.picture })
    expect(warnings).to.deep.equal([])
  })

  it('may be a token: an ID token of more than a column takes is not stored', async () => {
    const { stored, account } = await signIn({ groups: 'x'.repeat(70_000) })
    expect(account.id_token).to.be.a('string')
    expect(stored).to.include.keys('access_token').and.not.to.have.property('id_token')
  })

  it('does not end a session in a token, which has to fit into cookies', async () => {
    const app = openTestApp({ providers: [oauth(fake, 'oidc')] }, { clock: new Clock(Date.now()) })
    fake.faults.claims = (claims) => ({ ...claims, name: 'Ada', picture: picture(10_000) })
    const browser = app.browser()
    const started = await browser.post('/auth/signin/oidc', { csrfToken: await browser.csrfToken() })
    await browser.get(`/auth/callback/oidc?${fake.authorize(started.location ?? '')}`)
    expect((await browser.session())?.user).to.include({ name: 'Ada' })
  })

  it('makes no two people one in a store: two with a blank address are two users', async () => {
    const app = openTestApp(
      { providers: [oauth(fake, 'oidc')], adapter: memoryAdapter() },
      { clock: new Clock(Date.now()) },
    )
    for (const sub of ['1', '2']) {
      fake.faults.claims = (claims) => ({ ...claims, sub, name: sub, email: '   ' })
      const browser = app.browser()
      const started = await browser.post('/auth/signin/oidc', { csrfToken: await browser.csrfToken() })
      await browser.get(`/auth/callback/oidc?${fake.authorize(started.location ?? '')}`)
      expect((await browser.session())?.user).to.include({ name: sub })
    }
  })

  it('is the photo of Microsoft Entra ID, if that is a large one', async () => {
    const entra = (bytes: number) =>
      resolved(
        MicrosoftEntraID({
          clientId: 'client',
          clientSecret: 'a-client-secret',
          issuer: fake.issuer,
          allowInsecureHttp: true,
          [customFetch]: ((input: string, init?: RequestInit) =>
            input.startsWith('https://graph.microsoft.com')
              ? Promise.resolve(new Response(new Uint8Array(bytes)))
              : fetch(input, init)) as typeof fetch,
        }),
      )
    for (const [bytes, isKept] of [
      [1200, true],
      [8000, false],
    ] as const) {
      const driver = new OAuthDriver()
      const jar = new CookieJar()
      const entry = entra(bytes)
      const url = await driver.start(entry, jar)
      const { user } = identityOf(await driver.finish(entry, jar, fake.authorize(url.href)))
      expect(typeof user.image === 'string').to.equal(isKept)
    }
  })
})
