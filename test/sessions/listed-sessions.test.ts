import { expect } from 'chai'
import type { Adapter, AuthConfig } from '../../lib/index.js'
import type { RequestContext } from '../../lib/kernel/request-context.js'
import Credentials from '../../lib/providers/credentials.js'
import { requestContext } from '../support/request-context.js'
import { type Counted, down, freshSecret, isIn, openStore, sibling } from '../support/revocable-processes.js'
import { Clock, openTestApp, SESSION, type TestApp, type TestBrowser } from '../support/test-app.js'

const MINUTE = 60
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:141.0) Gecko/20100101 Firefox/141.0'

/** Signs in whoever gives a name. */
const names = Credentials({
  credentials: { name: {} },
  authorize: ({ name }) => ({ id: String(name), name: String(name), email: `${name}@example.com` }),
})

/** What a program may give in place of the id of a user. */
const NO_IDS = [undefined, null, '', 'undefined', '[object Object]', Number.NaN, {}, ['ada'], Promise.resolve('ada')]

/** How each strategy keeps the sessions of people whom the store has. */
const STRATEGIES = {
  database: (adapter: Adapter): Partial<AuthConfig> => ({ adapter }),
  jwt: (store: Adapter): Partial<AuthConfig> => ({ session: { revocation: { store, checkEvery: 0 } } }),
} as const

interface Opened {
  readonly shared: Counted
  readonly clock: Clock
  readonly one: TestApp
  readonly other: TestApp
  open(more?: Partial<AuthConfig>): TestApp
  signIn(name: string, app?: TestApp): Promise<TestBrowser>
}

function open(strategy: keyof typeof STRATEGIES, options: Partial<AuthConfig> = {}): Opened {
  const clock = new Clock()
  const shared = openStore()
  for (const id of ['ada', 'eve']) {
    shared.store.createUser({ id, name: id, email: `${id}@example.com`, image: null, emailVerified: null })
  }
  const secret = freshSecret()
  const open = (more: Partial<AuthConfig> = {}) => {
    const own = STRATEGIES[strategy](shared.adapter)
    const session = { ...own.session, ...options.session, ...more.session }
    return openTestApp({ secret, providers: [names], ...options, ...more, ...own, session }, { clock: sibling(clock) })
  }
  const one = open()
  return {
    shared,
    clock,
    one,
    other: open(),
    open,
    async signIn(name, app = one) {
      const browser = app.browser()
      await browser.signIn({ name })
      return browser
    },
  }
}

const requestOf = (browser: TestBrowser, userAgent?: string): RequestContext => ({
  ...requestContext(browser.cookieHeader(), 'http://app.example'),
  header: (name) => (name === 'user-agent' ? userAgent : undefined),
})

const listOf = async (browser: TestBrowser) => (await browser.engine.listSessions(requestOf(browser))) ?? []

const idOf = async (browser: TestBrowser) => (await browser.current())?.id ?? ''

const failureOf = async (work: () => Promise<unknown>): Promise<Error> => {
  try {
    await work()
  } catch (error) {
    return error as Error
  }
  throw new Error('It did not fail.')
}

for (const strategy of ['database', 'jwt'] as const) {
  describe(`the list of sessions, with the strategy ${strategy}`, () => {
    it('has the sessions of the user, the newest first, and marks the current one', async () => {
      const { clock, signIn } = open(strategy)
      const first = await signIn('ada')
      clock.advance(MINUTE)
      const second = await signIn('ada')
      await signIn('eve')
      const list = await listOf(first)
      expect(list.map(({ id }) => id)).to.deep.equal([await idOf(second), await idOf(first)])
      expect(list.map(({ isCurrent }) => isCurrent)).to.deep.equal([false, true])
      const [newest] = list
      expect(newest?.createdAt?.getTime()).to.equal(clock.ms)
      expect(newest?.lastSeenAt?.getTime()).to.equal(clock.ms)
      expect(newest?.expires.getTime()).to.be.above(clock.ms)
      expect([newest?.kind, newest?.name, newest?.scope]).to.deep.equal(['browser', null, null])
    })

    it('shows no credential: no member is the token or the key of a row', async () => {
      const { shared, signIn } = open(strategy)
      const ada = await signIn('ada')
      const shown = JSON.stringify(await listOf(ada))
      const rows = await shared.store.listSessionsByUserId('ada')
      for (const secret of [ada.jar.get(SESSION)?.value ?? 'none', ...rows.map((row) => row.sessionToken)]) {
        expect(shown).not.to.contain(secret)
      }
    })

    it('is null when nobody is signed in, and nothing ends', async () => {
      const { one, signIn } = open(strategy)
      const ada = await signIn('ada')
      const stranger = requestOf(one.browser())
      expect(await one.engine.listSessions(stranger)).to.equal(null)
      expect(await one.engine.revokeSession(stranger, await idOf(ada))).to.equal(null)
      expect(await one.engine.revokeOtherSessions(stranger)).to.equal(null)
      expect(await isIn(ada)).to.equal(true)
    })

    it('leaves expired and revoked sessions out', async () => {
      const { clock, one, signIn } = open(strategy, { session: { maxAge: 60 * MINUTE } })
      await signIn('ada')
      clock.advance(90 * MINUTE)
      await (await signIn('ada')).signOut()
      const ada = await signIn('ada')
      expect((await listOf(ada)).map(({ id }) => id)).to.deep.equal([await idOf(ada)])
      expect(one.log.errors).to.deep.equal([])
    })

    it('has the browser of the last use, stored once in a quarter of an hour', async () => {
      const { clock, shared, one, signIn } = open(strategy)
      const ada = await signIn('ada')
      const write = strategy === 'jwt' ? 'updateTokenSession' : 'updateSession'
      const writes = () => shared.calls.filter((name) => name === write).length
      clock.advance(14 * MINUTE)
      await one.engine.readSession(requestOf(ada, FIREFOX))
      expect(writes()).to.equal(0)
      clock.advance(MINUTE)
      for (let index = 0; index < 3; index += 1) await one.engine.readSession(requestOf(ada, FIREFOX))
      expect(writes()).to.equal(1)
      const [own] = await listOf(ada)
      expect([own?.userAgent, own?.lastSeenAt?.getTime()]).to.deep.equal([FIREFOX, clock.ms])
    })

    it('has no browser and no network with devices: false', async () => {
      const { clock, one, signIn } = open(strategy, { session: { devices: false } })
      const ada = await signIn('ada')
      clock.advance(20 * MINUTE)
      await one.engine.readSession(requestOf(ada, FIREFOX))
      const [own] = await listOf(ada)
      expect([own?.userAgent, own?.network, own?.lastSeenAt?.getTime()]).to.deep.equal([null, null, clock.ms])
    })

    it('does not fail the request if the last use cannot be stored', async () => {
      const { clock, one, shared, signIn } = open(strategy)
      const ada = await signIn('ada')
      clock.advance(20 * MINUTE)
      for (const name of ['updateTokenSession', 'updateSession'] as const) shared.replace(name, down)
      expect([await isIn(ada), await isIn(ada)]).to.deep.equal([true, true])
      expect(one.log.warnings).to.deep.equal(['session-use-not-stored'])
    })

    it('is of one instance: sessions of another one are neither shown nor ended', async () => {
      const { shared, open: openApp, signIn } = open(strategy)
      const [plain, acme, umbrella] = await Promise.all([
        signIn('ada'),
        signIn('ada', openApp({ instance: 'acme' })),
        signIn('ada', openApp({ instance: 'umbrella' })),
      ])
      const browsers = [plain, acme, umbrella]
      for (const browser of browsers) {
        expect((await listOf(browser)).map(({ id }) => id)).to.deep.equal([await idOf(browser)])
        for (const foreign of browsers.filter((each) => each !== browser)) {
          const end = await browser.engine.revokeSession(requestOf(browser), await idOf(foreign))
          expect(end).to.deep.equal({ isRevoked: false, cookies: [] })
        }
        expect(await browser.engine.revokeOtherSessions(requestOf(browser))).to.equal(0)
      }
      expect(await acme.engine.revokeAllSessions('ada')).to.equal(1)
      expect(await Promise.all(browsers.map(isIn))).to.deep.equal([true, false, true])
      expect(shared.calls).not.to.include('deleteSessionsByUserId')
    })

    it('fails, and says so, while the store is down', async () => {
      const { shared, signIn } = open(strategy)
      const ada = await signIn('ada')
      for (const name of ['listSessionsByUserId', 'listTokenSessionsByUserId'] as const) shared.replace(name, down)
      const { name, message } = await failureOf(() => listOf(ada))
      expect(name).to.match(/^(JWTSessionError|SessionTokenError)$/)
      expect(message).to.contain('Could not list the sessions of a user.')
    })
  })

  describe(`the end of a listed session, with the strategy ${strategy}`, () => {
    it('is at once, in every process', async () => {
      const { one, other, signIn } = open(strategy)
      const [ada, phone] = [await signIn('ada'), await signIn('ada')]
      const thief = other.browser()
      thief.plant(SESSION, phone.jar.get(SESSION)?.value ?? '')
      expect(await isIn(thief)).to.equal(true)
      const end = await one.engine.revokeSession(requestOf(ada), await idOf(phone))
      expect(end).to.deep.equal({ isRevoked: true, cookies: [] })
      expect([await isIn(phone), await isIn(thief), await isIn(ada)]).to.deep.equal([false, false, true])
      expect((await listOf(ada)).length).to.equal(1)
      const again = await one.engine.revokeSession(requestOf(ada), await idOf(phone))
      expect(again?.isRevoked).to.equal(false)
    })

    it('is a sign-out if it is the session of the request', async () => {
      const { one, signIn } = open(strategy)
      const ada = await signIn('ada')
      const copy = ada.copy()
      const end = await one.engine.revokeSession(requestOf(ada), await idOf(ada))
      expect(end?.isRevoked).to.equal(true)
      // All that the browser has of a visitor, as at every sign-out.
      expect(end?.cookies.map(({ value }) => value).join('')).to.equal('')
      expect(new Set(end?.cookies.map(({ name }) => name))).to.deep.equal(
        new Set([...ada.jar.keys()].filter((name) => name !== 'authjs.known-browser')),
      )
      expect(await isIn(copy)).to.equal(false)
    })

    it('is refused for the ids of others, and for guessed ones', async () => {
      const { one, shared, signIn } = open(strategy)
      const [ada, eve] = [await signIn('ada'), await signIn('eve')]
      const rows = await shared.store.listSessionsByUserId('ada')
      const guesses = [
        await idOf(ada),
        ...rows.map(({ sessionToken }) => sessionToken),
        ada.jar.get(SESSION)?.value ?? '',
        '',
        'ada',
        '*',
        '__proto__',
        'x'.repeat(10_000),
      ]
      for (const guess of guesses) {
        const end = await one.engine.revokeSession(requestOf(eve), guess)
        expect(end, guess.slice(0, 20)).to.deep.equal({ isRevoked: false, cookies: [] })
      }
      expect([await isIn(ada), await isIn(eve)]).to.deep.equal([true, true])
    })

    it('is of all others, and the current one stays', async () => {
      const { one, other, signIn } = open(strategy)
      const [ada, phone, tablet, eve] = [
        await signIn('ada'),
        await signIn('ada'),
        await signIn('ada', other),
        await signIn('eve'),
      ]
      expect(await one.engine.revokeOtherSessions(requestOf(ada))).to.equal(2)
      expect(await Promise.all([ada, phone, tablet, eve].map(isIn))).to.deep.equal([true, false, false, true])
      expect((await listOf(ada)).map(({ isCurrent }) => isCurrent)).to.deep.equal([true])
      expect(await one.engine.revokeOtherSessions(requestOf(ada))).to.equal(0)
    })

    it('is of all sessions of a user, and a later sign-in counts', async () => {
      const { one, other, signIn } = open(strategy)
      const [ada, phone, eve] = [await signIn('ada'), await signIn('ada', other), await signIn('eve')]
      expect(await other.engine.revokeAllSessions('ada')).to.equal(2)
      expect(await Promise.all([ada, phone, eve].map(isIn))).to.deep.equal([false, false, true])
      expect(await one.engine.revokeAllSessions('ada')).to.equal(0)
      expect(await isIn(await signIn('ada'))).to.equal(true)
      for (const id of NO_IDS) {
        const { name, message } = await failureOf(() => one.engine.revokeAllSessions(id as unknown as string))
        expect(name).to.equal('InvalidConfiguration')
        expect(message).to.match(/^revokeAllSessions\(\) got .*It needs the id of a user/)
        if (id instanceof Promise) expect(message).to.match(/ Await it\.$/)
      }
    })

    it('warns once if the application sees another id than the one that ends sessions', async () => {
      const { open: openMore, signIn } = open(strategy)
      const other = openMore({
        callbacks: { session: ({ session }) => ({ ...session, user: { ...session.user, id: 'account 7' } }) },
      })
      const ada = await signIn('ada', other)
      await isIn(ada)
      await isIn(ada)
      expect(other.log.warnings.filter((code) => code === 'other-user-id')).to.have.length(1)
      const same = openMore({
        callbacks: { session: ({ session }) => ({ ...session, user: { ...session.user, id: 'ada' } }) },
      })
      await isIn(await signIn('ada', same))
      expect(same.log.warnings).to.not.include('other-user-id')
      if (strategy === 'database') return
      const changed = openMore({
        callbacks: { jwt: ({ token, user }) => (user ? token : { ...token, sub: 'account 7' }) },
      })
      await isIn(await signIn('ada', changed))
      expect(changed.log.warnings).to.include('other-user-id')
    })

    it('goes on after a failure, throws, and is completed by another call', async () => {
      const { one, shared, signIn } = open(strategy)
      const browsers = [await signIn('ada'), await signIn('ada'), await signIn('ada')]
      let failures = 1
      for (const name of ['deleteSession', 'revokeTokenSession'] as const) {
        shared.replace(name, (own, ...args) => {
          if (failures > 0) {
            failures -= 1
            throw new Error('the connection broke')
          }
          return own(...args)
        })
      }
      const { message } = await failureOf(() => one.engine.revokeAllSessions('ada'))
      expect(message).to.contain('Call the function again')
      const left = (await Promise.all(browsers.map(isIn))).filter(Boolean).length
      expect(left, 'the others have ended').to.be.at.most(1)
      await one.engine.revokeAllSessions('ada')
      expect(await Promise.all(browsers.map(isIn))).to.deep.equal([false, false, false])
    })

    it('fails if the store only says that it ends sessions', async () => {
      const { one, shared, signIn } = open(strategy)
      const [ada, phone] = [await signIn('ada'), await signIn('ada')]
      shared.replace('deleteSession', () => null)
      shared.replace('revokeTokenSession', () => true)
      const id = await idOf(phone)
      await failureOf(() => one.engine.revokeSession(requestOf(ada), id))
      await failureOf(() => one.engine.revokeOtherSessions(requestOf(ada)))
      await failureOf(() => one.engine.revokeAllSessions('ada'))
    })

    it('does not touch the rows of others that a store lists by mistake', async () => {
      const { one, shared, signIn } = open(strategy)
      const [ada, eve] = [await signIn('ada'), await signIn('eve')]
      for (const name of ['listSessionsByUserId', 'listTokenSessionsByUserId'] as const) {
        shared.replace(name, (own) => [
          ...(own(...(['ada'] as never[])) as unknown[]),
          ...(own(...(['eve'] as never[])) as unknown[]),
        ])
      }
      expect((await listOf(eve)).length).to.equal(1)
      expect(await one.engine.revokeOtherSessions(requestOf(eve))).to.equal(0)
      expect(await isIn(ada)).to.equal(true)
    })

    it('finds a session that takes the place of another one meanwhile', async () => {
      const { one, shared, signIn } = open(strategy)
      await signIn('ada')
      const name = strategy === 'jwt' ? 'listTokenSessionsByUserId' : 'listSessionsByUserId'
      let late: TestBrowser | null = null
      shared.replace(name, async (own, ...args) => {
        const rows = await own(...args)
        late ??= await signIn('ada')
        return rows
      })
      expect(await one.engine.revokeAllSessions('ada')).to.equal(2)
      expect(late && (await isIn(late))).to.equal(false)
    })
  })
}
