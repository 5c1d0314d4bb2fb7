import { expect } from 'chai'
import type { LoggerInstance } from '../../lib/kernel/logger.js'
import { customFetch } from '../../lib/providers/provider.js'
import { type FakeAnswer, FakeProvider, fakeKey, signWith } from '../support/fake-provider.js'
import { CookieJar, failure, identityOf, OAuthDriver, quiet, resolved } from '../support/oauth-driver.js'

const DISCOVERY = '/.well-known/openid-configuration'
const KEYS = '/jwks'
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

describe('an outage of a provider', () => {
  let fake: FakeProvider
  let time: number
  let warnings: Record<string, string>[]
  before(async () => {
    fake = await FakeProvider.start()
  })
  after(() => fake.stop())
  beforeEach(async () => {
    fake.reset()
    fake.keys = [await fakeKey('key-1')]
    time = Date.now()
    warnings = []
  })

  // A call that hangs goes on after its test.
  afterEach(async () => {
    while (fake.isAnswering) await pause(20)
  })

  const logger: LoggerInstance = {
    ...quiet,
    warn: (code, data) => {
      if (code === 'provider-outage') warnings.push(data as Record<string, string>)
    },
  }
  const states = () => warnings.map(({ document, state }) => `${document} ${state}`)
  const driverWith = (timeoutMs = 10_000) => new OAuthDriver({ now: () => time, backChannel: { timeoutMs }, logger })
  const provider = (more: object = {}) =>
    resolved({
      id: 'fake',
      name: 'Fake',
      type: 'oidc',
      issuer: fake.issuer,
      clientId: 'client',
      clientSecret: 'secret',
      checks: ['pkce', 'state', 'nonce'],
      ...more,
    })
  /** Tokens of the time that the clock shows. */
  const timely = () => {
    fake.faults.claims = (claims) => ({
      ...claims,
      iat: Math.floor(time / 1000),
      exp: Math.floor(time / 1000) + 300,
    })
  }
  /** Until what goes on in the background is done. */
  const settled = async (isDone: () => boolean) => {
    for (let n = 0; n < 1000 && !isDone(); n += 1) await pause(5)
    expect(isDone(), 'done within some seconds').to.equal(true)
  }
  /** Does something that begins a fetch in the background, and waits until that fetch is over. */
  const untilFetched = async <T>(path: string, work: () => Promise<T>): Promise<T> => {
    const before = fake.callsTo(path).length
    const value = await work()
    await settled(() => fake.callsTo(path).length > before && !fake.isAnswering)
    // The answer is sent, and is yet to be read: before that, no other fetch begins. A busy machine takes a while.
    await pause(100)
    return value
  }
  const took = async (work: () => Promise<unknown>) => {
    const begun = performance.now()
    await work()
    return performance.now() - begun
  }

  describe('of its metadata', () => {
    const broken: Record<string, (document: Record<string, unknown>) => FakeAnswer> = {
      'answers 500': () => ({ status: 500, body: 'down' }),
      'answers 404, as a gateway without servers behind it': () => ({ status: 404, body: 'default backend' }),
      'answers with a redirect to a page of maintenance': () => ({
        status: 302,
        headers: { location: '/sorry' },
        body: '',
      }),
      'answers with what is no JSON': () => ({ body: '<html>' }),
      'answers with JSON that is no metadata': () => ({ body: { error: 'temporarily_unavailable' } }),
      'has lost its token endpoint': ({ token_endpoint: _, ...rest }) => ({ body: rest }),
      'names an endpoint on plain http': (document) => ({
        body: { ...document, token_endpoint: 'http://op.example/token' },
      }),
      'is larger than anything that is read': () => ({ body: 'x'.repeat(2_000_000) }),
    }
    for (const [what, answer] of Object.entries(broken)) {
      it(`that ${what} keeps nobody from signing in with the earlier ones, and is logged once`, async () => {
        const driver = driverWith()
        const one = provider()
        await driver.start(one, new CookieJar())
        fake.faults.discovery = answer
        time += 61 * MINUTE
        timely()
        for (let n = 0; n < 5; n += 1) {
          const jar = new CookieJar()
          const url = await driver.start(one, jar)
          expect(url.href).to.include(`${fake.issuer}/authorize`)
          identityOf(await driver.finish(one, jar, fake.authorize(url.href)))
        }
        await settled(() => warnings.length > 0)
        expect(states()).to.deep.equal(['metadata begun'])
        expect(warnings[0]).to.include({ provider: 'fake', document: 'metadata', since: new Date(time).toISOString() })
        expect(warnings[0]?.['fix']).to.match(/ continue with the last copy/)
        expect(fake.callsTo(DISCOVERY), 'tries within the pause').to.have.length(2)
      })
    }

    it('that cannot be reached keeps nobody from starting', async () => {
      const server = await FakeProvider.start()
      const driver = driverWith()
      const one = provider({ issuer: server.issuer })
      await driver.start(one, new CookieJar())
      await server.stop()
      time += 5 * DAY
      await driver.start(one, new CookieJar())
      await settled(() => warnings.length > 0)
      expect(warnings[0]?.['reason']).to.match(/failed: no answer came/)
    })

    it('that hang make nobody wait, however many ask', async () => {
      const driver = driverWith(1500)
      const one = provider()
      await driver.start(one, new CookieJar())
      fake.faults.discovery = (document) => ({ body: document, delayMs: 4000 })
      time += 61 * MINUTE
      const all = await took(() => Promise.all(Array.from({ length: 50 }, () => driver.start(one, new CookieJar()))))
      // An answer of the provider would come after four seconds, and the limit is at one and a half.
      expect(all).to.be.lessThan(1500)
      await settled(() => fake.callsTo(DISCOVERY).length > 1)
      expect(fake.callsTo(DISCOVERY)).to.have.length(2)
    }).timeout(8000)

    it('that hang after an idle night cost the first ones a moment, and the next nothing', async () => {
      const driver = driverWith(3000)
      const one = provider()
      await driver.start(one, new CookieJar())
      fake.faults.discovery = (document) => ({ body: document, delayMs: 5000 })
      time += 12 * HOUR
      expect(await took(() => driver.start(one, new CookieJar()))).to.be.within(1500, 4900)
      while (warnings.length === 0) await pause(20)
      time += 2 * MINUTE
      expect(await took(() => driver.start(one, new CookieJar()))).to.be.lessThan(1500)
    }).timeout(15_000)

    it('is not asked anew by each sign-in: the pauses grow to five minutes', async () => {
      const driver = driverWith()
      const tries: number[] = []
      let begun: number | null = null
      const one = provider({
        [customFetch]: (async (...call: Parameters<typeof fetch>) => {
          if (begun === null) return fetch(...call)
          tries.push((time - begun) / 1000)
          return new Response(null, { status: 500 })
        }) as typeof fetch,
      })
      await driver.start(one, new CookieJar())
      time += 61 * MINUTE
      begun = time
      while (time < begun + 30 * MINUTE) {
        await driver.start(one, new CookieJar())
        await new Promise((resolve) => setTimeout(resolve, 1))
        time += 1000 * (tries.length < 5 ? 1 : 20)
      }
      expect(tries.length).to.be.within(8, 16)
      expect(tries.slice(0, 4)).to.deep.equal([0, 1, 3, 7])
      expect(states()).to.deep.equal(['metadata begun'])
    }).timeout(10_000)

    it('ends with the first answer, which counts from then on, and this is logged once', async () => {
      const driver = driverWith()
      const one = provider()
      await driver.start(one, new CookieJar())
      fake.faults.discovery = () => ({ status: 503, body: '' })
      time += 61 * MINUTE
      await driver.start(one, new CookieJar())
      await settled(() => warnings.length === 1)
      fake.faults.discovery = (document) => ({ body: { ...document, authorization_endpoint: `${fake.issuer}/new` } })
      time += HOUR
      await driver.start(one, new CookieJar())
      await settled(() => warnings.length === 2)
      expect((await driver.start(one, new CookieJar())).pathname).to.equal('/new')
      expect(states()).to.deep.equal(['metadata begun', 'metadata over'])
      expect(warnings[1]?.['since']).to.equal(warnings[0]?.['since'])
      expect(warnings[1], 'there is nothing to be mended').to.not.have.property('fix')
    })

    it('is met in the background by nobody: not in the request that happened to come then', async () => {
      const found: unknown[] = []
      const driver = new OAuthDriver({
        now: () => time,
        logger: { ...quiet, warn: (...[, , source]) => void found.push(source) },
      })
      const one = provider()
      await driver.start(one, new CookieJar())
      fake.faults.discovery = () => ({ status: 503, body: '' })
      time += 61 * MINUTE
      await driver.start(one, new CookieJar())
      await settled(() => found.length > 0)
      expect(found).to.deep.equal([undefined])
    })

    it('an endpoint that was moved on purpose is used once the hour is over', async () => {
      const driver = driverWith()
      const one = provider()
      await driver.start(one, new CookieJar())
      fake.faults.metadata = (document) => ({ ...document, authorization_endpoint: `${fake.issuer}/moved` })
      time += 3 * HOUR
      expect((await driver.start(one, new CookieJar())).pathname).to.equal('/moved')
      expect(warnings).to.deep.equal([])
    })

    it('leads to refusals after a week, and this is logged once', async () => {
      const driver = driverWith()
      const one = provider()
      await driver.start(one, new CookieJar())
      fake.faults.discovery = () => ({ status: 500, body: '' })
      for (const days of [1, 2, 3]) {
        time += 2 * DAY
        await untilFetched(DISCOVERY, () => driver.start(one, new CookieJar()))
        expect(states(), `after ${2 * days} days`).to.deep.equal(['metadata begun'])
      }
      time += 2 * DAY
      for (let n = 0; n < 3; n += 1) await failure(driver.start(one, new CookieJar()), 'OAuthSignInError', /status 500/)
      expect(states()).to.deep.equal(['metadata begun', 'metadata given-up'])
      fake.faults.discovery = undefined
      time += MINUTE
      await driver.start(one, new CookieJar())
      expect(states()).to.deep.equal(['metadata begun', 'metadata given-up', 'metadata over'])
    })

    it('a document of another issuer is the word of the provider: the old ones are not used any more', async () => {
      const driver = driverWith()
      const one = provider()
      await driver.start(one, new CookieJar())
      fake.faults.metadata = (document) => ({ ...document, issuer: 'https://somebody-else.example' })
      time += 3 * HOUR
      await failure(driver.start(one, new CookieJar()), 'OAuthSignInError', /of the issuer "https:\/\/somebody-else/)
      await failure(driver.start(one, new CookieJar()), 'OAuthSignInError', /of the issuer/)
      expect(states()).to.deep.equal(['metadata given-up'])
      expect(fake.callsTo(DISCOVERY)).to.have.length(2)
      fake.faults.metadata = undefined
      time += MINUTE
      await driver.start(one, new CookieJar())
      expect(states()).to.deep.equal(['metadata given-up', 'metadata over'])
    })

    it('does not last beyond a clock that is set back: the pause is over when its time has passed', async () => {
      const driver = driverWith()
      const one = provider()
      await driver.start(one, new CookieJar())
      fake.faults.discovery = () => ({ status: 500, body: '' })
      time += 61 * MINUTE
      await driver.start(one, new CookieJar())
      await settled(() => warnings.length === 1)
      fake.faults.discovery = undefined
      time -= 2 * HOUR
      await driver.start(one, new CookieJar())
      time += 1000
      await driver.start(one, new CookieJar())
      await settled(() => warnings.length === 2)
      expect(states()).to.deep.equal(['metadata begun', 'metadata over'])
    })

    it('that is over is not paused for as long as with a copy: after the word of another issuer half a minute', async () => {
      const driver = driverWith()
      const one = provider()
      await driver.start(one, new CookieJar())
      fake.faults.discovery = () => ({ status: 500, body: '' })
      time += 61 * MINUTE
      // Until the pauses are the longest.
      for (let n = 0; n < 15; n += 1) {
        await untilFetched(DISCOVERY, () => driver.start(one, new CookieJar()))
        time += 5 * MINUTE
      }
      fake.faults.discovery = undefined
      fake.faults.metadata = (document) => ({ ...document, issuer: 'https://somebody-else.example' })
      await driver.start(one, new CookieJar())
      await settled(() => states().includes('metadata given-up'))
      fake.faults.metadata = undefined
      await failure(driver.start(one, new CookieJar()), 'OAuthSignInError', /of the issuer/)
      time += 30_000
      await driver.start(one, new CookieJar())
      expect(states()).to.deep.equal(['metadata begun', 'metadata given-up', 'metadata over'])
    })

    for (const [what, change] of Object.entries<(document: Record<string, unknown>) => object>({
      'algorithms that are no list': () => ({ id_token_signing_alg_values_supported: 'RS256' }),
      'no algorithms any more': () => ({ id_token_signing_alg_values_supported: [] }),
      'ways to authenticate that are no list': () => ({ token_endpoint_auth_methods_supported: {} }),
      'ways to authenticate that are no texts': () => ({ token_endpoint_auth_methods_supported: [{}] }),
      'a text where it promises the iss parameter': () => ({ authorization_response_iss_parameter_supported: 'yes' }),
      'a number where it wants pushed requests': () => ({ require_pushed_authorization_requests: 1 }),
      'a text for what it checks codes by': () => ({ code_challenge_methods_supported: 'S256' }),
    })) {
      it(`a document with ${what} does not take the place of the good one`, async () => {
        const driver = driverWith()
        const one = provider()
        await driver.start(one, new CookieJar())
        fake.faults.metadata = (document) => ({ ...document, ...change(document) })
        time += 61 * MINUTE
        timely()
        for (let n = 0; n < 2; n += 1) {
          const jar = new CookieJar()
          identityOf(await driver.finish(one, jar, fake.authorize((await driver.start(one, jar)).href)))
          await settled(() => warnings.length > 0)
        }
        expect(states()).to.deep.equal(['metadata begun'])
        fake.faults.metadata = undefined
        time += MINUTE
        await driver.start(one, new CookieJar())
        await settled(() => warnings.length === 2)
        expect(states()).to.deep.equal(['metadata begun', 'metadata over'])
      })
    }
  })

  describe('that was never reached', () => {
    it('costs those who ask at once one wait, and the next ones none for a while', async () => {
      const driver = driverWith(300)
      const one = provider()
      fake.faults.discovery = (document) => ({ body: document, delayMs: 1000 })
      const begin = () => failure(driver.start(one, new CookieJar()), 'OAuthSignInError', /within 300 ms/)
      // One after the other, they would wait six seconds.
      expect(await took(() => Promise.all(Array.from({ length: 20 }, begin)))).to.be.lessThan(5000)
      await begin()
      expect(fake.callsTo(DISCOVERY)).to.have.length(1)
      expect(warnings).to.deep.equal([])
      fake.faults.discovery = undefined
      time += 1000
      await driver.start(one, new CookieJar())
    })

    it('is waited for at most half a minute between two tries', async () => {
      const driver = driverWith()
      const one = provider()
      fake.faults.discovery = () => ({ status: 500, body: '' })
      for (let n = 0; n < 30; n += 1) {
        await failure(driver.start(one, new CookieJar()), 'OAuthSignInError')
        time += 30_000
      }
      expect(fake.callsTo(DISCOVERY)).to.have.length(30)
    })

    it('does not hang with a fetch of the application that never settles', async () => {
      let hangs = true
      const driver = driverWith(50)
      const one = provider({
        [customFetch]: ((...call: Parameters<typeof fetch>) =>
          hangs ? new Promise(() => {}) : fetch(...call)) as typeof fetch,
      })
      await failure(driver.start(one, new CookieJar()), 'OAuthSignInError', /within 50 ms/)
      hangs = false
      time += 1000
      await driver.start(one, new CookieJar())
    })
  })

  describe('of its keys', () => {
    const signIn = async (driver: OAuthDriver, one: ReturnType<typeof provider>) => {
      const jar = new CookieJar()
      timely()
      return driver.finish(one, jar, fake.authorize((await driver.start(one, jar)).href))
    }
    const broken: Record<string, FakeAnswer> = {
      'answer 500': { status: 500, body: 'down' },
      'are no JSON': { body: '<html>' },
      'are JSON, and no keys': { body: { error: 'busy' } },
    }
    for (const [what, answer] of Object.entries(broken)) {
      it(`that ${what} leaves the last ones in use, and is logged once`, async () => {
        const driver = driverWith()
        const one = provider()
        identityOf(await signIn(driver, one))
        fake.faults.jwks = () => answer
        time += 11 * MINUTE
        for (let n = 0; n < 4; n += 1) identityOf(await signIn(driver, one))
        expect(fake.callsTo(KEYS)).to.have.length(2)
        expect(states()).to.deep.equal(['keys begun'])
        fake.faults.jwks = undefined
        time += 10 * MINUTE
        identityOf(await signIn(driver, one))
        await settled(() => warnings.length === 2)
        expect(states()).to.deep.equal(['keys begun', 'keys over'])
      })
    }

    it('ends in refusals after a day', async () => {
      const driver = driverWith()
      const one = provider()
      identityOf(await signIn(driver, one))
      fake.faults.jwks = () => ({ status: 500, body: '' })
      time += 23 * HOUR
      identityOf(await signIn(driver, one))
      time += 2 * HOUR
      await failure(
        signIn(driver, one),
        'CallbackRouteError',
        /ID token could not be verified: .*\/jwks answered with the status 500/,
      )
      expect(states()).to.include('keys given-up')
    })

    it('ends without a pause: when the copy is too old, the keys are fetched at that moment', async () => {
      const driver = driverWith()
      const one = provider()
      identityOf(await signIn(driver, one))
      const fetched = time
      fake.faults.jwks = () => ({ status: 500, body: '' })
      time += 11 * MINUTE
      for (; time < fetched + 20 * HOUR; time += HOUR) {
        identityOf(await untilFetched(KEYS, () => signIn(driver, one)))
      }
      // From here on there is a pause of five minutes.
      time = fetched + DAY - MINUTE
      identityOf(await untilFetched(KEYS, () => signIn(driver, one)))
      fake.faults.jwks = undefined
      time = fetched + DAY + 1
      identityOf(await signIn(driver, one))
      expect(states()).to.deep.equal(['keys begun', 'keys given-up', 'keys over'])
    })

    it('ends after a day though the clock is set back again and again: a stolen key is no good for longer', async () => {
      const driver = driverWith()
      const one = provider()
      identityOf(await signIn(driver, one))
      const [stolen] = fake.keys
      if (!stolen) throw new Error('no key')
      fake.keys = [await fakeKey('key-2')]
      fake.faults.idToken = (claims) => signWith(stolen, claims)
      fake.faults.jwks = () => ({ status: 500, body: '' })
      const admitted: boolean[] = []
      for (let round = 0; round < 4; round += 1) {
        for (const hours of [20, -21]) {
          time += hours * HOUR
          admitted.push(
            await signIn(driver, one).then(
              () => true,
              () => false,
            ),
          )
        }
      }
      expect(admitted).to.deep.equal([true, true, ...Array(6).fill(false)])
    })

    it('a key that was withdrawn counts no more as soon as the keys are fetched', async () => {
      const driver = driverWith()
      const one = provider()
      identityOf(await signIn(driver, one))
      const [old] = fake.keys
      fake.keys = [await fakeKey('key-2')]
      if (!old) throw new Error('no key')
      fake.faults.idToken = (claims) => signWith(old, claims)
      identityOf(await signIn(driver, one))
      time += 10 * MINUTE
      await failure(signIn(driver, one), 'CallbackRouteError', /no applicable key/)
      expect(warnings).to.deep.equal([])
    })

    it('a set without any key is an answer, and ends the old ones', async () => {
      const driver = driverWith()
      const one = provider()
      identityOf(await signIn(driver, one))
      fake.faults.jwks = () => ({ body: { keys: [] } })
      time += 10 * MINUTE
      await failure(signIn(driver, one), 'CallbackRouteError', /no applicable key/)
    })

    it('an unknown key is asked for in an outage, too, and the keys of before go on', async () => {
      const driver = driverWith()
      const one = provider()
      identityOf(await signIn(driver, one))
      fake.faults.jwks = () => ({ status: 500, body: '' })
      time += 11 * MINUTE
      identityOf(await signIn(driver, one))
      fake.keys = [await fakeKey('key-2')]
      await failure(signIn(driver, one), 'CallbackRouteError', /status 500/)
      fake.faults.jwks = undefined
      identityOf(await signIn(driver, one))
      expect(states()).to.deep.equal(['keys begun', 'keys over'])
    })

    it('of another address are others: those of the old one do not stand in for them', async () => {
      const driver = driverWith()
      const one = provider()
      identityOf(await signIn(driver, one))
      fake.faults.metadata = (document) => ({ ...document, jwks_uri: `${fake.issuer}/gone` })
      time += 3 * HOUR
      await failure(signIn(driver, one), 'CallbackRouteError', /\/gone answered with .*404/)
    })

    it('the allowance for unknown keys comes back though the clock was set back', async () => {
      const driver = driverWith()
      const one = provider()
      const other = await fakeKey('key-9')
      fake.faults.idToken = (claims) => signWith(other, claims)
      for (let n = 0; n < 8; n += 1) await failure(signIn(driver, one), 'CallbackRouteError')
      time -= HOUR
      await failure(signIn(driver, one), 'CallbackRouteError')
      fake.calls.length = 0
      time += 10_000
      await failure(signIn(driver, one), 'CallbackRouteError')
      expect(fake.callsTo(KEYS).length).to.be.greaterThan(0)
    })
  })
})
