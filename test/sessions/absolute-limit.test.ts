import { expect } from 'chai'
import type { Adapter } from '../../lib/adapters/adapter.js'
import { memoryAdapter } from '../../lib/adapters/memory.js'
import type { AuthConfig } from '../../lib/index.js'
import { requestContext } from '../support/request-context.js'
import { asAuthjsHasIt } from '../support/stores.js'
import { Clock, endOf, openTestApp, SESSION, type TestApp, type TestBrowser } from '../support/test-app.js'
import { forge } from '../support/tokens.js'

const HOUR = 60 * 60
const TIMES = { maxAge: 2 * HOUR, updateAge: HOUR, maxLifetime: 5 * HOUR }

const STRATEGIES = {
  async jwt(more: Partial<AuthConfig['session']>, clock?: Clock): Promise<TestApp> {
    return openTestApp({ session: { ...TIMES, ...more } }, { clock })
  },
  async database(more: Partial<AuthConfig['session']>, clock?: Clock, adapter: Adapter = memoryAdapter()) {
    await adapter.createUser?.({ id: '1815', name: 'Ada', email: 'ada@example.com', image: null, emailVerified: null })
    return openTestApp({ adapter, session: { strategy: 'database', ...TIMES, ...more } }, { clock })
  },
}

/** Uses a session every half an hour. Gives for how many hours that goes, at most twelve. */
async function hoursOf(ada: TestBrowser): Promise<number> {
  for (let halves = 0; halves < 24; halves += 1) {
    if ((await ada.session()) === null) return halves / 2
    ada.clock.advance(HOUR / 2)
  }
  return Number.POSITIVE_INFINITY
}

for (const [name, open] of Object.entries(STRATEGIES)) {
  describe(`SESS-04: a ${name} session with a maxLifetime`, () => {
    it('ends that long after the sign-in, however active its owner is', async () => {
      const testApp = await open({})
      expect(await hoursOf(await testApp.signedIn())).to.equal(5)
    })

    it('says so: no end that is shown lies beyond it', async () => {
      const testApp = await open({})
      const ada = await testApp.signedIn()
      const limit = testApp.clock.seconds + 5 * HOUR
      for (let hour = 0; hour < 5; hour += 1) {
        const end = endOf(await ada.session())
        expect(end).to.be.at.most(limit)
        expect(end).to.be.at.least(Math.min(testApp.clock.seconds + HOUR, limit))
        testApp.clock.advance(HOUR - 1)
      }
      expect(endOf(await ada.session())).to.equal(limit)
    })

    it('ends earlier when nobody uses it', async () => {
      const testApp = await open({})
      const ada = await testApp.signedIn()
      testApp.clock.advance(2 * HOUR + 16)
      expect(await ada.session()).to.equal(null)
    })

    it('is not kept by an update', async () => {
      const testApp = await open({})
      const ada = await testApp.signedIn()
      for (let hour = 0; hour < 5; hour += 1) {
        testApp.clock.advance(HOUR - 1)
        await ada.update({ any: 'thing' })
      }
      testApp.clock.advance(10)
      expect(await ada.session()).to.equal(null)
    })

    it('ends for every copy of its cookie', async () => {
      const testApp = await open({ maxAge: 100 * HOUR, updateAge: HOUR })
      const ada = await testApp.signedIn()
      const copy = ada.cookieHeader()
      testApp.clock.advance(5 * HOUR + 16)
      const { session } = await testApp.engine.readSession(requestContext(copy, testApp.origin))
      expect(session).to.equal(null)
    })

    it('begins anew with a sign-in', async () => {
      const testApp = await open({})
      const ada = await testApp.signedIn()
      testApp.clock.advance(HOUR)
      await ada.signIn()
      expect(await hoursOf(ada)).to.equal(5)
    })

    it('goes on as long as it is used when none is set', async () => {
      const testApp = await open({ maxLifetime: Number.POSITIVE_INFINITY })
      expect(await hoursOf(await testApp.signedIn())).to.equal(Number.POSITIVE_INFINITY)
    })
  })
}

describe('SESS-05: a session by the limits of NIST SP 800-63B-4 §2', () => {
  const MINUTE = 60
  const LEVELS = {
    AAL1: { maxAge: 30 * 24 * HOUR, maxLifetime: 30 * 24 * HOUR },
    AAL2: { maxAge: HOUR, maxLifetime: 24 * HOUR },
    AAL3: { maxAge: 15 * MINUTE, maxLifetime: 12 * HOUR },
  }
  for (const [level, times] of Object.entries(LEVELS)) {
    for (const [name, open] of Object.entries(STRATEGIES)) {
      it(`${level}, with a ${name} session: ends when it is idle for too long, and in the end however it is used`, async () => {
        const idle = await open({ ...times, updateAge: 0 })
        const away = await idle.signedIn()
        idle.clock.advance(times.maxAge + 16)
        expect(await away.session()).to.equal(null)

        const active = await open({ ...times, updateAge: 0 })
        const ada = await active.signedIn()
        const steps = Math.ceil(times.maxLifetime / (times.maxAge / 2))
        for (let step = 1; step < steps; step += 1) {
          active.clock.advance(times.maxAge / 2)
          expect(await ada.session(), `after ${step} of ${steps}`).not.to.equal(null)
        }
        active.clock.advance(times.maxAge / 2 + 16)
        expect(await ada.session()).to.equal(null)
      })
    }
  }
})

describe('SESS-04: a session whose sign-in time is not known', () => {
  it('as of a token that Auth.js wrote, is good until its present end and not extended', async () => {
    const testApp = openTestApp({ session: TIMES })
    const ada = testApp.browser()
    const { seconds } = testApp.clock
    ada.plant(
      SESSION,
      await forge({ sub: '1815', name: 'Ada', iat: seconds, exp: seconds + 2 * HOUR, jti: crypto.randomUUID() }),
    )
    expect(endOf(await ada.session())).to.equal(seconds + 2 * HOUR)
    expect(await hoursOf(ada)).to.equal(2)
  })

  it('as in a store that does not keep it, is good until its present end and not extended', async () => {
    const { deleteSessionsByUserId: _, ...adapter } = memoryAdapter()
    const testApp = await STRATEGIES.database({}, new Clock(), adapter)
    expect(await hoursOf(await testApp.signedIn())).to.equal(2)
  })

  const withoutSignInTime = {
    'that changes tokens': ({ deleteSessionsByUserId: _, ...adapter }: Required<Adapter>): Adapter => adapter,
    'of Auth.js': (adapter: Required<Adapter>): Adapter => asAuthjsHasIt(adapter),
  }
  for (const [kind, from] of Object.entries(withoutSignInTime)) {
    it(`is good until the same end when something is added to it, with an adapter ${kind}`, async () => {
      const testApp = await STRATEGIES.database({}, new Clock(), from(memoryAdapter()))
      const ada = await testApp.signedIn()
      const end = endOf(await ada.session())
      const { sessions } = testApp.engine.config.schemeFor(testApp.origin)
      const account = { provider: 'acme', type: 'oidc', providerAccountId: 'added' } as const
      for (let added = 0; added < 3; added += 1) {
        testApp.clock.advance(HOUR / 2)
        const request = requestContext(ada.cookieHeader(), testApp.origin)
        expect(await sessions.addAccount(request, { user: { id: '1815' }, account })).to.deep.equal([])
        expect(endOf(await ada.session())).to.equal(end)
      }
      testApp.clock.advance(HOUR / 2)
      expect(await ada.session()).to.equal(null)
    })
  }
})
