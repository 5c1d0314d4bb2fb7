import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import type { Adapter } from '../../lib/adapters/adapter.js'
import { memoryAdapter } from '../../lib/adapters/memory.js'
import { storedForm } from '../../lib/sessions/stored-token.js'
import { Clock, openTestApp, SESSION, type TestBrowser } from '../support/test-app.js'

const TOKEN = 'a2b7e0c4-7a0b-4f0e-9b57-0f4c7f6f4a11'

/** A store with the row that Auth.js wrote, and two processes that take different times over their calls. */
function twoProcesses(delays: readonly [readonly number[], readonly number[]], change: (store: Adapter) => Adapter) {
  const clock = new Clock()
  const store = memoryAdapter()
  store.createUser({ id: '1815', name: 'Ada', email: 'ada@example.com', emailVerified: null })
  const row = { sessionToken: TOKEN, userId: '1815', expires: new Date(clock.ms + 60_000) }
  store.createSession(row)
  const testApps = delays.map((own) => {
    let turn = 0
    const slow = Object.fromEntries(
      Object.entries(change(store)).map(([name, method]) => [
        name,
        async (...args: unknown[]) => {
          await wait(own[turn++ % own.length])
          const answer = await (method as (...args: unknown[]) => unknown)(...args)
          await wait(own[turn++ % own.length])
          return answer
        },
      ]),
    ) as Adapter
    return openTestApp({ adapter: slow }, { clock })
  })
  const browsers = testApps.map((testApp) => {
    const browser = testApp.browser()
    browser.plant(SESSION, TOKEN)
    return browser
  })
  const errors = () => testApps.flatMap(({ log }) => log.errors)
  return { store, browsers: browsers as [TestBrowser, TestBrowser], errors, row, clock }
}

const DELAYS = [
  [[0], [0]],
  [[1], [1]],
  [[0], [3]],
  [[3], [1]],
  [
    [4, 1],
    [1, 6, 2],
  ],
  [[1, 8], [3]],
  [
    [2, 2, 9, 1],
    [5, 1],
  ],
] as const

/** Adapters tell of a deletion in three ways. */
const TELLING: Readonly<Record<string, (store: Adapter) => Adapter>> = {
  'gives the row it deletes': (store) => store,
  'says nothing': (store) => ({
    ...store,
    async deleteSession(token) {
      await store.deleteSession?.(token)
    },
  }),
  'throws when there is nothing to delete': (store) => ({
    ...store,
    async deleteSession(token) {
      const deleted = await store.deleteSession?.(token)
      if (!deleted) throw new Error('Record to delete does not exist.')
      return deleted
    },
  }),
}

describe('a session row that Auth.js wrote', () => {
  for (const [telling, change] of Object.entries(TELLING)) {
    for (const delays of DELAYS) {
      const title = `where the adapter ${telling}, and calls take ${delays.map((own) => own.join(', ')).join(' and ')} ms`

      it(`signs nobody out while it is moved, ${title}`, async () => {
        const { store, browsers, errors } = twoProcesses(delays, change)
        const reads = browsers.flatMap((browser) =>
          [0, 0, 1, 2, 3, 5, 8, 13, 21].map(async (after) => {
            const copy = browser.copy()
            await wait(after)
            return (await copy.session())?.user?.name
          }),
        )
        expect(await Promise.all(reads)).to.deep.equal(Array(18).fill('Ada'))
        expect(errors()).to.deep.equal([])
        expect(store.getSession(TOKEN)).to.equal(null)
        expect(store.getSession(storedForm(TOKEN))).to.have.property('userId', '1815')
      })

      for (const [where, leaver] of [
        ['the process that moves it', 0],
        ['another process', 1],
      ] as const) {
        it(`SESS-14 is gone after a sign-out in ${where}, ${title}`, async () => {
          const { store, browsers } = twoProcesses(delays, change)
          const [browser] = browsers
          const leaving = browsers[leaver].copy()
          const csrfToken = await leaving.csrfToken()
          const reads = [0, 1, 2, 4, 6].map(async (after) => {
            await wait(after)
            return browser.copy().get('/auth/session')
          })
          await wait(delays[0][0])
          await leaving.post('/auth/signout', { csrfToken })
          await Promise.all(reads)
          expect([store.getSession(TOKEN), store.getSession(storedForm(TOKEN))]).to.deep.equal([null, null])
          expect(await browser.session()).to.equal(null)
        })
      }
    }
  }

  it('keeps what the application added to it, and its other members, and is extended', async () => {
    const { store, browsers, row, clock } = twoProcesses([[0], [0]], (sound) => sound)
    const [browser] = browsers
    store.updateSession({ sessionToken: TOKEN, device: 'a phone', id: 7 } as never)
    expect((await browser.session())?.user?.name).to.equal('Ada')
    expect(store.getSession(TOKEN)).to.equal(null)
    expect(store.getSession(storedForm(TOKEN))).to.deep.equal({
      ...row,
      expires: new Date(clock.ms + 30 * 24 * 60 * 60 * 1000),
      sessionToken: storedForm(TOKEN),
      lastSeenAt: new Date(clock.ms),
      userAgent: null,
      network: null,
      instance: '',
      device: 'a phone',
      id: 7,
    })
  })
})

/** An adapter of the methods of Auth.js only: none of them can give a row another token. */
const ofAuthJs = (store: Adapter): Adapter => {
  const {
    changeSessionToken: _,
    getSession: _getSession,
    deleteSessionsByUserId: _deleteAll,
    listSessionsByUserId: _list,
    ...methods
  } = store
  return methods
}

for (const [telling, change] of Object.entries(TELLING)) {
  describe(`a session row that Auth.js wrote, with an adapter of its methods only that ${telling}`, () => {
    it('is kept as it is, is extended, and ends at a sign-out', async () => {
      const { store, browsers, errors, row, clock } = twoProcesses([[0], [1]], (sound) => ofAuthJs(change(sound)))
      store.updateSession({ sessionToken: TOKEN, device: 'a phone' } as never)
      for (const browser of browsers) {
        const answers = await Promise.all([0, 0, 0].map(() => browser.copy().session()))
        expect(answers.map((session) => session?.user?.name)).to.deep.equal(['Ada', 'Ada', 'Ada'])
      }
      expect(store.getSession(storedForm(TOKEN))).to.equal(null)
      const end = clock.ms + 30 * 24 * 60 * 60 * 1000
      expect(store.getSession(TOKEN)).to.deep.equal({ ...row, device: 'a phone', expires: new Date(end) })

      const [browser, other] = browsers
      await browser.signOut()
      expect(store.getSession(TOKEN)).to.equal(null)
      expect(await other.session()).to.equal(null)
      expect(errors()).to.deep.equal([])
    })

    it('SESS-02 ends when its visitor signs in again, and the new one is kept as a digest', async () => {
      const { store, browsers } = twoProcesses([[0], [1]], (sound) => ofAuthJs(change(sound)))
      const [browser] = browsers
      await browser.signIn()
      expect(store.getSession(TOKEN)).to.equal(null)
      expect(store.getSession(storedForm(browser.jar.get(SESSION)?.value ?? ''))).to.have.property('userId', '1815')
    })

    it('SESS-03 is deleted when it is found expired', async () => {
      const { store, browsers, clock } = twoProcesses([[0], [1]], (sound) => ofAuthJs(change(sound)))
      clock.advance(61)
      expect(await browsers[0].session()).to.equal(null)
      expect(store.getSession(TOKEN)).to.equal(null)
    })
  })
}

describe('a session row that Auth.js wrote, when the store cannot give it its digest', () => {
  it('signs nobody out: it stays as it is, the log says so, and the next request tries again', async () => {
    let isReadOnly = true
    const { store, browsers, errors } = twoProcesses([[0], [0]], (sound) => ({
      ...sound,
      changeSessionToken: (token, newToken) => {
        if (isReadOnly) throw new Error('the store is read-only')
        return sound.changeSessionToken?.(token, newToken)
      },
    }))
    const [browser] = browsers
    expect((await browser.session())?.user?.name).to.equal('Ada')
    expect(store.getSession(TOKEN)).to.have.property('userId', '1815')
    expect(errors().map(({ name }) => name)).to.deep.equal(['SessionTokenError'])
    isReadOnly = false
    expect((await browser.session())?.user?.name).to.equal('Ada')
    expect(store.getSession(TOKEN)).to.equal(null)
    expect(store.getSession(storedForm(TOKEN))).to.have.property('userId', '1815')
    expect(errors()).to.have.length(1)
  })

  it('is a fault while the store is down altogether (SESS-15)', async () => {
    let isDown = true
    const { browsers } = twoProcesses([[0], [0]], (sound) => ({
      ...sound,
      getSessionAndUser: (token) => {
        if (isDown) throw new Error('connect ECONNREFUSED')
        return sound.getSessionAndUser?.(token) ?? null
      },
    }))
    const answer = await browsers[0].get('/auth/session')
    expect([answer.status, answer.setCookies]).to.deep.equal([503, []])
    isDown = false
    expect((await browsers[0].session())?.user?.name).to.equal('Ada')
  })
})

describe('a session cookie that no row belongs to', () => {
  for (const [telling, change] of Object.entries(TELLING)) {
    it(`keeps nobody from signing in or out, where the adapter ${telling}`, async () => {
      const { browsers, errors } = twoProcesses([[0], [0]], change)
      const [browser] = browsers
      browser.plant(SESSION, 'eyJhbGciOiJkaXIi.of.an.earlier.strategy')
      expect((await browser.signIn()).location).to.equal('http://app.example')
      expect((await browser.session())?.user?.name).to.equal('Ada')
      const copy = browser.copy()
      await browser.signOut()
      await copy.signOut()
      expect(errors()).to.deep.equal([])
    })
  }
})
