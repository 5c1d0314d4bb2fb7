import { expect } from 'chai'
import { memoryAdapter } from '../../lib/adapters/memory.js'
import type { Adapter, AuthConfig } from '../../lib/index.js'
import { createDeletionRetries, type DeletionTarget } from '../../lib/sessions/deletion-retries.js'
import { storedForm } from '../../lib/sessions/stored-token.js'
import { requestContext } from '../support/request-context.js'
import { openTestApp, SESSION, sessionCookies, type TestBrowser } from '../support/test-app.js'

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

async function until(isSo: () => unknown, ms = 5000) {
  const end = Date.now() + ms
  while (!isSo() && Date.now() < end) await pause(5)
  expect(isSo(), 'within the time').to.equal(true)
}

/** A store of rows that can be down, and notes what is asked of it. */
function openStore(rows: readonly string[] = []) {
  const store = {
    isDown: true,
    hangs: false,
    left: new Set(rows),
    asked: [] as string[],
    gaveUp: [] as number[],
    most: 0,
  }
  let open = 0
  const target: DeletionTarget = {
    store,
    async remove(stored) {
      store.asked.push(stored)
      open += 1
      store.most = Math.max(store.most, open)
      if (store.hangs) await new Promise(() => {})
      await pause(1)
      open -= 1
      if (store.isDown) throw new Error('the store is down')
      store.left.delete(stored)
    },
    gaveUp: (count) => void store.gaveUp.push(count),
  }
  return Object.assign(store, { target })
}

const sumOf = (counts: readonly number[]) => counts.reduce((sum, count) => sum + count, 0)

describe('a deletion that failed', () => {
  it('is done as its own kind of row needs it, if one store has rows of two kinds', async () => {
    const store = {}
    const down = { is: true }
    const asked: string[] = []
    const targetOf = (kind: string): DeletionTarget => ({
      store,
      async remove(stored) {
        if (down.is) throw new Error('the store is down')
        asked.push(`${kind} ${stored}`)
      },
      gaveUp: () => {},
    })
    const retries = createDeletionRetries({ waitsMs: [5] })
    retries.add('a', targetOf('token session'))
    retries.add('b', targetOf('session'))
    down.is = false
    await until(() => retries.size === 0)
    expect(asked.sort()).to.deep.equal(['session b', 'token session a'])
  })

  it('of a session that may exist is never given up for what anybody can make up', async () => {
    const store = openStore(['real'])
    const retries = createDeletionRetries({ waitsMs: [20], capacity: 3 })
    retries.add('real', store.target)
    for (let n = 0; n < 100; n += 1) retries.add(`made up ${n}`, store.target, false)
    expect([retries.has('real'), retries.has('made up 99'), retries.size]).to.deep.equal([true, true, 3])
    retries.add('second', store.target)
    retries.add('third', store.target)
    retries.add('made up, too late', store.target, false)
    const waiting = ['real', 'second', 'third', 'made up 99', 'made up, too late'].filter((each) => retries.has(each))
    expect(waiting).to.deep.equal(['real', 'second', 'third'])
    store.isDown = false
    await until(() => retries.size === 0)
    expect(store.left.size).to.equal(0)
    expect(sumOf(store.gaveUp)).to.equal(101)
  })

  it('is tried again until it succeeds, and is then forgotten', async () => {
    const store = openStore(['one', 'two'])
    const retries = createDeletionRetries({ waitsMs: [5, 10] })
    for (const stored of store.left) retries.add(stored, store.target)
    await until(() => store.asked.length >= 4)
    expect([retries.has('one'), retries.size]).to.deep.equal([true, 2])
    store.isDown = false
    await until(() => retries.size === 0)
    expect([store.left.size, retries.has('one'), store.gaveUp]).to.deep.equal([0, false, []])
    const { length } = store.asked
    await pause(50)
    expect(store.asked.length, 'nothing is asked any more').to.equal(length)
  })

  it('is given up after a time, which is logged once in a round', async () => {
    const store = openStore()
    const retries = createDeletionRetries({ waitsMs: [10], lifetimeMs: 60 })
    for (const stored of ['one', 'two', 'three', 'four', 'five']) retries.add(stored, store.target)
    await until(() => retries.size === 0)
    expect([retries.has('one'), sumOf(store.gaveUp)]).to.deep.equal([false, 5])
    // They were added a moment after each other, so a round may begin between the ends of two of them.
    expect(store.gaveUp.length).to.be.lessThan(3)
  })

  it('is given up at its time, whatever the store does; a call that hangs counts as failed', async () => {
    const store = openStore()
    store.hangs = true
    const retries = createDeletionRetries({ waitsMs: [5], lifetimeMs: 40, tryMs: 10 })
    retries.add('one', store.target)
    await pause(41)
    expect(retries.has('one')).to.equal(false)
    await until(() => retries.size === 0)
    expect(store.gaveUp).to.deep.equal([1])
  })

  it('is given up at its time, also if it is asked for again', async () => {
    const store = openStore()
    const retries = createDeletionRetries({ waitsMs: [5], lifetimeMs: 60 })
    const began = Date.now()
    while (store.gaveUp.length === 0 && Date.now() - began < 5000) {
      retries.add('one', store.target)
      await pause(5)
    }
    expect(store.gaveUp).to.deep.equal([1])
  })

  it('waits longer and longer, and asks a store that is down three times in a round, one after the other', async () => {
    const store = openStore()
    const retries = createDeletionRetries({ waitsMs: [5, 10, 60_000] })
    for (let n = 0; n < 500; n += 1) retries.add(`row ${n}`, store.target)
    await until(() => store.asked.length >= 6)
    await pause(100)
    expect([store.asked.length, store.most]).to.deep.equal([6, 1])
    // Each round begins with rows that were not tried in the one before.
    expect(new Set(store.asked).size).to.equal(6)
  })

  it('does not wait for a row that can never be deleted', async () => {
    const store = openStore(['poison', 'one', 'two'])
    store.isDown = false
    const { remove } = store.target
    const target = {
      ...store.target,
      remove: (stored: string) => (stored === 'poison' ? Promise.reject(new Error()) : remove(stored)),
    }
    const retries = createDeletionRetries({ waitsMs: [5] })
    for (const stored of store.left) retries.add(stored, target)
    await until(() => retries.size === 1)
    expect([...store.left]).to.deep.equal(['poison'])
  })

  it('does not wait for another store that is down', async () => {
    const [down, up] = [openStore(), openStore(['two'])]
    up.isDown = false
    const retries = createDeletionRetries({ waitsMs: [5] })
    for (let n = 0; n < 10; n += 1) retries.add(`row ${n}`, down.target)
    retries.add('two', up.target)
    await until(() => !retries.has('two'))
    expect(up.left.size).to.equal(0)
  })

  it('is kept when somebody signs out again after its time, before that was noticed', async () => {
    const store = openStore(['one'])
    const retries = createDeletionRetries({ waitsMs: [150], lifetimeMs: 50 })
    retries.add('one', store.target)
    await pause(80)
    expect(retries.has('one')).to.equal(false)
    retries.add('one', store.target)
    expect([retries.has('one'), retries.size]).to.deep.equal([true, 1])
    store.isDown = false
    await until(() => store.left.size === 0)
  })

  it('is tried one at a time for each store, however many configurations use the store', async () => {
    const store = openStore()
    store.isDown = false
    const retries = createDeletionRetries({ waitsMs: [5] })
    for (let n = 0; n < 100; n += 1) retries.add(`row ${n}`, { ...store.target })
    await until(() => retries.size === 0)
    expect([store.most, store.asked.length]).to.deep.equal([1, 100])
  })

  it('is not begun once more while a try of it is under way, and counts when that succeeds', async () => {
    const store = openStore()
    let done = () => {}
    const remove = (stored: string) => {
      store.asked.push(stored)
      return new Promise<void>((resolve) => {
        done = resolve
      })
    }
    const retries = createDeletionRetries({ waitsMs: [5], tryMs: 10 })
    retries.add('one', { ...store.target, remove })
    await pause(100)
    expect(store.asked).to.deep.equal(['one'])
    done()
    await until(() => retries.size === 0)
    expect(store.gaveUp).to.deep.equal([])
  })

  it('waits while three deletions in the same store hang', async () => {
    const store = openStore()
    store.hangs = true
    const retries = createDeletionRetries({ waitsMs: [5], tryMs: 10 })
    for (let n = 0; n < 10; n += 1) retries.add(`row ${n}`, store.target)
    await pause(150)
    expect(store.most).to.equal(3)
  })

  it('takes limited memory under a flood: the oldest is given up, and that is logged', async () => {
    const store = openStore()
    const retries = createDeletionRetries({ waitsMs: [30], capacity: 100 })
    for (let n = 0; n < 100_000; n += 1) retries.add(`row ${n}`, store.target)
    expect([retries.size, retries.has('row 0'), retries.has('row 99999')]).to.deep.equal([100, false, true])
    await until(() => store.gaveUp.length > 0)
    expect(store.gaveUp).to.deep.equal([99_900])
    store.isDown = false
    await until(() => retries.size === 0)
    expect(store.asked.length).to.be.lessThan(110)
  })

  it('keeps no process running', async () => {
    const retries = createDeletionRetries({ waitsMs: [60_000] })
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
    const before = timers()
    retries.add('one', openStore().target)
    expect(timers()).to.equal(before)
  })
})

/** A test app over a store that has Ada, and may be down. */
function outageApp(options: Partial<AuthConfig> = {}) {
  const store = memoryAdapter()
  store.createUser({ id: '1815', name: 'Ada', email: 'ada@example.com', image: null, emailVerified: null })
  const state = { isDown: false, fails: '', calls: [] as string[], begun: [] as string[] }
  const adapter = Object.fromEntries(
    Object.entries(store).map(([name, method]) => [
      name,
      async (...args: unknown[]) => {
        state.calls.push(name)
        if (name === 'createSession') state.begun.push((args[0] as { sessionToken: string }).sessionToken)
        if (state.isDown || state.fails === name) throw new Error('the store is down')
        return (method as (...args: unknown[]) => unknown)(...args)
      },
    ]),
  ) as Adapter
  const tokenIn = ({ jar }: TestBrowser) => jar.get(SESSION)?.value ?? ''
  const isStored = (token: string) => store.getSessionAndUser(storedForm(token)) !== null
  return { ...openTestApp({ adapter, ...options }), store, state, tokenIn, isStored }
}

describe('a sign-out that could not be stored', () => {
  it('is completed once the store is back, without a request; what was logged stays true', async () => {
    const emitted: unknown[] = []
    const testApp = outageApp({ events: { signOut: (message: unknown) => void emitted.push(message) } })
    const ada = await testApp.signedIn()
    const token = testApp.tokenIn(ada)
    testApp.state.isDown = true
    const answer = await ada.signOut()
    expect(answer.location).to.equal('http://app.example/auth/error?error=SignOut')
    expect(testApp.isStored(token)).to.equal(true)
    testApp.state.isDown = false
    await until(() => !testApp.isStored(token))
    expect(emitted).to.deep.equal([])
    await until(() => testApp.log.lines.some((line) => line === 'sign-outs-completed {"count":1}'))
  })

  it('counts in this process at once: the store is not asked, and no copy is extended', async () => {
    const testApp = outageApp({ session: { updateAge: 0 } })
    const ada = await testApp.signedIn()
    const copy = ada.copy()
    testApp.state.isDown = true
    await ada.signOut()
    testApp.state.calls.length = 0
    for (const isDown of [true, false]) {
      testApp.state.isDown = isDown
      const there = copy.copy()
      const answer = await there.get('/auth/session')
      expect([answer.status, answer.json()]).to.deep.equal([200, null])
      expect((await there.copy().update({})).json()).to.equal(null)
      expect((await testApp.engine.readSession(requestContext(copy.cookieHeader(), testApp.origin))).session).to.equal(
        null,
      )
    }
    expect(testApp.state.calls).to.deep.equal([])
  })

  it('counts for every configuration of this process, as one that is made anew for each request', async () => {
    const testApp = outageApp()
    const ada = await testApp.signedIn()
    const copy = ada.copy()
    testApp.state.isDown = true
    await ada.signOut()
    const other = openTestApp({ adapter: testApp.store })
    expect((await other.engine.readSession(requestContext(copy.cookieHeader(), other.origin))).session).to.equal(null)
  })

  it('SESS-14: wins over a read and an extension that began before it', async () => {
    const waiting: (() => void)[] = []
    const slow = { on: false }
    const testApp = outageApp({
      session: { updateAge: 0 },
      callbacks: {
        async session({ session }) {
          if (slow.on) await new Promise<void>((resolve) => waiting.push(resolve))
          return session
        },
      },
    })
    const ada = await testApp.signedIn()
    const copy = ada.copy()
    slow.on = true
    const reading = copy.get('/auth/session')
    await until(() => waiting.length > 0)
    slow.on = false
    testApp.state.fails = 'deleteSession'
    await ada.signOut()
    for (const release of waiting) release()
    const answer = await reading
    expect([answer.json(), sessionCookies(answer)]).to.deep.equal([null, []])
  })

  it('SESS-14: wins over an account that is being added to the session', async () => {
    const testApp = outageApp()
    const { sessions } = testApp.engine.config.schemeFor(testApp.origin)
    const ada = await testApp.signedIn()
    const cookies = new Map([[SESSION, testApp.tokenIn(ada)]])
    const principal = await sessions.readPrincipal(requestContext(cookies))
    testApp.state.isDown = true
    await ada.signOut()
    testApp.state.isDown = false
    const account = { provider: 'acme', type: 'oidc', providerAccountId: 'of the thief' } as const
    const start = { user: { id: principal?.id ?? '' }, account, isNewUser: false }
    const added = await sessions.addAccount(requestContext(cookies), start)
    expect(added.filter(({ value }) => value !== '')).to.deep.equal([])
    // A sign-in of its own depends on no earlier session.
    expect((await sessions.issue(requestContext(cookies), start)).some(({ value }) => value !== '')).to.equal(true)
  })

  it('does not touch the session of a sign-in that follows in the same browser', async () => {
    const testApp = outageApp()
    const ada = await testApp.signedIn()
    const token = testApp.tokenIn(ada)
    testApp.state.isDown = true
    await ada.signOut()
    testApp.state.isDown = false
    await ada.signIn()
    await until(() => !testApp.isStored(token))
    expect((await ada.session())?.user?.name).to.equal('Ada')
  })
})

describe('a sign-in that cannot end the previous session (SESS-02)', () => {
  it('is refused; the previous session stays, and the new row, whose token nobody got, is deleted later', async () => {
    const testApp = outageApp()
    const ada = await testApp.signedIn()
    const before = testApp.tokenIn(ada)
    testApp.state.fails = 'deleteSession'
    const answer = await ada.signIn()
    expect(answer.location).to.include('error=Configuration')
    expect([testApp.tokenIn(ada), (await ada.session())?.user?.name]).to.deep.equal([before, 'Ada'])
    const begun = testApp.state.begun.at(-1) ?? ''
    expect(begun).to.not.equal(storedForm(before))
    expect(testApp.store.getSessionAndUser(begun)).to.not.equal(null)
    testApp.state.fails = ''
    await until(() => testApp.store.getSessionAndUser(begun) === null)
    expect((await ada.session())?.user?.name).to.equal('Ada')
  })
})
