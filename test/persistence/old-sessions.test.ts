import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import type { Adapter } from '../../lib/adapters/adapter.js'
import { memoryAdapter } from '../../lib/adapters/memory.js'
import { storedForm } from '../../lib/sessions/stored-token.js'
import { Clock, type DeskBrowser, openDesk, SESSION } from '../support/desk.js'

const TOKEN = 'a2b7e0c4-7a0b-4f0e-9b57-0f4c7f6f4a11'

/** A store with the row that Auth.js wrote, and two processes that take different times over their calls. */
function twoProcesses(delays: readonly [readonly number[], readonly number[]], change: (store: Adapter) => Adapter) {
  const clock = new Clock()
  const store = memoryAdapter()
  store.createUser({ id: '1815', name: 'Ada', email: 'ada@example.com', emailVerified: null })
  store.createSession({ sessionToken: TOKEN, userId: '1815', expires: new Date(clock.ms + 60_000) })
  const desks = delays.map((own) => {
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
    return openDesk({ adapter: slow }, { clock })
  })
  const browsers = desks.map((desk) => {
    const browser = desk.browser()
    browser.plant(SESSION, TOKEN)
    return browser
  })
  const errors = () => desks.flatMap(({ log }) => log.errors)
  return { store, browsers: browsers as [DeskBrowser, DeskBrowser], errors }
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

      it(`SESS-14 is gone after a sign-out in the process that moves it, ${title}`, async () => {
        const { store, browsers } = twoProcesses(delays, change)
        const [browser] = browsers
        const leaving = browser.copy()
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
})

describe('a session row that Auth.js wrote, when the store stops in the midst of the move', () => {
  for (const method of ['createSession', 'deleteSession'] as const) {
    it(`at ${method}: 503, and signed in again afterwards, until the visitor signs out`, async () => {
      let isDown = true
      const { store, browsers } = twoProcesses([[0], [0]], (sound) => ({
        ...sound,
        [method]: (given: never) => {
          if (isDown) throw new Error('connect ECONNREFUSED')
          return sound[method]?.(given)
        },
      }))
      const [browser] = browsers
      const answer = await browser.get('/auth/session')
      expect([answer.status, answer.setCookies]).to.deep.equal([503, []])
      isDown = false
      expect((await browser.session())?.user?.name).to.equal('Ada')
      const copy = browser.copy()
      await browser.signOut()
      expect([store.getSession(TOKEN), store.getSession(storedForm(TOKEN))]).to.deep.equal([null, null])
      expect(await copy.session()).to.equal(null)
    })
  }
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
