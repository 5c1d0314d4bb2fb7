import { expect } from 'chai'
import type { AdapterUser } from '../../lib/adapters/adapter.js'
import type { AuthConfig, JWT, SessionCallback, User } from '../../lib/index.js'
import Credentials from '../../lib/providers/credentials.js'
import { createPause } from '../support/pause.js'
import { Clock, endOf, SESSION, sessionCookies } from '../support/test-app.js'
import { openTestAppWithStore } from '../support/test-app-with-store.js'

const MINUTE = 60
const DAY = 24 * 60 * MINUTE

/** Shows the role that the token has. */
const session: SessionCallback = ({ session: { user, expires }, token }) =>
  ({ user: { name: user.name, email: user.email, role: token['role'] }, expires }) as never

/** As most applications have it: it knows nothing of a refresh. */
const jwt: NonNullable<NonNullable<AuthConfig['callbacks']>['jwt']> = ({ token, user }) =>
  user ? { ...token, role: (user as { role?: string }).role ?? null } : token

const shownRole = (shown: unknown) => (shown as { user?: { role?: string | null } } | null)?.user?.role

/** An application with token sessions, and Ada, a writer, in its store. */
function open({ refreshUser = MINUTE, more = {} as Partial<AuthConfig>, callbacks = { jwt, session } as object } = {}) {
  const passwords = Credentials({
    credentials: { username: {}, password: {} },
    authorize: async (): Promise<User | null> => app.store.getUser('1815'),
  })
  const session = { strategy: 'jwt', refreshUser } as const
  const app: ReturnType<typeof openTestAppWithStore> = openTestAppWithStore({
    providers: [passwords],
    session,
    callbacks,
    ...more,
  })
  const change = (changes: object) =>
    app.store.updateUser({ id: '1815', ...changes } as Partial<AdapterUser> & { id: string })
  change({ role: 'writer' })
  const asked = () => app.calls.filter((name) => name === 'getUser').length
  return { ...app, change, asked }
}

describe('session.refreshUser with token sessions', () => {
  it('shows a changed role, name and address after the seconds, and not before', async () => {
    const { signedIn, change, clock } = open()
    const ada = await signedIn()
    clock.advance(MINUTE)
    expect(shownRole(await ada.session())).to.equal('writer')
    change({ role: 'reader', name: 'Countess', email: 'countess@example.com' })
    clock.advance(MINUTE - 1)
    expect(shownRole(await ada.session())).to.equal('writer')
    clock.advance(1)
    expect((await ada.session())?.user).to.deep.equal({
      name: 'Countess',
      email: 'countess@example.com',
      role: 'reader',
    })
  })

  it('does not need a callback', async () => {
    const { signedIn, change, clock, browser } = open({ callbacks: {} })
    const ada = await signedIn()
    change({ name: 'Countess', image: 'https://app.example/ada.png' })
    clock.advance(MINUTE)
    expect((await ada.current())?.user).to.deep.include({ name: 'Countess', id: '1815' })
    expect((await ada.session())?.user).to.deep.equal({
      name: 'Countess',
      email: 'ada@example.com',
      image: 'https://app.example/ada.png',
    })
    expect(await browser().session()).to.equal(null)
  })

  it('forgets an address that the user does not have any more', async () => {
    const { signedIn, change, clock } = open({ callbacks: {} })
    const ada = await signedIn()
    change({ email: null, name: '' })
    clock.advance(MINUTE)
    expect((await ada.session())?.user).to.deep.equal({ name: '', email: null, image: null })
  })

  it('asks nothing at a sign-in but once, and nothing more until the seconds are over', async () => {
    const { signedIn, asked, clock } = open({ callbacks: {} })
    const ada = await signedIn()
    expect(asked()).to.equal(1)
    clock.advance(MINUTE - 1)
    const request = ada.engine.renewSession({ ...contextOf(ada), header: () => undefined })
    expect(request, 'nothing is waited for').not.to.be.instanceOf(Promise)
    expect(asked()).to.equal(1)
  })

  it('writes the token again, with its expiry and its id', async () => {
    const { signedIn, clock } = open()
    const ada = await signedIn()
    const before = await ada.current()
    clock.advance(MINUTE)
    const answer = await ada.get('/auth/session')
    expect(sessionCookies(answer).map(({ name, expires }) => [name, expires?.getTime()])).to.deep.equal([
      [SESSION, endOf(before) * 1000],
    ])
    expect(endOf(answer.json())).to.equal(endOf(before))
    expect((await ada.current())?.id).to.equal(before?.id)
    expect(sessionCookies(await ada.get('/auth/session'))).to.deep.equal([])
  })

  it('is asked once in the seconds by readers that can write no cookie', async () => {
    const { signedIn, asked, clock, change } = open()
    const ada = await signedIn()
    clock.advance(MINUTE)
    change({ role: 'reader' })
    const before = asked()
    for (let count = 0; count < 20; count += 1) {
      expect(shownRole(await ada.current())).to.equal('reader')
      clock.advance(1)
    }
    expect(asked()).to.equal(before + 1)
    clock.advance(MINUTE)
    await ada.current()
    expect(asked()).to.equal(before + 2)
  })

  it('makes one look-up for requests at the same time, also in two browsers of one user', async () => {
    const { signedIn, asked, clock } = open()
    const browsers = [await signedIn(), await signedIn()]
    clock.advance(MINUTE)
    const before = asked()
    await Promise.all(browsers.flatMap((browser) => [browser.session(), browser.current(), browser.copy().session()]))
    expect(asked()).to.equal(before + 1)
  })

  it('with 0 reads the user for every request, and writes the token only if the user has changed', async () => {
    const { signedIn, asked, change } = open({ refreshUser: 0 })
    const ada = await signedIn()
    const before = asked()
    expect(sessionCookies(await ada.get('/auth/session'))).to.deep.equal([])
    expect(shownRole(await ada.current())).to.equal('writer')
    expect(asked()).to.equal(before + 2)
    change({ role: 'reader' })
    expect(sessionCookies(await ada.get('/auth/session'))).to.have.length(1)
    expect(shownRole(await ada.current())).to.equal('reader')
  })

  it('with Infinity reads the user at the sign-in only', async () => {
    const { signedIn, asked, clock } = open({ refreshUser: Number.POSITIVE_INFINITY })
    const ada = await signedIn()
    clock.advance(29 * DAY)
    await ada.session()
    expect(asked()).to.equal(1)
  })

  it('never shows the old role again, not from a copy of an older token, and not after an update of it', async () => {
    const { signedIn, change, clock } = open()
    const ada = await signedIn()
    const old = ada.copy()
    clock.advance(MINUTE)
    change({ role: 'reader' })
    expect(shownRole(await ada.session())).to.equal('reader')
    expect(shownRole(await old.copy().session())).to.equal('reader')
    expect(shownRole((await old.update({ name: 'Mallory' })).json())).to.equal('reader')
    expect(shownRole(await old.session())).to.equal('reader')
  })

  it('is not put off by updates: each keeps the time of the last reading', async () => {
    const { signedIn, change, clock } = open()
    const ada = await signedIn()
    change({ role: 'reader' })
    for (let count = 0; count < 5; count += 1) {
      clock.advance(10)
      expect(shownRole((await ada.update({})).json())).to.equal('writer')
    }
    clock.advance(10)
    expect(shownRole((await ada.update({})).json())).to.equal('reader')
  })

  it('is not put off by an update in another tab that takes long', async () => {
    const pause = createPause()
    const slow: typeof jwt = async (params) => {
      if (params.trigger === 'update') await pause.wait()
      return jwt(params)
    }
    const { signedIn, change, clock } = open({ callbacks: { jwt: slow, session } })
    const ada = await signedIn()
    const tab = ada.copy()
    clock.advance(MINUTE - 5)
    change({ role: 'reader' })
    pause.start()
    const updating = tab.update({})
    await pause.reached
    clock.advance(10)
    expect(shownRole(await ada.session())).to.equal('reader')
    pause.end()
    await updating
    expect(shownRole(await tab.session()), 'the token of the other tab is of an older reading').to.equal('reader')
  })

  it('reads the user again if the clock was set back', async () => {
    const { signedIn, change, clock } = open()
    const ada = await signedIn()
    change({ role: 'reader' })
    clock.advance(-5)
    expect(shownRole(await ada.session())).to.equal('reader')
  })

  it('reads the user of a session that began before the option was set', async () => {
    const older = open({ refreshUser: undefined as never, more: { session: { strategy: 'jwt' } } })
    const newer = openTestAppWithStore(
      { session: { strategy: 'jwt', refreshUser: 10 * DAY }, callbacks: { jwt, session } },
      () => older.store,
    )
    const ada = await older.signedIn()
    older.change({ role: 'reader' })
    const moved = newer.browser()
    for (const name of ada.sessionNames()) moved.plant(name, ada.jar.get(name)?.value ?? '')
    expect(shownRole(await moved.session())).to.equal('reader')
  })

  it('calls the jwt callback with the user and the trigger refresh, and without an account', async () => {
    const seen: object[] = []
    const watching: typeof jwt = ({ token, ...others }) => {
      seen.push({ sub: token.sub, name: token.name, ...others })
      return token
    }
    const { signedIn, change, clock } = open({ callbacks: { jwt: watching } })
    const ada = await signedIn()
    change({ name: 'Countess' })
    clock.advance(MINUTE)
    seen.length = 0
    await ada.update({ theme: 'dark' })
    const user = { id: '1815', name: 'Countess', email: 'ada@example.com', image: null, emailVerified: null }
    expect(seen).to.deep.equal([
      { sub: '1815', name: 'Countess', user: { ...user, role: 'writer' }, trigger: 'refresh' },
      { sub: '1815', name: 'Countess', trigger: 'update', session: { theme: 'dark' } },
    ])
  })

  it('lets a jwt callback change the user that it gets, without an effect on other requests', async () => {
    const greedy: typeof jwt = ({ token, user }) => {
      if (!user) return token
      const { name } = user
      user.name = 'changed'
      return { ...token, seen: name }
    }
    const shown: unknown[] = []
    const { signedIn, clock } = open({
      callbacks: {
        jwt: greedy,
        session: ({
          session: { user, expires },
          token,
        }: {
          session: { user: object; expires: string }
          token: JWT
        }) => {
          shown.push(token['seen'])
          return { user, expires }
        },
      },
    })
    const ada = await signedIn()
    clock.advance(MINUTE)
    for (let count = 0; count < 3; count += 1) await ada.current()
    expect(shown).to.deep.equal(['Ada', 'Ada', 'Ada'])
  })

  it('ends the session if the jwt callback then gives null', async () => {
    const strict: typeof jwt = ({ token, user, trigger }) =>
      trigger === 'refresh' && (user as { role?: string }).role !== 'writer' ? null : token
    const { signedIn, change, clock } = open({ callbacks: { jwt: strict } })
    const ada = await signedIn()
    change({ role: 'reader' })
    clock.advance(MINUTE)
    expect(await ada.session()).to.equal(null)
    expect(ada.sessionNames()).to.deep.equal([])
  })

  it('shows the time of the reading to no callback, event or browser', async () => {
    const seen: unknown[] = []
    const keep = (params: unknown) => void seen.push(JSON.stringify(params))
    const { signedIn, clock } = open({
      callbacks: {
        jwt: (params: { token: JWT }) => {
          keep(params)
          return params.token
        },
      },
      more: { events: { session: keep } },
    })
    const ada = await signedIn()
    clock.advance(MINUTE)
    seen.push(JSON.stringify(await ada.session()), JSON.stringify(await ada.current()))
    expect(seen.join()).not.to.match(/refreshedAt|latchkey/)
  })

  it('asks for the users of each tenant in that tenant', async () => {
    const acme = open({ more: { instance: 'acme' } })
    const other = open({ more: { instance: 'other' } })
    const [ada, eve] = [await acme.signedIn(), await other.signedIn()]
    acme.change({ role: 'acme-admin' })
    other.change({ role: 'other-admin' })
    for (const { clock } of [acme, other]) clock.advance(MINUTE)
    expect(shownRole(await ada.session())).to.equal('acme-admin')
    expect(shownRole(await eve.session())).to.equal('other-admin')
  })
})

describe('session.refreshUser with a codec that loses the claim of Latchkey', () => {
  const codec: NonNullable<AuthConfig['jwt']> = {
    encode: ({ token, maxAge = 0 }) => {
      const { latchkey: _, ...claims } = token ?? {}
      const times = { jti: crypto.randomUUID(), exp: claims.exp ?? START + maxAge }
      return Buffer.from(JSON.stringify({ ...claims, ...times })).toString('base64url')
    },
    decode: ({ token }) => JSON.parse(Buffer.from(token ?? '', 'base64url').toString()),
  }
  const START = new Clock().seconds

  it('asks once in the seconds in each process, and does not write the token for every request', async () => {
    const { signedIn, change, asked, clock } = open({ more: { jwt: codec } })
    const ada = await signedIn()
    change({ role: 'reader' })
    clock.advance(MINUTE)
    await ada.session()
    const before = asked()
    expect(shownRole(await ada.session())).to.equal('reader')
    expect(sessionCookies(await ada.get('/auth/session'))).to.deep.equal([])
    expect(asked()).to.equal(before)
  })
})

const contextOf = (browser: { engine: object; origin: string; cookieHeader(): string | undefined }) => ({
  cookies: new Map((browser.cookieHeader() ?? '').split('; ').map((pair) => pair.split('=') as [string, string])),
  client: undefined,
  origin: browser.origin,
})
