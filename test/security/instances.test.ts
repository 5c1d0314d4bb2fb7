import { expect } from 'chai'
import { memoryAdapter } from '../../lib/adapters/memory.js'
import { resolveConfig } from '../../lib/compose.js'
import { readEnv } from '../../lib/config/env.js'
import { createSharedSecrets, type SharedSecrets } from '../../lib/config/secrets.js'
import { type AuthConfig, expressAuth } from '../../lib/index.js'
import { createLog, SECRET, testConfig } from '../support/app.js'
import { FakeProvider } from '../support/fake-provider.js'
import {
  askForLink,
  confirmLink,
  goTo,
  Mailbox,
  newPerson,
  oauth,
  registering,
  setProviderUser,
} from '../support/sign-ins.js'
import { Clock, openTestApp, SESSION, type TestBrowser } from '../support/test-app.js'

/** Two tenants of one application: one secret, one host's cookies, one store. */
function openTenants(options: (tenant: string) => Partial<AuthConfig>, names = ['north', 'south']) {
  const clock = new Clock()
  const testApps = names.map((instance) => openTestApp({ instance, ...options(instance) }, { clock }))
  const [north, south] = testApps
  if (!north || !south) throw new Error('there are two tenants')
  return { clock, north, south }
}

/** The same cookies, taken to another tenant. */
function carry(browser: TestBrowser, to: TestBrowser): TestBrowser {
  for (const [name, cookie] of browser.jar) to.jar.set(name, cookie)
  return to
}

describe('what one instance made, at another with the same secret (CVE-2026-37171),', () => {
  const tokens = { session: { strategy: 'jwt' } } as const

  it('is no session: a token', async () => {
    const { north, south } = openTenants(() => ({}))
    const ada = await north.signedIn()
    expect(await ada.session()).to.have.nested.property('user.email', 'ada@example.com')
    expect(await carry(ada, south.browser()).session()).to.equal(null)
  })

  it('is no session: a row in the store of both, whether the first or the second instance wrote it', async () => {
    const adapter = memoryAdapter()
    const { north, south } = openTenants(() => ({ adapter, providers: [registering(adapter)] }))
    for (const [home, away] of [
      [north, south],
      [south, north],
    ] as const) {
      const { email } = newPerson()
      const browser = home.browser()
      await browser.signIn({ email: email ?? '' })
      expect(await browser.session()).to.have.nested.property('user.email', email)
      const thief = carry(browser, away.browser())
      expect(await thief.session()).to.equal(null)
      await carry(browser, away.browser()).signOut()
      expect(await browser.session(), 'signing out elsewhere ends nothing here').to.have.nested.property('user.email')
    }
  })

  it('is no session: a row that Auth.js wrote, since nobody knows whose it is', async () => {
    const adapter = memoryAdapter()
    const user = await adapter.createUser({ id: '', email: 'ada@example.com', emailVerified: null })
    const clock = new Clock()
    const expires = new Date(clock.ms + 1_000_000)
    const row = () => adapter.createSession({ sessionToken: 'a-token-of-auth-js', userId: user.id, expires })
    await row()
    const tenant = openTestApp({ instance: 'north', adapter }, { clock }).browser()
    tenant.plant(SESSION, 'a-token-of-auth-js')
    expect(await tenant.session()).to.equal(null)
    const single = openTestApp({ adapter }, { clock }).browser()
    single.plant(SESSION, 'a-token-of-auth-js')
    expect(await single.session()).to.have.nested.property('user.email', 'ada@example.com')
  })

  it('is no form of its own: CSRF token and cookie', async () => {
    const { north, south } = openTenants(() => ({}))
    const browser = north.browser()
    const csrfToken = await browser.csrfToken()
    const moved = carry(browser, south.browser())
    const entered = { csrfToken, username: 'ada', password: 'lovelace' }
    const refused = await moved.post('/auth/callback/credentials', entered)
    expect(refused.location).to.contain('error=MissingCSRF')
    expect(await moved.session()).to.equal(null)
  })

  it('finishes no sign-in that began at the first instance', async () => {
    const idp = await FakeProvider.start()
    try {
      const { clock, north, south } = openTenants(() => ({ providers: [oauth(idp)], ...tokens }))
      setProviderUser(idp, clock, newPerson())
      const browser = north.browser()
      const callback = await goTo(browser, idp)
      const moved = carry(browser, south.browser())
      expect((await moved.get(callback)).location).to.contain('error=OAuthCallbackError')
      expect(await moved.session()).to.equal(null)
    } finally {
      await idp.stop()
    }
  })

  for (const secret of [undefined, 'a secret of the provider itself, long enough']) {
    it(`is no mailed link${secret ? ', with a secret of the provider' : ''}`, async () => {
      const adapter = memoryAdapter()
      const mailbox = new Mailbox()
      const providers = () => [mailbox.provider(secret ? { secret } : {})]
      const { north, south } = openTenants(() => ({ adapter, providers: providers() }))
      const { email } = newPerson()
      const browser = north.browser()
      const link = await askForLink(browser, mailbox, email)
      const elsewhere = south.browser()
      expect((await confirmLink(elsewhere, link)).location).to.contain('error=Verification')
      expect((await carry(browser, south.browser()).get(link)).location).to.contain('error=Verification')
      await browser.get(link)
      expect(await browser.session(), 'and it is still good at home').to.have.nested.property('user.email', email)
    })
  }

  it("is known to an application's own codec by the secret it is given", async () => {
    const secrets: unknown[] = []
    const encode = ({ secret }: { secret: string | string[] }) => {
      secrets.push(secret)
      return 'a-token'
    }
    const { north, south } = openTenants(() => ({ jwt: { encode } }))
    await north.signedIn()
    await south.signedIn()
    expect(secrets).to.have.length(2)
    expect(secrets[0]).to.be.a('string').and.not.equal(secrets[1])
    expect(secrets).not.to.include(SECRET)
  })

  it('is good in every process of the same instance, and after a new secret was put in front', async () => {
    const clock = new Clock()
    const first = openTestApp({ instance: 'north' }, { clock })
    const second = openTestApp(
      { instance: 'north', secret: ['another secret, newer and just as long', SECRET] },
      { clock },
    )
    const ada = await first.signedIn()
    expect(await carry(ada, second.browser()).session()).to.have.nested.property('user.email')
  })
})

/** What a tenant's id that is missing becomes as text: one name for all such tenants. */
const WITHOUT_ID = ['undefined', 'null', 'NaN', 'Infinity', '-Infinity', '[object Object]']

describe('the name of an instance', () => {
  for (const instance of ['', ' ', 'a b', 'é', 'x'.repeat(101), 'a\0b', ...WITHOUT_ID]) {
    it(`is refused at the start: ${JSON.stringify(String(instance).slice(0, 8))}`, () => {
      expect(() => openTestApp({ instance })).to.throw('`instance` must be a name')
    })
  }

  it('is refused at the start if it is no text', () => {
    expect(() => openTestApp({ instance: 7 as never })).to.throw('`instance` is a number; it must be a string.')
  })
})

describe('configurations that share a secret', () => {
  const start = (options: Partial<AuthConfig>, sharedSecrets: SharedSecrets) => {
    const log = createLog()
    const config = testConfig({ logger: log.logger, ...options })
    resolveConfig(config, { env: readEnv({}), now: Date.now, sharedSecrets })
    return log.warnings
  }

  it('are warned of once, when the second tenant starts', () => {
    const shared = createSharedSecrets()
    expect(start({ url: 'https://north.example' }, shared)).to.deep.equal([])
    expect(start({ url: 'https://south.example' }, shared)).to.deep.equal(['shared-secret'])
    expect(start({ url: 'https://west.example' }, shared)).to.deep.equal([])
  })

  it('are distinguished by their stores, by their providers and by the callbacks they have', () => {
    const callbacks = { session: () => null as never }
    for (const differing of [{ adapter: memoryAdapter() }, { providers: [] }, { callbacks }]) {
      const shared = createSharedSecrets()
      start({}, shared)
      expect(start(differing, shared)).to.deep.equal(['shared-secret'])
    }
  })

  it('are not warned of where they are copies, have names, or have other secrets or cookies', () => {
    const shared = createSharedSecrets()
    const url = 'https://south.example'
    start({}, shared)
    const others: Partial<AuthConfig>[] = [
      {},
      { url, instance: 'south' },
      { url, secret: 'another secret that is long enough for anything' },
      { url, cookies: { sessionToken: { name: 'south.session-token' } } },
    ]
    for (const other of others) expect(start(other, shared)).to.deep.equal([])
  })

  it('are found by expressAuth', () => {
    const log = createLog()
    const secret = `a secret for this test alone ${crypto.randomUUID()}`
    for (const url of ['https://north.example', 'https://south.example']) {
      expressAuth(testConfig({ secret, url, logger: log.logger }))
    }
    expect(log.warnings).to.deep.equal(['shared-secret'])
  })
})
