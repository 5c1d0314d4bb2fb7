import { expect } from 'chai'
import type { Adapter, AdapterUser } from '../../lib/adapters/adapter.js'
import { type AuthConfig, JWTSessionError, type RefreshUserCallback, SessionTokenError } from '../../lib/index.js'
import { isDisabled } from '../../lib/sessions/may-be-used.js'
import { failureOf } from '../support/failure.js'
import { openTestApp, type TestBrowser } from '../support/test-app.js'
import { openTestAppWithStore } from '../support/test-app-with-store.js'

const MINUTE = 60
const STRATEGIES = ['jwt', 'database'] as const

function open(strategy: 'jwt' | 'database' = 'jwt', change: Partial<Adapter> = {}, more: Partial<AuthConfig> = {}) {
  const app = openTestAppWithStore(
    { session: { strategy, refreshUser: MINUTE }, ...more },
    (store) => ({ ...store, ...change }) as Adapter,
  )
  const setDisabled = (disabled: unknown) =>
    app.store.updateUser({ id: '1815', disabled } as Partial<AdapterUser> & { id: string })
  return { ...app, setDisabled }
}

/** What every reader says. They say the same. */
async function isSignedIn(browser: TestBrowser): Promise<boolean> {
  const copies = [browser.copy(), browser.copy()] as const
  const seen = [await copies[0].current(), await copies[1].session()].map((session) => session !== null)
  expect(new Set(seen).size, 'all readers say the same').to.equal(1)
  return seen[0] === true
}

for (const strategy of STRATEGIES) {
  describe(`a disabled user with session.refreshUser and ${strategy} sessions`, () => {
    it('is out in every browser, and cannot sign in', async () => {
      const { signedIn, setDisabled, clock, browser } = open(strategy)
      const browsers = [await signedIn(), await signedIn()]
      setDisabled(true)
      clock.advance(MINUTE)
      for (const one of browsers) expect(await isSignedIn(one)).to.equal(false)
      const again = browser()
      expect((await again.signIn()).location).to.equal('http://app.example/auth/error?error=AccessDenied')
      expect(again.sessionNames()).to.deep.equal([])
    })

    it('loses the cookie', async () => {
      const { signedIn, setDisabled, clock } = open(strategy)
      const ada = await signedIn()
      setDisabled(true)
      clock.advance(MINUTE)
      expect(await ada.session()).to.equal(null)
      expect(ada.sessionNames()).to.deep.equal([])
    })

    it('can sign in at once when enabled again', async () => {
      const { signedIn, setDisabled, clock } = open(strategy)
      const ada = await signedIn()
      setDisabled(true)
      clock.advance(MINUTE)
      await ada.session()
      setDisabled(false)
      await ada.signIn()
      expect(await isSignedIn(ada)).to.equal(true)
      clock.advance(MINUTE)
      expect(await isSignedIn(ada)).to.equal(true)
    })

    it('is let in without the option, whatever the column means there', async () => {
      const { signedIn, store } = openTestAppWithStore({ session: { strategy } })
      store.updateUser({ id: '1815', disabled: true } as never)
      expect(await isSignedIn(await signedIn())).to.equal(true)
    })
  })

  describe(`a deleted user with session.refreshUser and ${strategy} sessions`, () => {
    it('is out, and cannot sign in', async () => {
      const { signedIn, store, clock, browser } = open(strategy)
      const ada = await signedIn()
      store.deleteUser('1815')
      clock.advance(MINUTE)
      expect(await isSignedIn(ada)).to.equal(false)
      expect(await ada.session()).to.equal(null)
      expect(ada.sessionNames()).to.deep.equal([])
      const again = browser()
      expect((await again.signIn()).location).to.include('error=Configuration')
      expect(again.sessionNames()).to.deep.equal([])
    })
  })

  describe(`a store that fails with session.refreshUser and ${strategy} sessions`, () => {
    const FAULT = { jwt: JWTSessionError, database: SessionTokenError }
    const method = { jwt: 'getUser', database: 'getSessionAndUser' } as const
    const failures: Record<string, () => unknown> = {
      throws: () => {
        throw new Error('the store is down')
      },
      rejects: () => Promise.reject(new Error('the store is down')),
      hangs: () => new Promise(() => {}),
    }
    for (const [how, fail] of Object.entries(failures)) {
      it(`lets nobody in and signs nobody out: it ${how}`, async () => {
        const state = { fails: false }
        const app: ReturnType<typeof open> = open(
          strategy,
          {
            [method[strategy]]: (id: string) => (state.fails ? fail() : app.store[method[strategy]](id)),
          },
          { storeTimeout: 0.02 },
        )
        const ada = await app.signedIn()
        app.clock.advance(MINUTE)
        state.fails = true
        expect(await failureOf(ada.current())).to.be.instanceOf(FAULT[strategy])
        expect((await ada.get('/auth/session')).status).to.equal(503)
        expect(ada.sessionNames()).to.have.length(1)
        state.fails = false
        expect(await isSignedIn(ada), 'a failure is not remembered').to.equal(true)
      })
    }
  })
}

describe('the callback refreshUser', () => {
  /** No users are stored. */
  function openWithoutStore(refreshUser: RefreshUserCallback, more: Partial<AuthConfig> = {}) {
    const { callbacks, ...others } = more
    return openTestApp({
      session: { refreshUser: MINUTE },
      callbacks: { refreshUser, ...callbacks },
      storeTimeout: 0.02,
      ...others,
    })
  }

  it('says who the user is, without an adapter', async () => {
    const users = new Map([['1815', { id: '1815', name: 'Ada', disabled: false }]])
    const { signedIn, clock, browser } = openWithoutStore(({ userId }) => users.get(userId) ?? null)
    const ada = await signedIn()
    users.set('1815', { id: '1815', name: 'Countess', disabled: false })
    clock.advance(MINUTE)
    expect((await ada.session())?.user).to.deep.equal({ name: 'Countess' })
    users.set('1815', { id: '1815', name: 'Countess', disabled: true })
    clock.advance(MINUTE)
    expect(await isSignedIn(ada)).to.equal(false)
    expect((await browser().signIn()).location).to.include('error=AccessDenied')
    users.clear()
    expect((await browser().signIn()).location).to.include('error=AccessDenied')
  })

  it('is asked in place of the adapter', async () => {
    const app = openTestAppWithStore({
      session: { strategy: 'jwt', refreshUser: 0 },
      callbacks: { refreshUser: ({ userId }) => ({ id: userId, name: 'Countess' }) },
    })
    const ada = await app.signedIn()
    expect((await ada.session())?.user).to.deep.equal({ name: 'Countess' })
    expect(app.calls).not.to.include('getUser')
  })

  it('gets the claims of the token, as the jwt callback has made them, and cannot change them', async () => {
    const seen: unknown[] = []
    const { signedIn } = openWithoutStore(
      ({ userId, token }) => {
        seen.push([userId, token['accountId']])
        token['accountId'] = 'changed'
        return { id: userId }
      },
      {
        session: { refreshUser: 0 },
        callbacks: {
          jwt: ({ token, account }) => (account ? { ...token, accountId: account.providerAccountId } : token),
        },
      },
    )
    const ada = await signedIn()
    await ada.session()
    await ada.session()
    expect(seen).to.deep.equal([1, 2, 3].map(() => ['1815', '1815']))
  })

  it('decides for each session by itself, because it sees the token', async () => {
    const { signedIn, clock } = openWithoutStore(
      ({ userId, token }) => ({ id: userId, name: `Ada of ${token['org']}` }),
      {
        callbacks: {
          jwt: ({ token, trigger, session }) => (trigger === 'update' ? { ...token, org: session.org } : token),
        },
      },
    )
    const [acme, other] = [await signedIn(), await signedIn()]
    await acme.update({ org: 'acme' })
    await other.update({ org: 'other' })
    clock.advance(MINUTE)
    expect((await acme.current())?.user?.name).to.equal('Ada of acme')
    expect((await other.current())?.user?.name).to.equal('Ada of other')
  })

  const nonsense: Record<string, unknown> = {
    undefined: undefined,
    true: true,
    'a text': 'Ada',
    'a list': [],
    'another user': { id: '1906', name: 'Grace' },
    'a user with the id null': { id: null },
  }
  for (const [what, given] of Object.entries({ ...nonsense, 'an error': null, 'no answer': null })) {
    it(`lets nobody in and signs nobody out with ${what}, and the log says why`, async () => {
      const state = { isSound: true }
      const answer = ({ userId }: { userId: string }): unknown => {
        if (state.isSound) return { id: userId, name: 'Ada' }
        if (what === 'an error') throw new Error('the directory is down')
        return what === 'no answer' ? new Promise(() => {}) : given
      }
      const { signedIn, clock, log, browser } = openWithoutStore(answer as RefreshUserCallback)
      const ada = await signedIn()
      clock.advance(MINUTE)
      state.isSound = false
      expect(await failureOf(ada.current())).to.be.instanceOf(JWTSessionError)
      expect((await ada.get('/auth/session')).status).to.equal(503)
      const [fault] = log.errors as [JWTSessionError]
      expect(fault.message).to.equal('callbacks.refreshUser failed.')
      expect(fault.cause?.err?.message).to.match(/^It gave|^the directory is down$/)
      expect((await browser().signIn()).location).to.include('error=Configuration')
      state.isSound = true
      expect(await isSignedIn(ada)).to.equal(true)
    })
  }
})

describe('a token session that names no user, with session.refreshUser', () => {
  it('does not begin with made-up ids over an adapter: the log names the mistake', async () => {
    const app = openTestAppWithStore({ session: { strategy: 'jwt', refreshUser: MINUTE } })
    app.store.deleteUser('1815')
    const ada = app.browser()
    expect((await ada.signIn()).location).to.include('error=Configuration')
    expect(app.log.errors[0]?.message).to.match(/^authorize\(\) gave the id of no stored user/)
  })

  it('does not begin if the jwt callback removes the id', async () => {
    const { browser, log } = openTestAppWithStore({
      session: { strategy: 'jwt', refreshUser: MINUTE },
      callbacks: { jwt: () => ({ plan: 'free' }) },
    })
    const ada = browser()
    expect((await ada.signIn()).location).to.include('error=Configuration')
    expect(log.errors[0]?.message).to.match(/must keep the claim `sub`/)
  })

  it('ends if it began before the option was set', async () => {
    const callbacks: AuthConfig['callbacks'] = { jwt: ({ token: { sub: _, ...others } }) => others }
    const older = openTestAppWithStore({ session: { strategy: 'jwt' }, callbacks })
    const newer = openTestAppWithStore({ session: { strategy: 'jwt', refreshUser: MINUTE }, callbacks })
    const ada = await older.signedIn()
    const moved = newer.browser()
    for (const name of ada.sessionNames()) moved.plant(name, ada.jar.get(name)?.value ?? '')
    expect(await isSignedIn(moved)).to.equal(false)
  })
})

describe('the member `disabled` of a user', () => {
  const no = [undefined, null, false, 0, 0n, '', '0', 'f', 'F', 'false', 'FALSE', Buffer.from([0])]
  const yes = [true, 1, 1n, -1, '1', 't', 'true', 'no', 'yes', new Date(0), Buffer.from([1]), {}, [], Number.NaN]
  it('means no for what stores have for no, and yes for everything else', () => {
    for (const disabled of no) expect(isDisabled({ disabled }), String(disabled)).to.equal(false)
    for (const disabled of yes) expect(isDisabled({ disabled }), String(disabled)).to.equal(true)
    expect(isDisabled({})).to.equal(false)
  })
})
