import { expect } from 'chai'
import { memoryAdapter } from '../../lib/adapters/memory.js'
import type { Adapter, AuthConfig } from '../../lib/index.js'
import { MissingAdapterMethods, RequestRefused, SessionTokenError } from '../../lib/kernel/errors.js'
import type { Authentication } from '../../lib/sessions/authentication.js'
import { failureOf } from '../support/failure.js'
import { requestContext } from '../support/request-context.js'
import { asAuthjsHasIt, STORES } from '../support/stores.js'
import { openTestApp, SESSION, type TestApp, type TestBrowser, whoIs } from '../support/test-app.js'
import { aMoment, inAHurry } from '../support/timers.js'
import { allClaimsOf } from '../support/tokens.js'

const TOTP: Authentication = { factors: 2, amr: ['otp'] }
const HOUR = 60 * 60
const DAY = 24 * HOUR

const contextOf = (browser: TestBrowser) => requestContext(browser.cookieHeader(), browser.origin)
const sessionsOf = (app: TestApp) => app.engine.config.schemeFor(app.origin).sessions
const readingOf = (app: TestApp, browser: TestBrowser) => app.engine.readSession(contextOf(browser))

/** Raises the session of a browser, which takes the new cookie. Gives false if nobody is signed in. */
async function raise(app: TestApp, browser: TestBrowser, proved: Authentication | null = TOTP): Promise<boolean> {
  const changes = await sessionsOf(app).raise(contextOf(browser), proved)
  for (const { name, value, options } of changes ?? []) browser.jar.set(name, { value, expires: options.expires })
  return changes !== null
}

const withAda = (adapter = memoryAdapter()) => {
  adapter.createUser({ id: '1815', name: 'Ada', email: 'ada@example.com', image: null, emailVerified: null })
  return adapter
}

/** Where sessions are kept, with what an application configures for it. */
const PLACES: Readonly<Record<string, () => Partial<AuthConfig>>> = {
  'a token': () => ({}),
  'a token that a store knows': () => ({ session: { revocation: { store: memoryAdapter() } } }),
  'a row': () => ({ adapter: withAda() }),
}

for (const [place, options] of Object.entries(PLACES)) {
  describe(`a session in ${place} that is raised`, () => {
    const open = (more: Partial<AuthConfig> = {}) => {
      const given = options()
      return openTestApp({ ...given, ...more, session: { ...given.session, ...more.session } })
    }

    it('shows the second factor and the time, and keeps everything else', async () => {
      const app = open()
      const ada = await app.signedIn()
      const before = await readingOf(app, ada)
      app.clock.advance(10 * 60)
      expect(await raise(app, ada)).to.equal(true)
      const after = await readingOf(app, ada)
      expect(after.authentication).to.deep.equal(TOTP)
      expect(after.authenticatedAt).to.equal(app.clock.ms)
      expect([after.userId, after.session?.user]).to.deep.equal([before.userId, before.session?.user])
      expect(await ada.current()).to.deep.include({ amr: ['otp'], auth_time: app.clock.seconds })
      expect(Date.parse(String(after.session?.expires))).to.equal(app.clock.ms + 30 * DAY * 1000)
    })

    it('becomes no more recent by a second factor alone, where the rest was shown long ago', async () => {
      const app = open()
      const ada = await app.signedIn()
      app.clock.advance(HOUR)
      expect(await raise(app, ada)).to.equal(true)
      const { authenticatedAt, authentication } = await readingOf(app, ada)
      expect(authentication).to.deep.equal(TOTP)
      expect(app.clock.ms - Number(authenticatedAt)).to.be.within((HOUR - 3) * 1000, HOUR * 1000)
    })

    it('adds what is proved to what was', async () => {
      const app = open()
      const ada = await app.signedIn()
      await raise(app, ada, { amr: ['pwd'], acr: 'silver' })
      await raise(app, ada)
      expect((await readingOf(app, ada)).authentication).to.deep.equal({
        factors: 2,
        amr: ['pwd', 'otp'],
        acr: 'silver',
      })
    })

    it('has another credential, so that a copy of the earlier one shows nothing', async () => {
      const app = open()
      const ada = await app.signedIn()
      const thief = ada.copy()
      app.clock.advance(HOUR)
      await raise(app, ada)
      expect(ada.jar.get(SESSION)?.value).to.not.equal(thief.jar.get(SESSION)?.value)
      for (const seconds of [0, 2 * DAY]) {
        app.clock.advance(seconds)
        await thief.session()
        await thief.update({})
        expect((await readingOf(app, thief)).authentication).to.equal(undefined)
        expect(await whoIs(thief)).to.equal(place === 'a token' ? 'ada@example.com' : null)
        expect(await whoIs(ada)).to.equal('ada@example.com')
      }
    })

    it('ends copies of a session that has two factors, also when one of them is shown again', async () => {
      const app = open()
      const ada = await app.signedIn()
      await raise(app, ada)
      const thief = ada.copy()
      await raise(app, ada, { amr: ['pwd'] })
      expect((await readingOf(app, ada)).authentication).to.deep.equal({ factors: 2, amr: ['otp', 'pwd'] })
      expect(await whoIs(thief)).to.equal(place === 'a token' ? 'ada@example.com' : null)
    })

    it('shows nothing anew with nothing proved, keeps its limit, and ends copies all the same', async () => {
      const app = open({ session: { maxLifetime: 8 * HOUR } })
      const ada = await app.signedIn()
      await raise(app, ada)
      const before = await readingOf(app, ada)
      const thief = ada.copy()
      app.clock.advance(10 * 60)
      expect(await raise(app, ada, null)).to.equal(true)
      const after = await readingOf(app, ada)
      expect(after.authentication).to.deep.equal(TOTP)
      expect(Number(after.authenticatedAt) - Number(before.authenticatedAt)).to.be.within(0, 3000)
      expect(await whoIs(thief)).to.equal(place === 'a token' ? 'ada@example.com' : null)
      app.clock.advance(8 * HOUR)
      expect(await whoIs(ada)).to.equal(null)
    })

    it('ends copies of the earlier credential also at the moment in which it was made', async () => {
      const app = open()
      const ada = await app.signedIn()
      const thief = ada.copy()
      await raise(app, ada)
      expect(await whoIs(ada)).to.equal('ada@example.com')
      expect(await whoIs(thief)).to.equal(place === 'a token' ? 'ada@example.com' : null)
    })

    it('keeps the new cookie while requests with the earlier one are under way', async () => {
      const app = open()
      const ada = await app.signedIn()
      const late = ada.copy()
      await raise(app, ada)
      const { setCookies } = await late.get('/auth/session')
      expect(setCookies.filter(({ name }) => name === SESSION)).to.deep.equal([])
    })

    it('ends at the same absolute limit, however often its cookie is replaced', async () => {
      const app = open({ session: { maxLifetime: HOUR } })
      const ada = await app.signedIn()
      for (let seconds = 0; seconds < HOUR - 60; seconds += 30) {
        app.clock.advance(30)
        expect(await raise(app, ada, null)).to.equal(true)
      }
      expect(await whoIs(ada)).to.equal('ada@example.com')
      app.clock.advance(120)
      expect(await whoIs(ada)).to.equal(null)
    })

    it('ends at the same absolute limit, however often it is raised', async () => {
      const app = open({ session: { maxLifetime: 8 * HOUR } })
      const ada = await app.signedIn()
      for (let hours = 0; hours < 7; hours += 1) {
        app.clock.advance(HOUR)
        expect(await raise(app, ada)).to.equal(true)
        await ada.session()
      }
      expect(await whoIs(ada)).to.equal('ada@example.com')
      app.clock.advance(HOUR + 60)
      expect(await whoIs(ada)).to.equal(null)
      expect(await raise(app, ada), 'it is over').to.equal(false)
    })

    it('keeps whether its visitor stays signed in, and the lifetime that the sign-in chose', async () => {
      const app = open({
        session: { remember: { maxAge: 90 * DAY } },
        callbacks: { signIn: () => ({ session: { maxAge: 2 * HOUR } }) },
      })
      for (const remember of ['on', '']) {
        const ada = app.browser()
        await ada.signIn({ username: 'ada', password: 'lovelace', remember })
        const before = ada.jar.get(SESSION)?.expires !== undefined
        app.clock.advance(HOUR)
        await raise(app, ada)
        expect(ada.jar.get(SESSION)?.expires !== undefined).to.equal(before)
        app.clock.advance(2 * HOUR - 60)
        expect((await readingOf(app, ada)).userId).to.equal('1815')
        app.clock.advance(120)
        expect(await whoIs(ada)).to.equal(null)
      }
    })

    it('is nobody’s without a session, with one that has ended, and with one of another secret', async () => {
      const app = open()
      expect(await raise(app, app.browser())).to.equal(false)
      const ada = await app.signedIn()
      const copy = ada.copy()
      await ada.signOut()
      expect(await raise(app, copy)).to.equal(false)
      const stranger = app.browser()
      stranger.plant(SESSION, 'x'.repeat(64))
      expect(await raise(app, stranger)).to.equal(false)
    })

    it('is refused to a bearer token, which stays as it is', async () => {
      const app = open({ bearer: true })
      const ada = await app.signedIn()
      const { token } = await app.engine.issueToken(contextOf(ada), { maxAge: 600 })
      const header = (name: string) => (name === 'authorization' ? `Bearer ${token}` : undefined)
      const program = { ...requestContext(undefined, app.origin), header }
      const refusal = await failureOf(Promise.resolve(sessionsOf(app).raise(program, TOTP)))
      expect(refusal).to.be.instanceOf(RequestRefused)
      expect((refusal as RequestRefused).status).to.equal(403)
      expect((await app.engine.readSession(program)).authentication).to.equal(undefined)
      const asCookie = app.browser()
      asCookie.plant(SESSION, token)
      expect(await raise(app, asCookie)).to.equal(false)
    })

    it('ends with a sign-out by the earlier cookie a moment later', async () => {
      const app = open()
      const ada = await app.signedIn()
      const tab = ada.copy()
      await raise(app, ada)
      await tab.signOut()
      expect(await whoIs(ada)).to.equal(null)
    })

    it('gives way to a sign-in with the earlier cookie a moment later', async () => {
      const app = open()
      const ada = await app.signedIn()
      const tab = ada.copy()
      await raise(app, ada)
      await tab.signIn()
      expect(await whoIs(ada)).to.equal(null)
      expect(await whoIs(tab)).to.equal('ada@example.com')
      expect((await readingOf(app, tab)).authentication).to.equal(undefined)
    })
  })
}

describe('a token session that is raised in one process', () => {
  it('is raised by no earlier copy in another one, which has looked at it before', async () => {
    const store = memoryAdapter()
    const config: Partial<AuthConfig> = { session: { strategy: 'jwt', revocation: { store } }, bearer: true }
    const app = openTestApp(config)
    const other = openTestApp(config, { clock: app.clock })
    const ada = await app.signedIn()
    const thief = ada.copy()
    expect((await readingOf(other, thief)).userId).to.equal('1815')
    app.clock.advance(5)
    expect(await raise(app, ada)).to.equal(true)
    const copy = other.browser()
    for (const [name, cookie] of thief.jar) copy.jar.set(name, cookie)
    const revoked = await copy.post('/auth/sessions/revoke', { csrfToken: await copy.csrfToken(), others: 'true' })
    expect(revoked.status, 'nothing is taken away').to.equal(401)
    expect(await raise(other, thief)).to.equal(false)
    expect(await sessionsOf(other).readPrincipal(contextOf(thief)), 'nothing is added to its user').to.equal(null)
    const token = await failureOf(Promise.resolve(other.engine.issueToken(contextOf(thief), { maxAge: 600 })))
    expect((token as RequestRefused).status).to.equal(401)
    app.clock.advance(60)
    expect([(await readingOf(other, ada)).userId, (await readingOf(other, thief)).userId]).to.deep.equal(['1815', null])
  })
})

describe('a session that is raised, and a jwt callback', () => {
  it('sends no token of before while a request is under way', async () => {
    let isHeld = false
    let release = () => {}
    const app = openTestApp({
      session: { strategy: 'jwt', revocation: { store: memoryAdapter(), checkEvery: 0 } },
      callbacks: {
        async jwt({ token }) {
          if (isHeld) await new Promise<void>((resolve) => (release = resolve))
          return { ...token, turn: Math.random() }
        },
      },
    })
    const ada = await app.signedIn()
    const late = ada.copy()
    isHeld = true
    const answer = late.get('/auth/session')
    await new Promise((resolve) => setTimeout(resolve, 20))
    isHeld = false
    app.clock.advance(60)
    await raise(app, ada)
    release()
    expect((await answer).setCookies.filter(({ name }) => name === SESSION)).to.deep.equal([])
    expect(await whoIs(ada)).to.equal('ada@example.com')
  })

  it('asks it as any other reading does, and takes its claims', async () => {
    const asked: unknown[] = []
    const app = openTestApp({
      callbacks: {
        jwt({ token, trigger, account }) {
          asked.push([trigger, account?.provider])
          return { ...token, asked: asked.length }
        },
      },
    })
    const ada = await app.signedIn()
    await raise(app, ada)
    expect(asked).to.deep.equal([
      ['signIn', 'credentials'],
      [undefined, undefined],
    ])
    const { asked: claimed, latchkey } = await allClaimsOf(ada.jar.get(SESSION)?.value ?? '')
    expect(claimed).to.equal(2)
    expect(latchkey).to.deep.include({ factors: 2, amr: ['otp'] })
  })

  it('is nobody’s if the callback says so', async () => {
    const app = openTestApp({ callbacks: { jwt: ({ token, trigger }) => (trigger ? token : null) } })
    expect(await raise(app, await app.signedIn())).to.equal(false)
  })

  it('fails if a codec of the application loses it', async () => {
    const kept = new Map<string, object>()
    const app = openTestApp({
      jwt: {
        encode: async ({ token }) => {
          const { latchkey: _, ...claims } = { ...token }
          kept.set(`token-${kept.size}`, claims)
          return `token-${kept.size - 1}`
        },
        decode: async ({ token }) => (kept.get(token ?? '') ?? null) as never,
      },
    })
    const ada = await app.signedIn()
    const failure = await failureOf(Promise.resolve(sessionsOf(app).raise(contextOf(ada), TOTP)))
    expect(String((failure as Error).message)).to.include('lost the claim `latchkey`')
  })
})

/** A store whose calls a test can interrupt. */
function interruptible(store: Adapter) {
  let before: (method: string) => unknown = () => undefined
  let isRunning = false
  const entries = Object.entries(store).map(([name, method]) => [
    name,
    async (...args: unknown[]) => {
      if (!isRunning) {
        isRunning = true
        await before(name)
        isRunning = false
      }
      return (method as (...args: unknown[]) => unknown)(...args)
    },
  ])
  return {
    adapter: Object.fromEntries(entries) as Adapter,
    interrupt(work: (method: string) => unknown) {
      before = work
    },
  }
}

describe('a session that is raised while it is ended', () => {
  for (const [how, end] of [
    ['a sign-out', async (_app: TestApp, tab: TestBrowser) => void (await tab.signOut())],
    ['the end of all sessions of the user', async (app: TestApp) => void (await sessionsOf(app).revokeAllOf('1815'))],
  ] as const) {
    for (const place of ['a row', 'a token that a store knows'] as const) {
      it(`ends with ${how}, whichever comes first: ${place}`, async () => {
        let steps = Number.POSITIVE_INFINITY
        for (let step = 0; step < steps; step += 1) {
          const memory = place === 'a row' ? withAda() : memoryAdapter()
          const { adapter, interrupt } = interruptible(memory)
          const app = openTestApp(
            place === 'a row' ? { adapter } : { session: { revocation: { store: adapter, checkEvery: 0 } } },
          )
          const ada = await app.signedIn()
          const tab = ada.copy()
          let calls = 0
          interrupt(async () => {
            if (calls++ === step) await end(app, tab)
          })
          await raise(app, ada)
          if (calls <= step) steps = step
          interrupt(() => undefined)
          if (calls > step) expect(await whoIs(ada), `before call ${step} of the store`).to.equal(null)
        }
        expect(steps, 'it was interrupted').to.be.greaterThan(place === 'a row' ? 2 : 0)
      })
    }
  }
})

describe('a session in a row that is raised', () => {
  inAHurry()

  const openOver = (change: (adapter: ReturnType<typeof memoryAdapter>) => Partial<Adapter>) => {
    const memory = withAda()
    return { memory, app: openTestApp({ adapter: { ...memory, ...change(memory) } }) }
  }
  const failing = async (app: TestApp, browser: TestBrowser) =>
    (await failureOf(Promise.resolve(sessionsOf(app).raise(contextOf(browser), TOTP)))) as Error

  it('is raised once, if two requests ask for it at once', async () => {
    const app = openTestApp({ adapter: withAda() })
    const ada = await app.signedIn()
    const both = [ada, ada.copy()] as const
    const raised = await Promise.all(both.map((browser) => raise(app, browser)))
    expect(raised.filter(Boolean)).to.have.length(1)
    expect(await whoIs(both[raised.indexOf(true)] as TestBrowser)).to.equal('ada@example.com')
  })

  it('needs an adapter that keeps it, and says so; the session stays', async () => {
    const app = openTestApp({ adapter: asAuthjsHasIt(withAda()), session: { strategy: 'database' } })
    const ada = await app.signedIn()
    expect(await failing(app, ada)).to.be.instanceOf(MissingAdapterMethods)
    expect(await whoIs(ada)).to.equal('ada@example.com')
  })

  it('ends, and is no one’s, if the store loses what was proved, or fails when it is written', async () => {
    for (const [what, updateSession] of [
      [
        /migrate up/,
        (memory: Adapter) => async (row: never) => {
          const { authentication: _, ...kept } = row as Record<string, unknown>
          return memory.updateSession?.(kept as never)
        },
      ],
      [/updateSession\(\) failed/, () => async () => Promise.reject(new Error('down'))],
    ] as const) {
      const { memory, app } = openOver((adapter) => ({ updateSession: updateSession(adapter) as never }))
      const ada = await app.signedIn()
      const failure = await failing(app, ada)
      expect(failure).to.be.instanceOf(SessionTokenError)
      expect(String((failure as SessionTokenError).cause?.err?.message)).to.match(what)
      expect(await whoIs(ada), 'the earlier cookie').to.equal(null)
      await aMoment()
      expect(memory.listSessionsByUserId('1815')).to.deep.equal([])
    }
  })

  it('stays as it was if the store fails before', async () => {
    const { app } = openOver(() => ({ changeSessionToken: () => Promise.reject(new Error('down')) as never }))
    const ada = await app.signedIn()
    expect(await failing(app, ada)).to.be.instanceOf(SessionTokenError)
    expect(await whoIs(ada)).to.equal('ada@example.com')
  })
})

for (const kind of STORES) {
  describe(`a session in ${kind.name} that is raised`, function () {
    this.timeout(20_000)
    let store: Awaited<ReturnType<typeof kind.open>>
    before(kind.requireServer)
    beforeEach(async () => {
      store = await kind.open()
    })
    afterEach(() => store.close())

    it('is one row with all that it had, also for another process', async () => {
      const { id } = await store.adapter.createUser({
        id: '1815',
        name: 'Ada',
        email: 'ada@example.com',
        emailVerified: null,
      })
      const session = { strategy: 'database', maxLifetime: 8 * HOUR } as const
      const app = openTestApp({ adapter: store.adapter, session })
      const ada = app.browser()
      const account = { provider: 'credentials', type: 'credentials', providerAccountId: id } as const
      const start = {
        user: { id, name: 'Ada', email: 'ada@example.com' },
        account,
        isNewUser: false,
        providerSession: { provider: 'acme', subject: 'ada', sid: 'one' },
      }
      const issued = await sessionsOf(app).issue(requestContext(undefined, app.origin), start)
      for (const { name, value } of issued) ada.plant(name, value)
      const [before] = await store.adapter.listSessionsByUserId(id)
      app.clock.advance(HOUR / 6)
      expect(await raise(app, ada)).to.equal(true)
      const [after, ...others] = await store.adapter.listSessionsByUserId(id)
      expect(others).to.deep.equal([])
      const { sessionToken, expires, authenticatedAt, authentication, lifetime, ...rest } = after ?? {}
      const { sessionToken: earlier, expires: _, authenticatedAt: __, ...had } = before ?? {}
      expect(rest).to.deep.equal(had)
      expect([sessionToken === earlier, authentication, lifetime]).to.deep.equal([
        false,
        JSON.stringify(TOTP),
        `l${8 * HOUR - HOUR / 6}`,
      ])
      expect(authenticatedAt?.getTime()).to.equal(app.clock.ms)
      expect(expires?.getTime()).to.equal(app.clock.ms + (8 * HOUR - HOUR / 6) * 1000)
      const there = openTestApp({ adapter: await store.another(), session }, { clock: app.clock })
      const reading = await there.engine.readSession(contextOf(ada))
      expect([reading.userId, reading.authentication]).to.deep.equal([id, TOTP])
    })
  })
}
