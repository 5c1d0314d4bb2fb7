import { expect } from 'chai'
import type { AuthConfig } from '../../lib/index.js'
import { requestContext } from '../support/request-context.js'
import { endOf, openTestApp, SESSION, sessionCookies } from '../support/test-app.js'
import { openTestAppWithStore } from '../support/test-app-with-store.js'
import { claimsOf, forge } from '../support/tokens.js'

const DAY = 24 * 60 * 60
const HOUR = 60 * 60

const tokenIn = (browser: { jar: Map<string, { value: string }> }) => browser.jar.get(SESSION)?.value ?? ''

describe('the renewal of a token session', () => {
  it('is left as it is until a day has passed, and extended then', async () => {
    const { clock, signedIn } = openTestApp()
    const ada = await signedIn()
    const end = clock.seconds + 30 * DAY
    const token = tokenIn(ada)

    clock.advance(DAY - 1)
    const early = await ada.get('/auth/session')
    expect(early.setCookies).to.deep.equal([])
    expect(endOf(early.json())).to.equal(end)

    clock.advance(1)
    const due = await ada.get('/auth/session')
    expect(sessionCookies(due)).to.have.length(1)
    expect(tokenIn(ada)).not.to.equal(token)
    expect(endOf(due.json())).to.equal(end + DAY)
  })

  it('is extended once per updateAge, however often it is read', async () => {
    const { clock, signedIn } = openTestApp({ session: { maxAge: 10 * HOUR, updateAge: HOUR } })
    const ada = await signedIn()
    let writes = 0
    for (let minute = 0; minute < 300; minute += 10) {
      clock.advance(600)
      writes += (await ada.get('/auth/session')).setCookies.length
    }
    expect(writes).to.equal(5)
  })

  it('is extended at every read when updateAge is 0', async () => {
    const { clock, signedIn } = openTestApp({ session: { updateAge: 0 } })
    const ada = await signedIn()
    for (const _ of [1, 2, 3]) {
      clock.advance(1)
      const answer = await ada.get('/auth/session')
      expect(sessionCookies(answer)).to.have.length(1)
      expect(endOf(answer.json())).to.equal(clock.seconds + 30 * DAY)
    }
  })

  for (const updateAge of [undefined, 90 * 60, HOUR]) {
    it(`of one hour does not lapse under a visitor who stays, with updateAge ${updateAge ?? 'unset'}`, async () => {
      const { clock, signedIn } = openTestApp({ session: { maxAge: HOUR, ...(updateAge && { updateAge }) } })
      const ada = await signedIn()
      for (let minute = 0; minute < 24 * 60; minute += 20) {
        clock.advance(20 * 60)
        expect(await ada.session(), `after ${minute} minutes`).not.to.equal(null)
      }
      clock.advance(HOUR)
      expect(await ada.session()).to.equal(null)
    })
  }

  it('that is older is shortened at the next read if maxAge was lowered', async () => {
    const { clock, browser } = openTestApp({ session: { maxAge: HOUR } })
    const ada = browser()
    ada.plant(SESSION, await forge({ sub: '1', iat: clock.seconds, exp: clock.seconds + 30 * DAY }))
    expect(endOf(await ada.session())).to.equal(clock.seconds + HOUR)
    expect((await claimsOf(tokenIn(ada))).exp).to.equal(clock.seconds + HOUR)
  })

  it('is extended by an update, whenever it comes', async () => {
    const { clock, signedIn } = openTestApp()
    const ada = await signedIn()
    clock.advance(5)
    const answer = await ada.update({ anything: 1 })
    expect(endOf(answer.json())).to.equal(clock.seconds + 30 * DAY)
    expect(sessionCookies(answer)[0]?.expires?.getTime()).to.equal((clock.seconds + 30 * DAY) * 1000)
  })

  it('is read without a web request, and the cookies that extend it are handed over', async () => {
    const { clock, signedIn, engine, origin } = openTestApp()
    const ada = await signedIn()
    expect((await engine.renewSession(requestContext(ada.cookieHeader(), origin))).cookies).to.deep.equal([])
    clock.advance(DAY)
    const { session, cookies } = await engine.renewSession(requestContext(ada.cookieHeader(), origin))
    expect(endOf(session)).to.equal(clock.seconds + 30 * DAY)
    expect(cookies.map(({ name, options }) => ({ name, expires: options.expires?.getTime() }))).to.deep.equal([
      { name: SESSION, expires: (clock.seconds + 30 * DAY) * 1000 },
    ])
  })

  it('SESS-06: writing seldom never lets an active session lapse; cookie and token agree', async () => {
    for (const [maxAge, updateAge] of [
      [HOUR, 0],
      [HOUR, HOUR / 4],
      [HOUR, HOUR],
      [HOUR, DAY],
      [30 * DAY, DAY],
    ] as const) {
      const { clock, signedIn } = openTestApp({ session: { maxAge, updateAge } })
      const ada = await signedIn()
      for (let step = 0; step < 40; step += 1) {
        clock.advance(maxAge / 4)
        const end = endOf(await ada.session())
        expect(end, `maxAge ${maxAge}, updateAge ${updateAge}, step ${step}`).to.be.greaterThan(clock.seconds)
        expect(ada.jar.get(SESSION)?.expires?.getTime()).to.equal(end * 1000)
        expect((await claimsOf(ada.jar.get(SESSION)?.value ?? '')).exp).to.equal(end)
      }
    }
  })
})

describe('the renewal of a stored session', () => {
  it('slides row and cookie together, once per updateAge', async () => {
    const { clock, signedIn, calls } = openTestAppWithStore()
    const ada = await signedIn()
    const end = clock.seconds + 30 * DAY
    clock.advance(DAY - 1)
    const early = await ada.get('/auth/session')
    expect(early.setCookies).to.deep.equal([])
    expect(endOf(early.json())).to.equal(end)
    // The last use was stored, for the list of sessions.
    calls.length = 0
    clock.advance(1)
    const due = await ada.get('/auth/session')
    expect(sessionCookies(due)[0]?.expires?.getTime()).to.equal((end + DAY) * 1000)
    expect(endOf(due.json())).to.equal(end + DAY)
    expect((await ada.get('/auth/session')).setCookies).to.deep.equal([])
    expect(calls.filter((name) => name === 'updateSession')).to.have.length(1)
  })

  it('SESS-17 is extended by one write, however many requests come at once', async () => {
    const { clock, signedIn, calls } = openTestAppWithStore({}, (store) => ({
      ...store,
      getSessionAndUser: async (token) => {
        const found = store.getSessionAndUser?.(token) ?? null
        await new Promise((resolve) => setTimeout(resolve, 5))
        return found
      },
    }))
    const ada = await signedIn()
    clock.advance(2 * DAY)
    const answers = await Promise.all(Array.from({ length: 1000 }, () => ada.copy().get('/auth/session')))
    expect(new Set(answers.map(({ body }) => body)).size).to.equal(1)
    expect(calls.filter((name) => name === 'updateSession')).to.have.length(1)
  })

  it('is still served when it cannot be extended, until its present end', async () => {
    const { clock, signedIn, log } = openTestAppWithStore({}, (store) => ({
      ...store,
      updateSession: () => Promise.reject(new Error('the store is read-only')),
    }))
    const ada = await signedIn()
    const end = clock.seconds + 30 * DAY
    clock.advance(2 * DAY)
    expect(endOf(await ada.session())).to.equal(end)
    expect(log.errors.map(({ name }) => name)).to.deep.equal(['SessionTokenError'])
  })

  it('SESS-14 stays ended when it was deleted while it was being extended', async () => {
    const { clock, signedIn, store } = openTestAppWithStore({}, (memory) => ({
      ...memory,
      async updateSession(session) {
        await memory.deleteSession?.(session.sessionToken)
        return memory.updateSession?.(session) ?? null
      },
    }))
    const ada = await signedIn()
    clock.advance(2 * DAY)
    await ada.session()
    expect(await ada.session()).to.equal(null)
    expect(store.getUser('1815')).to.not.equal(null)
  })
})

describe('claims that the jwt callback changes between extensions', () => {
  const counting: Partial<AuthConfig> = {
    callbacks: {
      jwt: ({ token }) => ({ ...token, reads: Number(token['reads'] ?? 0) + 1 }),
      session: ({ session, token }) => ({ ...session, reads: token['reads'] }),
    },
  }

  it('are saved, and the end stays where it was', async () => {
    const { clock, signedIn } = openTestApp(counting)
    const ada = await signedIn()
    const end = clock.seconds + 30 * DAY
    for (const reads of [2, 3, 4]) {
      clock.advance(60)
      const answer = await ada.get('/auth/session')
      expect(answer.json()).to.include({ reads })
      expect(endOf(answer.json())).to.equal(end)
      expect(sessionCookies(answer)[0]?.expires?.getTime()).to.equal(end * 1000)
      expect(await claimsOf(tokenIn(ada))).to.include({ reads, exp: end })
    }
  })

  it('do not keep the session from being extended in time', async () => {
    const { clock, signedIn } = openTestApp({ ...counting, session: { maxAge: 3 * HOUR, updateAge: HOUR } })
    const ada = await signedIn()
    for (let minutes = 0; minutes < 10 * 60; minutes += 30) {
      clock.advance(30 * 60)
      expect(await ada.session(), `after ${minutes} minutes`).not.to.equal(null)
    }
  })

  it('are noticed when the callback changes its argument in place, deep inside too', async () => {
    const { signedIn } = openTestApp({
      callbacks: {
        jwt({ token, user }) {
          if (user) token['nested'] = { list: [] as number[] }
          else (token['nested'] as { list: number[] }).list.push(1)
          return token
        },
      },
    })
    const ada = await signedIn()
    expect(sessionCookies(await ada.get('/auth/session'))).to.have.length(1)
    expect((await claimsOf(tokenIn(ada)))['nested']).to.deep.equal({ list: [1] })
  })

  const SAME: Record<string, NonNullable<AuthConfig['callbacks']>['jwt']> = {
    'the same token': ({ token }) => token,
    'a copy': ({ token }) => ({ ...token }),
    'a copy with its members in another order': ({ token }) => Object.fromEntries(Object.entries(token).reverse()),
    'absent members as undefined': ({ token }) => ({ ...token, role: undefined, nested: { role: undefined } }),
    'a date that the token holds as text': ({ token }) => ({ ...token, born: new Date(0), nested: {} }),
    'other iat, exp and jti': ({ token }) => ({ ...token, iat: 1, exp: 2, jti: 'mine' }),
  }
  for (const [name, jwt] of Object.entries(SAME)) {
    it(`are none when it gives ${name}: nothing is written`, async () => {
      const { signedIn, clock } = openTestApp({ callbacks: { ...(jwt && { jwt }) } })
      const ada = await signedIn()
      await ada.get('/auth/session')
      clock.advance(60)
      expect((await ada.get('/auth/session')).setCookies).to.deep.equal([])
    })
  }
})

describe('an updated session', () => {
  it('hands what the client sent to both callbacks', async () => {
    const seen: unknown[] = []
    const { signedIn } = openTestApp({
      callbacks: {
        jwt({ token, trigger, session }) {
          seen.push(['jwt', trigger, session])
          return trigger === 'update' ? { ...token, theme: session.theme } : token
        },
        session({ session, token, trigger, newSession }) {
          seen.push(['session', trigger, newSession])
          return { ...session, theme: token['theme'] }
        },
      },
    })
    const ada = await signedIn()
    const data = { theme: 'dark', nested: { list: [1, null] } }
    expect((await ada.update(data)).json()).to.include({ theme: 'dark' })
    expect(await ada.session()).to.include({ theme: 'dark' })
    expect(seen).to.deep.equal([
      ['jwt', 'signIn', undefined],
      ['jwt', 'update', data],
      ['session', 'update', data],
      ['jwt', undefined, undefined],
      ['session', undefined, undefined],
    ])
  })

  it('needs the CSRF token: 400, null, and nothing changes', async () => {
    const { signedIn } = openTestApp()
    const ada = await signedIn()
    const answer = await ada.postJson('/auth/session', { data: {} })
    expect({ status: answer.status, body: answer.json(), cookies: answer.setCookies }).to.deep.equal({
      status: 400,
      body: null,
      cookies: [],
    })
    expect(await ada.session()).not.to.equal(null)
  })

  it('is null when nobody is signed in', async () => {
    const stranger = openTestApp().browser()
    const answer = await stranger.update({ name: 'Ada' })
    expect([answer.status, answer.json()]).to.deep.equal([200, null])
    expect(stranger.sessionNames()).to.deep.equal([])
  })
})
