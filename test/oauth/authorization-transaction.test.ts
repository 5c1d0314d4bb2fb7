import { expect } from 'chai'
import { TRANSACTION_KINDS } from '../../lib/compose.js'
import {
  findTransaction,
  requireTransaction,
  saveTransaction,
} from '../../lib/features/oauth/authorization-transaction.js'
import { createTransactionCookies } from '../../lib/sign-in/transaction-cookies.js'
import { FakeProvider } from '../support/fake-provider.js'
import { CookieJar, failure, identityOf, OAuthDriver, quiet, resolved } from '../support/oauth-driver.js'

describe('the one-time values of a sign-in', () => {
  let fake: FakeProvider
  before(async () => {
    fake = await FakeProvider.start()
  })
  after(() => fake.stop())
  beforeEach(() => fake.reset())

  const provider = (id = 'fake', more: object = {}) =>
    resolved({
      id,
      name: id,
      type: 'oidc',
      issuer: fake.issuer,
      clientId: 'client',
      clientSecret: 'secret',
      checks: ['pkce', 'state', 'nonce'],
      ...more,
    })

  it('PKCE-04: are kept under the known names with a suffix per transaction, encrypted, HttpOnly and short-lived', async () => {
    const jar = new CookieJar()
    const url = await new OAuthDriver().start(provider(), jar)
    const names = [...jar.cookies.keys()]
    expect(names.map((name) => name.replace(/\.[\w-]{8}$/, ''))).to.deep.equal([
      '__Host-authjs.state',
      '__Host-authjs.pkce.code_verifier',
      '__Host-authjs.nonce',
    ])
    expect(new Set(names.map((name) => name.slice(-8)))).to.have.property('size', 1)
    for (const { value, options } of jar.changes) {
      expect(value).not.to.include(url.searchParams.get('state'))
      expect(options).to.include({ httpOnly: true, secure: true, sameSite: 'lax', path: '/', maxAge: 900 })
    }
  })

  it('never grow into a Cookie header that servers refuse: the oldest sign-ins make room', async () => {
    const jar = new CookieJar()
    const driver = new OAuthDriver()
    for (let n = 0; n < 12; n += 1) {
      await driver.start(provider(), jar, {}, `https://app.example/${'p'.repeat(n * 80)}`)
      const bytes = [...jar.cookies].reduce((sum, [name, value]) => sum + name.length + value.length + 3, 0)
      expect(bytes).to.be.lessThan(6001)
    }
    expect(jar.cookies.size).to.be.greaterThan(5)
  })

  it('let two tabs sign in at once, in any order, each to its own target', async () => {
    const driver = new OAuthDriver()
    const jar = new CookieJar()
    const first = await driver.start(provider(), jar, {}, 'https://app.example/one')
    const second = await driver.start(provider(), jar, {}, 'https://app.example/two')
    const [two, one] = [
      await driver.finish(provider(), jar, fake.authorize(second.href)),
      await driver.finish(provider(), jar, fake.authorize(first.href)),
    ]
    expect(identityOf(one).account.providerAccountId).to.equal('person-1')
    expect(one).to.have.property('returnTarget', 'https://app.example/one')
    expect(two).to.have.property('returnTarget', 'https://app.example/two')
    expect(jar.cookies.size).to.equal(0)
  })

  it('are kept for five sign-ins; a sixth deletes the oldest', async () => {
    let time = Date.now()
    const driver = new OAuthDriver({ now: () => time })
    const jar = new CookieJar()
    const urls: URL[] = []
    const lax = provider('fake', { checks: ['pkce'] })
    for (let n = 0; n < 6; n += 1) {
      time += 1000
      urls.push(await driver.start(lax, jar))
    }
    expect(jar.cookies.size).to.equal(5)
    const [oldest, second] = urls
    if (!oldest || !second) throw new Error('no sign-ins')
    await failure(driver.finish(lax, jar, fake.authorize(oldest.href)), 'InvalidCheck')
    identityOf(await driver.finish(lax, jar, fake.authorize(second.href)))
  })

  it('OAUTH-03: are good once', async () => {
    const driver = new OAuthDriver()
    const jar = new CookieJar()
    const kept = new CookieJar()
    const url = await driver.start(provider(), jar)
    for (const [name, value] of jar.cookies) kept.cookies.set(name, value)
    const answer = fake.authorize(url.href)
    await driver.finish(provider(), jar, answer)
    await failure(driver.finish(provider(), kept, answer), 'InvalidCheck', /used already/)
    expect(fake.callsTo('/token')).to.have.length(1)
  })

  it('OAUTH-04: are good once under fifty callbacks at the same time', async () => {
    const driver = new OAuthDriver()
    const jar = new CookieJar()
    const answer = fake.authorize((await driver.start(provider(), jar)).href)
    const cookies = new Map(jar.cookies)
    const results = await Promise.allSettled(
      Array.from({ length: 50 }, () => {
        const own = new CookieJar()
        for (const [name, value] of cookies) own.cookies.set(name, value)
        return driver.finish(provider(), own, answer)
      }),
    )
    expect(results.filter(({ status }) => status === 'fulfilled')).to.have.length(1)
    expect(fake.callsTo('/token')).to.have.length(1)
  })

  it('PKCE-04: are used up by an error, too', async () => {
    const driver = new OAuthDriver()
    const jar = new CookieJar()
    const url = await driver.start(provider(), jar)
    const kept = new CookieJar()
    for (const [name, value] of jar.cookies) kept.cookies.set(name, value)
    const state = url.searchParams.get('state') ?? ''
    await failure(
      driver.finish(provider(), jar, new URLSearchParams({ error: 'access_denied', state })),
      'OAuthCallbackError',
    )
    expect(jar.cookies.size).to.equal(0)
    await failure(driver.finish(provider(), kept, fake.authorize(url.href)), 'InvalidCheck')
  })

  const starts: Record<string, (jar: CookieJar, driver: OAuthDriver) => unknown> = {
    'missing altogether': (jar) => jar.cookies.clear(),
    empty: (jar) => {
      for (const name of jar.cookies.keys()) jar.cookies.set(name, '')
    },
    damaged: (jar) => {
      for (const [name, value] of jar.cookies) jar.cookies.set(name, `${value.slice(0, -2)}xx`)
    },
    'without the PKCE cookie': (jar) => {
      for (const name of [...jar.cookies.keys()]) if (name.includes('pkce')) jar.cookies.delete(name)
    },
    'without the nonce cookie': (jar) => {
      for (const name of [...jar.cookies.keys()]) if (name.includes('nonce')) jar.cookies.delete(name)
    },
    'without the state cookie': (jar) => {
      for (const name of [...jar.cookies.keys()]) if (name.includes('state')) jar.cookies.delete(name)
    },
    'swapped among each other': (jar) => {
      const [state, pkce] = [...jar.cookies.keys()]
      const value = jar.cookies.get(state ?? '') ?? ''
      jar.cookies.set(pkce ?? '', value)
    },
  }
  for (const [what, spoil] of Object.entries(starts)) {
    it(`PKCE-06: are refused when ${what}, before anything is sent to the provider`, async () => {
      const driver = new OAuthDriver()
      const jar = new CookieJar()
      const url = await driver.start(provider(), jar)
      spoil(jar, driver)
      await failure(driver.finish(provider(), jar, fake.authorize(url.href)), 'InvalidCheck')
      expect(fake.callsTo('/token')).to.deep.equal([])
    })
  }

  it('are refused after 15 minutes', async () => {
    let time = Date.now()
    const driver = new OAuthDriver({ now: () => time })
    const jar = new CookieJar()
    const url = await driver.start(provider(), jar)
    time += 16 * 60 * 1000
    await failure(
      driver.finish(provider(), jar, fake.authorize(url.href)),
      'SignInExpired',
      /expired 60 s ago by this machine's clock\. It took longer than 15 minutes/,
    )
    expect(fake.callsTo('/token')).to.deep.equal([])
  })

  it('OAUTH-05: of one provider serve no other, even when it is renamed in the cookie names', async () => {
    const driver = new OAuthDriver()
    const jar = new CookieJar()
    const url = await driver.start(provider('attacker'), jar)
    await failure(driver.finish(provider('victim'), jar, fake.authorize(url.href)), 'InvalidCheck')
    expect(fake.callsTo('/token')).to.deep.equal([])
  })

  it('of one transaction serve no other of the same provider', async () => {
    const driver = new OAuthDriver()
    const jar = new CookieJar()
    const first = await driver.start(provider(), jar)
    const firstNames = [...jar.cookies.keys()]
    await driver.start(provider(), jar)
    const secondNames = [...jar.cookies.keys()].filter((name) => !firstNames.includes(name))
    secondNames.forEach((name, index) => {
      jar.cookies.set(firstNames[index] ?? '', jar.cookies.get(name) ?? '')
    })
    await failure(driver.finish(provider(), jar, fake.authorize(first.href)), 'InvalidCheck')
  })

  it('of one transaction serve no other of the same provider, with pkce alone', async () => {
    const lax = provider('fake', { checks: ['pkce'] })
    const driver = new OAuthDriver()
    const jar = new CookieJar()
    const first = await driver.start(lax, jar)
    const [firstName = ''] = [...jar.cookies.keys()]
    await driver.start(lax, jar)
    jar.cookies.set(firstName, [...jar.cookies.values()][1] ?? '')
    await failure(driver.finish(lax, jar, fake.authorize(first.href)), 'InvalidCheck', /of another sign-in/)
  })

  it('OAUTH-05: of one provider serve no other that has the same address', async () => {
    const secrets = ['a-secret-of-at-least-thirty-two-bytes']
    const transactions = createTransactionCookies(
      TRANSACTION_KINDS,
      { secret: secrets, 'jwt.secret': secrets },
      Date.now,
    )
    const dependencies = { transactions, now: Date.now }
    const same = (id: string) => provider(id, { checks: ['pkce'] })
    const begun = {
      values: { pkce: 'v' },
      redirectUri: 'https://app.example/same',
      issuer: null,
      maxAge: undefined,
      returnTarget: undefined,
      initiator: null,
      linkSessionDigest: null,
      isRemembered: false,
    }
    const driver = new OAuthDriver()
    const jar = new CookieJar()
    jar.apply(await saveTransaction(driver.request(jar), same('one'), 'the-state', begun, dependencies))
    const find = async (id: string) => {
      const found = await findTransaction(driver.request(jar), same(id), 'the-state', dependencies)
      return requireTransaction(same(id), 'the-state', found)
    }
    expect(await find('one')).to.deep.include({ values: { pkce: 'v' } })
    await failure(find('two'), 'InvalidCheck', /of another sign-in/)
  })

  it('OAUTH-03: of another state are refused, whatever named them', async () => {
    const secrets = ['a-secret-of-at-least-thirty-two-bytes']
    const all = { secret: secrets, 'jwt.secret': secrets }
    const dependencies = { transactions: createTransactionCookies(TRANSACTION_KINDS, all, Date.now), now: Date.now }
    const own = provider('fake', { checks: ['state'] })
    const begun = {
      values: { state: 'the-state' },
      redirectUri: 'https://app.example/fake',
      issuer: null,
      maxAge: undefined,
      returnTarget: undefined,
      initiator: null,
      linkSessionDigest: null,
      isRemembered: false,
    }
    const driver = new OAuthDriver()
    const jar = new CookieJar()
    jar.apply(await saveTransaction(driver.request(jar), own, 'the-state', begun, dependencies))
    const found = await findTransaction(driver.request(jar), own, 'the-state', dependencies)
    expect(requireTransaction(own, 'the-state', found).values).to.deep.equal({ state: 'the-state' })
    await failure(
      (async () => requireTransaction(own, 'another', found))(),
      'InvalidCheck',
      /state of the answer is not the one/,
    )
  })

  it('OAUTH-05: of another issuer are refused', async () => {
    const driver = new OAuthDriver()
    const jar = new CookieJar()
    const url = await driver.start(provider(), jar)
    const other = await FakeProvider.start()
    try {
      const moved = provider('fake', { issuer: other.issuer })
      await failure(driver.finish(moved, jar, fake.authorize(url.href)), 'InvalidCheck', /another issuer/)
      expect(other.callsTo('/token')).to.deep.equal([])
    } finally {
      await other.stop()
    }
  })

  it('OAUTH-03: begun in another browser are refused', async () => {
    const driver = new OAuthDriver()
    const url = await driver.start(provider(), new CookieJar())
    const victim = new CookieJar()
    await driver.start(provider(), victim)
    await failure(driver.finish(provider(), victim, fake.authorize(url.href)), 'InvalidCheck')
  })

  it('open after the secret was rotated, and not under another secret', async () => {
    const jar = new CookieJar()
    const old = 'the-old-secret-of-thirty-two-bytes!!'
    const url = await new OAuthDriver({ secrets: [old] }).start(provider(), jar)
    const copy = new CookieJar()
    for (const [name, value] of jar.cookies) copy.cookies.set(name, value)
    const answer = fake.authorize(url.href)
    await failure(
      new OAuthDriver({ secrets: ['another-secret-of-thirty-two-bytes'] }).finish(provider(), copy, answer),
      'InvalidCheck',
    )
    identityOf(
      await new OAuthDriver({ secrets: ['the-new-secret-of-thirty-two-bytes!!', old] }).finish(provider(), jar, answer),
    )
  })

  describe('when only pkce is asked for', () => {
    const lax = () => provider('fake', { checks: ['pkce'] })

    it('a state is sent all the same, by which the transaction is found, and one cookie is enough', async () => {
      const jar = new CookieJar()
      const url = await new OAuthDriver().start(lax(), jar)
      expect(url.searchParams.get('state')).to.match(/^[\w-]{43}$/)
      expect(jar.cookies.size).to.equal(1)
    })

    it('a wrong state is refused', async () => {
      const driver = new OAuthDriver()
      const jar = new CookieJar()
      const answer = fake.authorize((await driver.start(lax(), jar)).href)
      answer.set('state', 'made-up')
      await failure(driver.finish(lax(), jar, answer), 'InvalidCheck')
    })

    it('an answer without state is refused, though it may belong to the only open transaction', async () => {
      const driver = new OAuthDriver()
      const jar = new CookieJar()
      const answer = fake.authorize((await driver.start(lax(), jar)).href)
      answer.delete('state')
      await failure(driver.finish(lax(), jar, answer), 'InvalidCheck', /no state/)
    })
  })

  it('with the state check on, an answer without state is refused', async () => {
    const driver = new OAuthDriver()
    const jar = new CookieJar()
    const answer = fake.authorize((await driver.start(provider(), jar)).href)
    answer.delete('state')
    await failure(driver.finish(provider(), jar, answer), 'InvalidCheck', /no state/)
  })

  it('with checks switched off nothing is sent or kept, and a code is still good once', async () => {
    const open = provider('fake', { checks: ['none'] })
    const driver = new OAuthDriver()
    const jar = new CookieJar()
    const url = await driver.start(open, jar)
    expect([...url.searchParams.keys()]).to.deep.equal(['response_type', 'client_id', 'redirect_uri', 'scope'])
    expect(jar.changes).to.deep.equal([])
    const answer = fake.authorize(url.href)
    identityOf(await driver.finish(open, jar, answer))
    await failure(driver.finish(open, jar, answer), 'InvalidCheck')
  })

  it('gain state and nonce where an OpenID provider does not announce PKCE', async () => {
    fake.faults.metadata = ({ code_challenge_methods_supported: _, ...document }) => document
    const driver = new OAuthDriver()
    const jar = new CookieJar()
    const quietProvider = provider('fake', { checks: undefined })
    const url = await driver.start(quietProvider, jar)
    expect(url.searchParams.has('nonce')).to.equal(true)
    expect(url.searchParams.get('code_challenge_method')).to.equal('S256')
    expect(jar.cookies.size).to.equal(3)
    identityOf(await driver.finish(quietProvider, jar, fake.authorize(url.href)))
  })

  describe('PKCE-05: when an OpenID provider is asked with state alone', () => {
    const announced: Record<string, [metadata: object, more: object, added: string | null, warned: boolean]> = {
      'gain PKCE where it is announced': [{}, {}, 'code_challenge', false],
      'gain a nonce where that is announced': [
        { code_challenge_methods_supported: undefined, claims_supported: ['sub', 'nonce'] },
        {},
        'nonce',
        false,
      ],
      'gain a nonce where the token request is made by a hook, which may leave the verifier out': [
        { claims_supported: ['nonce'] },
        { token: { request: () => ({ tokens: {} }) } },
        'nonce',
        false,
      ],
      'gain nothing where neither is announced, and there is a warning': [
        { code_challenge_methods_supported: ['plain'], claims_supported: 'nonce' },
        {},
        null,
        true,
      ],
      'gain nothing that the entry rules out': [
        { claims_supported: ['nonce'] },
        { unsupportedChecks: ['pkce', 'nonce'] },
        null,
        false,
      ],
      'gain a nonce where the entry rules PKCE out': [
        { claims_supported: ['nonce'] },
        { unsupportedChecks: ['pkce'] },
        'nonce',
        false,
      ],
    }
    for (const [what, [metadata, more, added, isWarned]] of Object.entries(announced)) {
      it(what, async () => {
        fake.faults.metadata = (document) => ({ ...document, ...metadata })
        const warned: unknown[] = []
        const driver = new OAuthDriver({ logger: { ...quiet, warn: (...warning) => warned.push(warning) } })
        const one = provider('fake', { checks: ['state'], ...more })
        for (let n = 0; n < 2; n += 1) {
          const { searchParams } = await driver.start(one, new CookieJar())
          const bound = ['code_challenge', 'nonce'].filter((name) => searchParams.has(name))
          expect(bound).to.deep.equal(added === null ? [] : [added])
        }
        expect(warned).to.deep.equal(isWarned ? [['unbound-code', { provider: 'fake' }]] : [])
      })
    }

    it("refuse a code of another's transaction", async () => {
      fake.faults.metadata = (document) => ({
        ...document,
        code_challenge_methods_supported: [],
        claims_supported: ['nonce'],
      })
      const driver = new OAuthDriver()
      const one = provider('fake', { checks: ['state'] })
      const [ada, eve] = [new CookieJar(), new CookieJar()]
      const stolen = fake.authorize((await driver.start(one, ada)).href).get('code') ?? ''
      const answer = fake.authorize((await driver.start(one, eve)).href)
      answer.set('code', stolen)
      await failure(driver.finish(one, eve, answer), 'CallbackRouteError', /nonce/)
    })
  })
})
