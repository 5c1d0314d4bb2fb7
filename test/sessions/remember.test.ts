import { expect } from 'chai'
import { memoryAdapter } from '../../lib/adapters/memory.js'
import type { AuthConfig } from '../../lib/index.js'
import Credentials from '../../lib/providers/credentials.js'
import { ADA } from '../support/app.js'
import { asAuthjsHasIt } from '../support/stores.js'
import {
  Clock,
  openTestApp,
  SESSION,
  sessionCookies,
  type TestApp,
  type TestBrowser,
  whoIs,
} from '../support/test-app.js'

const HOUR = 60 * 60
const DAY = 24 * HOUR
const TIMES = { maxAge: DAY, updateAge: HOUR, remember: { maxAge: 30 * DAY } }
const TICKED = { ...ADA, remember: 'on' }

type Options = Partial<AuthConfig> & { session?: AuthConfig['session'] }

/** Both strategies, and a store whose adapter was made for Auth.js. */
const STRATEGIES: Readonly<Record<string, (options?: Options, clock?: Clock) => Promise<TestApp>>> = {
  jwt: async ({ session, ...more } = {}, clock = new Clock()) =>
    openTestApp({ session: { ...TIMES, ...session }, ...more }, { clock }),
  database: async (options = {}, clock = new Clock()) => storedIn(memoryAdapter(), options, clock),
  'database, with an adapter made for Auth.js,': async (options = {}, clock = new Clock()) =>
    storedIn(asAuthjsHasIt(memoryAdapter()), options, clock),
}

async function storedIn(adapter: NonNullable<AuthConfig['adapter']>, { session, ...more }: Options, clock: Clock) {
  await adapter.createUser?.({ id: '1815', name: 'Ada', email: 'ada@example.com', image: null, emailVerified: null })
  return openTestApp({ adapter, session: { strategy: 'database', ...TIMES, ...session }, ...more }, { clock })
}

/** What a browser does when it is closed: it deletes every cookie that has no expiry. */
function close(browser: TestBrowser): void {
  for (const [name, { expires }] of browser.jar) if (!expires) browser.jar.delete(name)
}

/** The session cookie that an answer set: whether it outlives the browser. */
const isPersistent = (answer: Parameters<typeof sessionCookies>[0]): boolean[] =>
  sessionCookies(answer)
    .filter(({ value }) => value !== '')
    .map(({ expires, maxAge }) => expires !== undefined || maxAge !== undefined)

async function signedIn(app: TestApp, fields: Record<string, string>): Promise<TestBrowser> {
  const browser = app.browser()
  await browser.signIn(fields)
  expect(await whoIs(browser)).to.equal('ada@example.com')
  return browser
}

/** Uses a session every half of an hour. Gives for how many hours that goes, at most so many. */
async function hoursInUse(browser: TestBrowser, most: number): Promise<number> {
  for (let halves = 0; halves < 2 * most; halves += 1) {
    if ((await browser.session()) === null) return halves / 2
    browser.clock.advance(HOUR / 2)
  }
  return Number.POSITIVE_INFINITY
}

for (const [name, open] of Object.entries(STRATEGIES)) {
  describe(`a ${name} session of a visitor who is asked whether to stay signed in`, () => {
    it('ends when the browser is closed, if the box was not ticked', async () => {
      const ada = await signedIn(await open(), ADA)
      close(ada)
      expect(await whoIs(ada)).to.equal(null)
    })

    it('survives the end of the browser, if the box was ticked', async () => {
      const ada = await signedIn(await open(), TICKED)
      close(ada)
      expect(await whoIs(ada)).to.equal('ada@example.com')
    })

    it('has a cookie without Max-Age and Expires at the sign-in, at every renewal and update, if not ticked', async () => {
      const app = await open({ session: { updateAge: 0 } })
      const ada = app.browser()
      expect(isPersistent(await ada.signIn(ADA))).to.deep.equal([false])
      for (let renewal = 0; renewal < 3; renewal += 1) {
        app.clock.advance(HOUR)
        expect(isPersistent(await ada.get('/auth/session'))).to.deep.equal([false])
      }
      expect(isPersistent(await ada.update({ a: 1 }))).to.not.include(true)
    })

    it('keeps its expiry in the cookie at every renewal, if ticked', async () => {
      const app = await open({ session: { updateAge: 0 } })
      const ada = app.browser()
      expect(isPersistent(await ada.signIn(TICKED))).to.deep.equal([true])
      for (let renewal = 0; renewal < 3; renewal += 1) {
        app.clock.advance(HOUR)
        expect(isPersistent(await ada.get('/auth/session'))).to.deep.equal([true])
      }
    })

    it('expires by session.maxAge on the server, if not ticked: a copy of its cookie does not stay good', async () => {
      const app = await open()
      const thief = (await signedIn(app, ADA)).copy()
      app.clock.advance(DAY + 30)
      expect(thief.cookieHeader()).to.include(SESSION)
      expect(await whoIs(thief)).to.equal(null)
    })

    it('expires by session.remember.maxAge after the last renewal, if ticked', async () => {
      const app = await open()
      const ada = await signedIn(app, TICKED)
      app.clock.advance(30 * DAY - HOUR)
      expect(await whoIs(ada)).to.equal('ada@example.com')
      app.clock.advance(30 * DAY - HOUR)
      expect(await whoIs(ada)).to.equal('ada@example.com')
      const thief = ada.copy()
      for (const cookie of thief.jar.values()) cookie.expires = undefined
      app.clock.advance(30 * DAY + 30)
      expect(await whoIs(thief)).to.equal(null)
    })

    it('takes only a ticked box for a yes, and reads no lifetime from the form', async () => {
      const app = await open()
      for (const remember of ['', 'off', 'false', '0', 'no', '99999999', 'ON ', 'null']) {
        const ada = app.browser()
        expect(isPersistent(await ada.signIn({ ...ADA, remember })), remember).to.deep.equal([false])
      }
      const ada = await signedIn(app, { ...TICKED, maxAge: '999999999', 'remember.maxAge': '999999999', lifetime: '1' })
      for (const cookie of ada.jar.values()) cookie.expires = undefined
      app.clock.advance(30 * DAY + 30)
      expect(await whoIs(ada)).to.equal(null)
    })

    it('takes true of a JSON body, and nothing like it', async () => {
      const app = await open()
      for (const [remember, expected] of [
        [true, true],
        ['on', true],
        [false, false],
        [['on'], false],
        [{ on: true }, false],
        [7, false],
      ] as const) {
        const ada = app.browser()
        const csrfToken = await ada.csrfToken()
        const answer = await ada.postJson('/auth/callback/credentials', { ...ADA, csrfToken, remember })
        expect(isPersistent(answer), JSON.stringify(remember)).to.deep.equal([expected])
      }
    })

    it('gets the choice of the newer sign-in, when somebody signs in again in the same browser', async () => {
      const app = await open()
      const ada = await signedIn(app, TICKED)
      await ada.signIn(ADA)
      close(ada)
      expect(await whoIs(ada)).to.equal(null)
    })

    it('ends by maxLifetime all the same, if ticked', async () => {
      const app = await open({ session: { maxLifetime: 5 * HOUR } })
      const ada = await signedIn(app, TICKED)
      // A store that does not keep the time of the sign-in never renews such a session.
      expect(await hoursInUse(ada, 8)).to.equal(5)
    })

    it('cannot be given another choice by changing the cookie', async () => {
      const app = await open()
      const ada = await signedIn(app, ADA)
      const value = ada.jar.get(SESSION)?.value ?? ''
      for (const other of [value.replace('r0', 'r1'), `${value}~latchkey.r1`, value.replace(/~.*/, '')]) {
        if (other === value) continue
        const thief = app.browser()
        thief.plant(SESSION, other)
        expect(await whoIs(thief), other.slice(-20)).to.equal(null)
      }
    })

    it('keeps the box ticked after a failed attempt, and a box that was not ticked as it is', async () => {
      const app = await open()
      const ada = app.browser()
      for (const [fields, expected] of [
        [{ ...TICKED, password: 'wrong' }, true],
        [{ ...ADA, password: 'wrong' }, false],
      ] as const) {
        const { location } = await ada.signIn(fields)
        const { body } = await ada.get(new URL(location ?? '').pathname + new URL(location ?? '').search)
        expect(body).to.include('Keep me signed in')
        expect(/name="remember" checked/.test(body)).to.equal(expected)
      }
    })

    it('keeps the field from authorize, unless the application has a field of that name', async () => {
      const entered: object[] = []
      const user = { id: '1815', name: 'Ada', email: 'ada@example.com' }
      for (const credentials of [{ username: {} }, { username: {}, remember: { type: 'checkbox' } }]) {
        const authorize = (given: object) => {
          entered.push({ ...given })
          return user
        }
        const app = await open({ providers: [Credentials({ credentials, authorize } as never)] })
        expect(isPersistent(await app.browser().signIn({ username: 'ada', remember: 'on' }))).to.deep.equal([true])
      }
      expect(entered).to.deep.equal([{ username: 'ada' }, { username: 'ada', remember: 'on' }])
    })

    it('has no ticked box on a page without a failure, whatever its address says', async () => {
      const { body } = await (await open()).browser().get('/auth/signin?remember=on')
      expect(body).to.match(/name="remember">/)
    })

    it('becomes one that ends with the browser, if it began before anybody was asked', async () => {
      const clock = new Clock()
      const adapter = name === 'jwt' ? undefined : memoryAdapter()
      const more = adapter && { adapter }
      const before = await open({ session: { remember: undefined }, ...more } as Options, clock)
      const after = await open({ ...more }, clock)
      if (adapter) await adapter.createUser({ ...PERSON })
      const old = await signedIn(before, ADA)
      expect(old.jar.get(SESSION)?.expires).to.be.instanceOf(Date)
      const now = after.browser()
      for (const [key, cookie] of old.jar) now.jar.set(key, cookie)
      clock.advance(2 * HOUR)
      expect(isPersistent(await now.get('/auth/session'))).to.deep.equal([false])
    })

    it('is as it was where nobody is asked: the field counts for nothing', async () => {
      const app = await open({ session: { remember: undefined } } as Options)
      const ada = app.browser()
      expect(isPersistent(await ada.signIn(TICKED))).to.deep.equal([true])
      expect(ada.jar.get(SESSION)?.value).to.not.include('~')
      app.clock.advance(DAY + 30)
      expect(await whoIs(ada)).to.equal(null)
      expect((await ada.get('/auth/signin')).body).to.not.include('Keep me signed in')
    })

    it('does not outlive the browser because the application configured a Max-Age of the cookie', async () => {
      const app = await open({ cookies: { sessionToken: { options: { maxAge: 1000 } } } })
      expect(isPersistent(await app.browser().signIn(ADA))).to.deep.equal([false])
    })
  })
}

const PERSON = { id: '1815', name: 'Ada', email: 'ada@example.com', image: null, emailVerified: null }
