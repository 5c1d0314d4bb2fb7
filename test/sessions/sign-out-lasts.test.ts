import { expect } from 'chai'
import type { AuthConfig, JWT } from '../../lib/index.js'
import { Clock, openTestApp, SESSION, type TestBrowser } from '../support/test-app.js'

const DAY = 24 * 60 * 60
let count = 0
const freshSecret = () => `a secret for this test alone, number ${++count}, and long enough`

/** Whether a copy is refused now, and at some later times, without being changed by that. */
async function isRefused(thief: TestBrowser, clock: Clock, later: readonly number[]) {
  const verdicts = [(await thief.copy().session()) === null]
  const began = clock.ms
  for (const seconds of later) {
    clock.ms = began + seconds * 1000
    verdicts.push((await thief.copy().session()) === null)
  }
  return verdicts
}

/** A codec that keeps of a token what it is told to. */
const codec = (
  kept: (token: JWT, maxAge: number, seconds: number) => JWT,
  clock: Clock,
): NonNullable<AuthConfig['jwt']> => ({
  encode: ({ token = {}, maxAge = 0 }) => {
    count += 1
    return Buffer.from(JSON.stringify({ ...kept(token, maxAge, clock.seconds), count })).toString('base64url')
  },
  decode: ({ token }) => JSON.parse(Buffer.from(token ?? '', 'base64url').toString()),
})

describe('LOGOUT-02 a token session that was signed out', () => {
  it('is over for as long as a copy may have been extended by another configuration of the same secret', async () => {
    for (const order of ['the short one made first', 'the long one made first']) {
      const clock = new Clock()
      const secret = freshSecret()
      const make = (maxAge: number) => openTestApp({ secret, session: { maxAge } }, { clock })
      const testApps = order.startsWith('the short') ? [make(60), make(30 * DAY)] : [make(30 * DAY), make(60)].reverse()
      const [short, long] = testApps as [ReturnType<typeof make>, ReturnType<typeof make>]
      const ada = await short.signedIn()
      const thief = long.browser()
      thief.plant(SESSION, ada.jar.get(SESSION)?.value ?? '')
      await thief.update({})
      await ada.signOut()
      expect(await isRefused(thief, clock, [130, DAY, 29 * DAY]), order).to.not.include(false)
    }
  })

  it('is over under every secret of a list', async () => {
    const clock = new Clock()
    const [newer, older] = [freshSecret(), freshSecret()]
    const long = openTestApp({ secret: [older], session: { maxAge: 30 * DAY } }, { clock })
    const both = openTestApp({ secret: [newer, older], session: { maxAge: 60 } }, { clock })
    const thief = await long.signedIn()
    const ada = both.browser()
    ada.plant(SESSION, thief.jar.get(SESSION)?.value ?? '')
    clock.advance(DAY)
    thief.plant(SESSION, thief.jar.get(SESSION)?.value ?? '')
    await thief.update({})
    await ada.signOut()
    const there = both.browser()
    there.plant(SESSION, thief.jar.get(SESSION)?.value ?? '')
    expect(await isRefused(there, clock, [130, 29.5 * DAY])).to.not.include(false)
  })

  it('is over for 400 days where the codec of the application writes no end', async () => {
    const clock = new Clock()
    const testApp = openTestApp({ jwt: codec((token) => token, clock), session: { maxAge: 60 } }, { clock })
    const ada = await testApp.signedIn()
    const thief = ada.copy()
    thief.plant(SESSION, ada.jar.get(SESSION)?.value ?? '')
    await ada.signOut()
    expect(await isRefused(thief, clock, [130, 30 * DAY, 399 * DAY])).to.not.include(false)
  })

  it('is over for as long as the codec of the application lets tokens live, whatever it is asked', async () => {
    const clock = new Clock()
    const jwt = codec((token, _maxAge, seconds) => ({ ...token, exp: seconds + 300 * DAY }), clock)
    const testApp = openTestApp({ secret: freshSecret(), jwt, session: { maxAge: 60 } }, { clock })
    const ada = await testApp.signedIn()
    const original = ada.jar.get(SESSION)?.value ?? ''
    clock.advance(200 * DAY)
    const thief = testApp.browser()
    thief.plant(SESSION, original)
    await thief.update({})
    thief.plant(SESSION, thief.jar.get(SESSION)?.value ?? '')
    ada.plant(SESSION, original)
    await ada.signOut()
    expect(await isRefused(thief, clock, [99 * DAY, 101 * DAY, 299 * DAY])).to.not.include(false)
  })
})

describe('session-claim-lost', () => {
  const warned = async (kept: Parameters<typeof codec>[0], options: Partial<AuthConfig> = {}) => {
    const clock = new Clock()
    const told: unknown[] = []
    const logger = { warn: (code: string, data: unknown) => void told.push([code, data]) }
    const testApp = openTestApp({ jwt: codec(kept, clock), logger, ...options }, { clock })
    expect(told, 'nothing is known before the first token').to.deep.equal([])
    const ada = await testApp.signedIn()
    await ada.update({})
    await testApp.signedIn()
    return told
  }

  it('is a warning of the first token that is written by a codec which drops our claim, once', async () => {
    const dropping = ({ latchkey: _, ...token }: JWT, maxAge: number, seconds: number) => ({
      ...token,
      exp: seconds + maxAge,
    })
    expect(await warned(dropping)).to.deep.equal([['session-claim-lost', { lost: ['latchkey'] }]])
  })

  it('tells of the end that is missing as well, without which session.maxLifetime lets nobody in', async () => {
    const picking = ({ sub, name }: JWT) => ({ sub: sub ?? '', name })
    const lost = [['session-claim-lost', { lost: ['latchkey', 'exp'] }]]
    expect(await warned(picking)).to.deep.equal(lost)
    expect(await warned(picking, { session: { maxLifetime: DAY } })).to.deep.equal(lost)
  })

  it('is not told of a codec that keeps the claim, nor of the built-in one', async () => {
    expect(await warned((token) => token)).to.deep.equal([])
    expect(await warned((token) => token, { jwt: {} })).to.deep.equal([])
  })

  it('waits for a token that can be read', async () => {
    const clock = new Clock()
    const down = { on: true }
    const { decode, encode } = codec(({ sub }) => ({ sub: sub ?? '' }), clock)
    const jwt: AuthConfig['jwt'] = {
      ...(encode && { encode }),
      decode: (params) => {
        if (down.on) throw new Error('the key store is down')
        return decode?.(params) ?? null
      },
    }
    const testApp = openTestApp({ jwt }, { clock })
    await testApp.signedIn()
    expect(testApp.log.warnings).to.deep.equal([])
    down.on = false
    await testApp.signedIn()
    expect(testApp.log.warnings).to.deep.equal(['session-claim-lost'])
  })
})
