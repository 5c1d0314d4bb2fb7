import { expect } from 'chai'
import { jwtVerify, SignJWT } from 'jose'
import type { AuthConfig, JWT } from '../../lib/index.js'
import { requestContext } from '../support/request-context.js'
import { Clock, openTestApp, SESSION, sessionCookies, type TestApp, type TestBrowser } from '../support/test-app.js'
import { openTestAppWithStore } from '../support/test-app-with-store.js'
import { forge } from '../support/tokens.js'

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

/** A codec that keeps only some claims of a token. */
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
      const apps = order.startsWith('the short') ? [make(60), make(30 * DAY)] : [make(30 * DAY), make(60)].reverse()
      const [short, long] = apps as [ReturnType<typeof make>, ReturnType<typeof make>]
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
    const logged: unknown[] = []
    const logger = { warn: (code: string, data: unknown) => void logged.push([code, data]) }
    const testApp = openTestApp({ jwt: codec(kept, clock), logger, ...options }, { clock })
    expect(logged, 'nothing is known before the first token').to.deep.equal([])
    const ada = await testApp.signedIn()
    await ada.update({})
    await testApp.signedIn()
    return logged
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

  it('does not warn about a codec that keeps the claim, nor about the built-in codec', async () => {
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

describe('the revocation of a token session, by a sign-out', () => {
  it('ends every spelling of a token of a codec that drops our claim', async () => {
    const key = new TextEncoder().encode(freshSecret())
    const clock = new Clock()
    const jwt: AuthConfig['jwt'] = {
      encode: ({ token, maxAge = 0 }) =>
        new SignJWT({ sub: token?.sub, name: token?.name })
          .setProtectedHeader({ alg: 'HS256' })
          .setExpirationTime(clock.seconds + maxAge)
          .sign(key),
      decode: async ({ token = '' }) =>
        (await jwtVerify(token, key, { currentDate: new Date(clock.ms) })).payload as JWT,
    }
    const ada = await openTestApp({ jwt }, { clock }).signedIn()
    const original = ada.jar.get(SESSION)?.value ?? ''
    // The last character of a signature of 32 bytes has two bits that decoders ignore.
    const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    const respelled = original.slice(0, -1) + letters[letters.indexOf(original.at(-1) ?? '') + 1]
    const thief = ada.copy()
    const spellings = [original, respelled, `${original}=`]
    for (const [over, spelling] of [false, true].flatMap((over) => spellings.map((each) => [over, each] as const))) {
      if (over && spelling === original) await ada.signOut()
      thief.plant(SESSION, spelling)
      expect((await thief.copy().session()) === null, `${over} ${spellings.indexOf(spelling)}`).to.equal(over)
    }
  })

  it('makes a copied cookie worthless, for every route', async () => {
    const { signedIn, engine, origin } = openTestApp()
    const ada = await signedIn()
    const thief = ada.copy()
    expect(await thief.session()).not.to.equal(null)
    await ada.signOut()
    expect(await thief.session()).to.equal(null)
    expect((await engine.renewSession(requestContext(thief.cookieHeader(), origin))).session).to.equal(null)
    expect((await thief.update({ name: 'Mallory' })).json()).to.equal(null)
  })

  it('keeps it worthless until the token has expired by itself, tolerance included', async () => {
    const { signedIn, clock } = openTestApp({ session: { maxAge: 3600, updateAge: 0 } })
    const ada = await signedIn()
    const token = ada.jar.get(SESSION)?.value ?? ''
    await ada.signOut()
    for (let minute = 0; minute < 62; minute += 1) {
      const thief = ada.copy()
      thief.plant(SESSION, token)
      expect(await thief.session(), `${minute} minutes later`).to.equal(null)
      clock.advance(60)
    }
  })

  it('ends one session and no other of the same person', async () => {
    const { signedIn } = openTestApp()
    const [laptop, phone] = [await signedIn(), await signedIn()]
    await laptop.signOut()
    expect((await phone.session())?.user?.name).to.equal('Ada')
  })

  /** What makes another form of the same session out of a copy. */
  const LATER_FORMS: Record<string, (copy: TestBrowser) => Promise<unknown>> = {
    'an update': (copy) => copy.update({ name: 'Mallory' }),
    'an extension': async (copy) => {
      copy.clock.advance(DAY)
      return copy.session()
    },
    'a change by the jwt callback': async (copy) => {
      counting.on = true
      await copy.session()
      counting.on = false
    },
    'an update of an extension, twice over': async (copy) => {
      for (const _ of [1, 2]) {
        copy.clock.advance(2 * DAY)
        await copy.session()
        await copy.update({})
      }
    },
  }
  const counting = { on: false }
  const callbacks: AuthConfig['callbacks'] = {
    jwt: ({ token }) => (counting.on ? { ...token, reads: Number(token['reads'] ?? 0) + 1 } : token),
  }
  const tokenIn = ({ jar }: TestBrowser) => jar.get(SESSION)?.value ?? ''

  /** A session of ours, and one that Auth.js began. */
  const BEGUN = {
    Latchkey: async (testApp: TestApp) => testApp.signedIn(),
    'Auth.js': async (testApp: TestApp) => {
      const browser = testApp.browser()
      const { seconds } = testApp.clock
      const times = { iat: seconds, exp: seconds + 30 * DAY, jti: crypto.randomUUID() }
      browser.plant(SESSION, await forge({ sub: '1815', name: 'Ada', ...times }))
      return browser
    },
  }

  for (const [name, change] of Object.entries(LATER_FORMS)) {
    for (const [beginner, begin] of Object.entries(BEGUN)) {
      it(`LOGOUT-02: makes a copy worthless that ${name} has changed, of a session that ${beginner} began`, async () => {
        const testApp = openTestApp({ callbacks })
        const ada = await begin(testApp)
        const thief = ada.copy()
        await change(thief)
        expect(tokenIn(thief)).not.to.equal(tokenIn(ada))
        expect(await thief.session()).not.to.equal(null)
        await ada.signOut()
        expect(await thief.session()).to.equal(null)
        expect((await thief.update({})).json()).to.equal(null)
      })

      it(`LOGOUT-02: in a copy that ${name} has changed ends the session of ${beginner} that it was made of`, async () => {
        const testApp = openTestApp({ callbacks })
        const thief = await begin(testApp)
        const ada = thief.copy()
        await change(ada)
        await ada.signOut()
        expect(await thief.session()).to.equal(null)
      })
    }
  }

  it('is remembered for as long as any form of the session could live, and not the one that was presented', async () => {
    const { signedIn, clock } = openTestApp({ session: { maxAge: 3600, updateAge: 0 } })
    const ada = await signedIn()
    const thief = ada.copy()
    clock.advance(3000)
    const [original] = [tokenIn(ada), await thief.session()]
    const extended = tokenIn(thief)
    ada.plant(SESSION, original)
    await ada.signOut()
    for (let minute = 0; minute < 62; minute += 1) {
      const copy = ada.copy()
      copy.plant(SESSION, extended)
      expect(await copy.session(), `${minute} minutes later`).to.equal(null)
      clock.advance(60)
    }
  })

  it('SESS-14: wins over an update whose token is being written', async () => {
    const written: (() => void)[] = []
    const slow = { on: false }
    const { signedIn } = openTestApp({
      jwt: {
        async encode({ token }) {
          if (slow.on) await new Promise<void>((resolve) => written.push(resolve))
          return Buffer.from(JSON.stringify(token)).toString('base64url')
        },
        decode: ({ token }) => JSON.parse(Buffer.from(token ?? '', 'base64url').toString()),
      },
    })
    const ada = await signedIn()
    const thief = ada.copy()
    slow.on = true
    const updating = thief.update({ name: 'Mallory' })
    while (written.length === 0) await new Promise((resolve) => setImmediate(resolve))
    await ada.signOut()
    for (const release of written) release()
    const answer = await updating
    expect([answer.json(), sessionCookies(answer)]).to.deep.equal([null, []])
  })

  it('SESS-14: wins over an account that is being added to the session', async () => {
    const { signedIn, engine, origin } = openTestApp()
    const { sessions } = engine.config.schemeFor(origin)
    const ada = await signedIn()
    const cookies = new Map([[SESSION, tokenIn(ada)]])
    const principal = await sessions.readPrincipal(requestContext(cookies))
    await ada.signOut()
    const account = { provider: 'acme', type: 'oidc', providerAccountId: 'of the thief' } as const
    const start = { user: { id: principal?.id ?? '' }, account, isNewUser: false }
    expect(await sessions.addAccount(requestContext(cookies), start)).to.deep.equal([])
    // A sign-in of its own stands on no session of before.
    expect((await sessions.issue(requestContext(cookies), start)).some(({ value }) => value !== '')).to.equal(true)
  })

  it('wins over a read that began before it', async () => {
    let release = () => {}
    let reached = () => {}
    const slow: { on: boolean } = { on: false }
    const arrived = new Promise<void>((resolve) => {
      reached = resolve
    })
    const { signedIn } = openTestApp({
      session: { updateAge: 0 },
      callbacks: {
        jwt({ token }) {
          if (!slow.on) return token
          reached()
          return new Promise((resolve) => {
            release = () => resolve(token)
          })
        },
      },
    })
    const ada = await signedIn()
    const tab = ada.copy()
    slow.on = true
    const reading = tab.get('/auth/session')
    await arrived
    slow.on = false
    await ada.signOut()
    release()
    const answer = await reading
    expect(answer.json()).to.equal(null)
    expect(sessionCookies(answer)).to.deep.equal([])
  })
})

describe('the revocation of a stored session, by a sign-out', () => {
  it('LOGOUT-02 is gone from the store after signing out, for every copy of the cookie', async () => {
    const emitted: unknown[] = []
    const { signedIn } = openTestAppWithStore({ events: { signOut: (message) => void emitted.push(message) } })
    const ada = await signedIn()
    const copy = ada.copy()
    await ada.signOut()
    expect(await copy.session()).to.equal(null)
    expect(emitted).to.have.length(1)
    expect(emitted[0]).to.have.nested.property('session.userId', '1815')
  })
})
