import { expect } from 'chai'
import type { Adapter } from '../../lib/adapters/adapter.js'
import { memoryAdapter } from '../../lib/adapters/memory.js'
import { type AccountAppOptions, openAccountApp } from '../support/account-app.js'
import { FakeProvider } from '../support/fake-provider.js'
import { link } from '../support/links.js'
import { createPause } from '../support/pause.js'
import { newPerson, type Person } from '../support/sign-ins.js'
import type { TestBrowser } from '../support/test-app.js'

let idp: FakeProvider
before(async () => {
  idp = await FakeProvider.start()
})
after(() => idp.stop())

interface Listed {
  readonly id: string
  readonly provider: string
  readonly isOnlyWayIn: boolean
}

const listOf = async (browser: TestBrowser): Promise<Listed[]> => (await browser.get('/auth/accounts')).json().accounts
const idAt = async (browser: TestBrowser, provider: string) =>
  (await listOf(browser)).find((account) => account.provider === provider)?.id ?? ''
const unlink = async (browser: TestBrowser, id: unknown, more: object = {}) =>
  browser.postJson('/auth/accounts/unlink', { csrfToken: await browser.csrfToken(), id, ...more })

for (const strategy of ['jwt', 'database'] as const) {
  /** An app with two OpenID providers, and somebody who has signed in with the first and linked the second. */
  const setUp = async ({ config, ...options }: AccountAppOptions = {}) => {
    const app = openAccountApp(idp, { methods: [], ...options, config: { session: { strategy }, ...config } })
    const join = async () => {
      const browser = app.browser()
      const [home, work] = [newPerson(), newPerson()]
      await app.signIn(browser, home, 'acme')
      await link(browser, { idp, clock: app.clock }, work, 'other')
      return { browser, home, work }
    }
    return { ...app, open: app.browser, join, ...(await join()) }
  }

  describe(`the accounts of a person, sessions: ${strategy},`, () => {
    it('are listed for the person alone, without their ids at the providers', async () => {
      const { browser, home, work, join } = await setUp()
      const answer = await browser.get('/auth/accounts')
      const { accounts } = answer.json()
      expect(accounts.map(({ id: _, ...rest }: Listed) => rest)).to.deep.equal([
        { provider: 'acme', name: 'oidc', type: 'oidc', scope: 'openid profile email', isOnlyWayIn: false },
        { provider: 'other', name: 'oidc', type: 'oidc', scope: 'openid profile email', isOnlyWayIn: false },
      ])
      for (const secret of [home.sub, work.sub, 'marked-']) expect(answer.body).not.to.include(secret)
      const other = await join()
      expect(await listOf(other.browser)).to.have.length(2)
      expect((await listOf(other.browser)).map(({ id }) => id)).not.to.include.members(
        accounts.map(({ id }: Listed) => id),
      )
    })

    it('signed out, nobody gets a list, and nothing is removed', async () => {
      const { browser, home, ownerOf, ...app } = await setUp()
      const id = await idAt(browser, 'acme')
      const stranger = app.open()
      expect((await stranger.get('/auth/accounts')).status).to.equal(401)
      expect((await unlink(stranger, id)).status).to.equal(401)
      expect(await ownerOf(home)).to.be.a('string')
    })

    it('are removed one by one, but not the last way in (ACCT-03)', async () => {
      const { browser, home, work, ownerOf, signIn, ...app } = await setUp()
      expect((await unlink(browser, await idAt(browser, 'other'))).json()).to.deep.equal({ unlinked: true })
      expect(await ownerOf(work, 'other')).to.equal(undefined)
      const [only] = await listOf(browser)
      expect(only).to.include({ provider: 'acme', isOnlyWayIn: true })
      expect((await unlink(browser, only?.id)).status).to.equal(409)
      expect(await ownerOf(home)).to.be.a('string')
      await signIn(app.open(), work, 'other')
      expect(await ownerOf(work, 'other'), 'whoever has the removed account is somebody else').not.to.equal(
        await ownerOf(home),
      )
    })

    it('a mailed link or a passkey is another way in; a provider that is not configured is none', async () => {
      const store = memoryAdapter()
      const mailed = await setUp({ store, methods: ['email'] })
      await unlink(mailed.browser, await idAt(mailed.browser, 'other'))
      expect((await listOf(mailed.browser))[0]).to.include({ isOnlyWayIn: false })
      const { store: kept, home, ownerOf, ...app } = await setUp()
      const userId = (await ownerOf(home)) ?? ''
      await kept.linkAccount({ provider: 'gone', providerAccountId: '1', type: 'oidc', userId })
      await unlink(app.browser, await idAt(app.browser, 'other'))
      expect((await listOf(app.browser)).map(({ provider, isOnlyWayIn }) => [provider, isOnlyWayIn])).to.deep.equal([
        ['acme', true],
        ['gone', false],
      ])
      expect((await unlink(app.browser, await idAt(app.browser, 'gone'))).status).to.equal(200)
    })

    it('CSRF-01: only a form of this browser removes anything', async () => {
      const { browser, home, ownerOf } = await setUp()
      const id = await idAt(browser, 'acme')
      for (const csrfToken of [undefined, 'wrong']) {
        expect((await browser.postJson('/auth/accounts/unlink', { csrfToken, id })).status).to.equal(403)
      }
      const csrfToken = await browser.csrfToken()
      const headers = { 'sec-fetch-site': 'cross-site' }
      expect((await browser.post('/auth/accounts/unlink', { csrfToken, id }, headers)).status).to.equal(403)
      expect((await browser.get(`/auth/accounts/unlink?id=${id}`)).status).to.equal(405)
      expect(await ownerOf(home)).to.be.a('string')
    })

    it('an old session removes nothing, and a page leads through the sign-in page and back', async () => {
      const { browser, clock, home, ownerOf } = await setUp()
      const id = await idAt(browser, 'acme')
      clock.advance(16 * 60)
      const refused = await unlink(browser, id)
      expect([refused.status, refused.json()]).to.deep.equal([403, { error: 'RecentSignInRequired' }])
      const fields = { csrfToken: await browser.csrfToken(), id, callbackUrl: '/settings' }
      const page = await browser.post('/auth/accounts/unlink', fields, { accept: 'text/html' })
      const { pathname, searchParams } = new URL(page.location ?? '')
      expect([pathname, searchParams.get('code')]).to.deep.equal(['/auth/signin', 'RemoveAccount'])
      expect(await ownerOf(home)).to.be.a('string')
    })

    it('a form of a page comes back to the page', async () => {
      const { browser, work, ownerOf } = await setUp()
      const fields = {
        csrfToken: await browser.csrfToken(),
        id: await idAt(browser, 'other'),
        callbackUrl: '/settings',
      }
      const page = await browser.post('/auth/accounts/unlink', fields, { accept: 'text/html' })
      expect(page.location).to.equal('http://app.example/settings')
      expect(await ownerOf(work, 'other')).to.equal(undefined)
    })

    it('the page of a refused form leads back to the page with the form, and to no other site', async () => {
      const { browser, ...app } = await setUp()
      const csrfToken = await browser.csrfToken()
      const send = (fields: Record<string, string>, path = 'accounts/unlink') =>
        browser.post(`/auth/${path}`, { csrfToken, callbackUrl: '/settings', ...fields }, { accept: 'text/html' })
      const back = '<a class="primary" href="http://app.example/settings">Go back</a>'
      const unknown = await send({ id: 'x' })
      expect([unknown.status, unknown.body.includes(back)]).to.deep.equal([404, true])
      expect(unknown.body).to.include('removed already')
      for (const path of ['accounts/unlink', 'sessions/revoke']) {
        const stale = await send({ id: 'x', csrfToken: 'wrong' }, path)
        expect([stale.status, stale.body.includes(back)], path).to.deep.equal([403, true])
      }
      expect((await send({}, 'sessions/revoke')).body).to.include(back)
      expect((await send({ request: 'damaged' }, 'link/acme')).body).to.include(back)
      const foreign = await send({ id: 'x', callbackUrl: 'https://evil.example/' })
      expect(foreign.body).to.include('<a class="primary" href="http://app.example">').and.not.to.include('evil')
      expect((await send({ id: await idAt(browser, 'other') })).location).to.equal('http://app.example/settings')
      const only = await send({ id: await idAt(browser, 'acme') })
      expect([only.status, only.body.includes(back)]).to.deep.equal([409, true])
      app.clock.advance(24 * 60 * 60)
      const again = await send({ id: await idAt(browser, 'acme') })
      expect(again.location).to.include('error=RecentSignInRequired')
      const { body } = await browser.get(new URL(again.location ?? '').pathname)
      expect(body, 'by the cookie').to.include('value="http://app.example/settings"')
    })

    it('nobody removes the account of another person, and learns nothing of it', async () => {
      const { browser, join, ownerOf, ...app } = await setUp()
      const eve = await join()
      const strange: unknown[] = [await idAt(browser, 'acme'), 'x'.repeat(22), { provider: 'acme' }, 7, '', null]
      const answers = await Promise.all(strange.map(async (id) => (await unlink(eve.browser, id)).status))
      expect(answers).to.deep.equal([404, 404, 400, 400, 400, 400])
      expect(await ownerOf(app.home)).to.be.a('string')
      expect(await ownerOf(eve.home)).to.be.a('string')
    })

    it('of two removals at the same time, one is refused: in one process, and in two with one store', async () => {
      const store = memoryAdapter()
      for (const count of [1, 2]) {
        const apps: Awaited<ReturnType<typeof setUp>>[] = []
        while (apps.length < count) apps.push(await setUp({ store }))
        const [first] = apps
        if (!first) throw new Error('no app')
        const { browser, home, work, ownerOf } = first
        const second = apps.at(-1)?.browser
        if (second && second !== browser) {
          second.jar.clear()
          for (const [name, cookie] of browser.jar) second.jar.set(name, cookie)
        }
        const [acme, other] = [await idAt(browser, 'acme'), await idAt(browser, 'other')]
        const both = [unlink(browser, acme), unlink(second ?? browser, other)]
        const statuses = (await Promise.all(both)).map(({ status }) => status)
        expect(statuses).to.include(409)
        const left = [await ownerOf(home), await ownerOf(work, 'other')].filter((id) => id !== undefined)
        expect(left, `${count} processes`).to.have.length.above(0)
      }
    })

    it('two processes that both delete put back what they deleted, so that no user is without a way in', async () => {
      const store = memoryAdapter()
      const pause = createPause()
      const slow: Partial<Adapter> = {
        async unlinkAccount(account) {
          await pause.wait()
          return store.unlinkAccount(account)
        },
      }
      const north = await setUp({ store, change: slow })
      const south = openAccountApp(idp, { store, methods: [], config: { session: { strategy } } })
      const elsewhere = south.browser()
      south.clock.ms = north.clock.ms
      for (const [name, cookie] of north.browser.jar) elsewhere.jar.set(name, cookie)
      pause.start()
      const removal = unlink(north.browser, await idAt(north.browser, 'acme'))
      await pause.reached
      expect((await unlink(elsewhere, await idAt(elsewhere, 'other'))).status).to.equal(200)
      pause.end()
      expect((await removal).status).to.equal(409)
      expect(await north.ownerOf(north.home)).to.be.a('string')
    })

    /** Stores that fail, or say what is not true; and whether the account is still there afterwards. */
    const FAULTS: readonly (readonly [string, (store: Required<Adapter>) => Partial<Adapter>, number, boolean])[] = [
      ['cannot delete', () => ({ unlinkAccount: () => Promise.reject(new Error('down')) }), 503, true],
      ['says that it has deleted, and has not', () => ({ unlinkAccount: async () => {} }), 503, true],
      [
        'has deleted, and its answer is lost',
        (store) => ({
          async unlinkAccount(account) {
            await store.unlinkAccount(account)
            throw new Error('connection lost')
          },
        }),
        200,
        false,
      ],
      [
        'gives the accounts of other users as well',
        (store) => ({
          listAccountsByUserId: async (userId) => [
            ...((await store.listAccountsByUserId(userId)) ?? []),
            { provider: 'acme', providerAccountId: 'of-eve', type: 'oidc' as const, userId: '666' },
          ],
        }),
        200,
        false,
      ],
    ]
    for (const [title, change, status, isKept] of FAULTS) {
      it(`a store that ${title}: ${status}`, async () => {
        const store = memoryAdapter()
        const { browser, work, ownerOf } = await setUp({ store, change: change(store) })
        const before = await listOf(browser)
        expect(before).to.have.length(2)
        expect((await unlink(browser, await idAt(browser, 'other'))).status).to.equal(status)
        expect((await ownerOf(work, 'other')) !== undefined).to.equal(isKept)
      })
    }

    it('a store that cannot list after the deletion gets the account back', async () => {
      const store = memoryAdapter()
      let isDown = false
      const change: Partial<Adapter> = {
        async unlinkAccount(account) {
          await store.unlinkAccount(account)
          isDown = true
        },
        listAccountsByUserId: async (userId) => {
          if (isDown) throw new Error('down')
          return store.listAccountsByUserId(userId)
        },
      }
      const { browser, work, ownerOf } = await setUp({ store, change })
      expect((await unlink(browser, await idAt(browser, 'other'))).status).to.equal(503)
      expect(await ownerOf(work, 'other')).to.be.a('string')
    })

    it('an adapter that lists no accounts has no such page', async () => {
      const { adapter } = (() => ({ adapter: memoryAdapter() as Adapter }))()
      const { listAccountsByUserId: _, ...few } = adapter
      const app = openAccountApp(idp, { methods: [], config: { adapter: few, session: { strategy } } })
      const browser = app.browser()
      await app.signIn(browser, newPerson(), 'acme')
      expect((await browser.get('/auth/accounts')).status).to.equal(404)
      expect((await unlink(browser, 'x')).status).to.equal(404)
    })

    it('the event unlinkAccount has the user and the account, and no token', async () => {
      const events: unknown[] = []
      const { browser, work, home, ownerOf } = await setUp({
        config: { session: { strategy }, events: { unlinkAccount: (message) => void events.push(message) } },
      })
      await unlink(browser, await idAt(browser, 'other'))
      const userId = await ownerOf(home as Person)
      expect(events).to.have.length(1)
      expect(events[0]).to.have.property('account').that.deep.equals({
        userId,
        provider: 'other',
        providerAccountId: work.sub,
        type: 'oidc',
      })
      expect(JSON.stringify(events)).not.to.include('marked-')
    })

    it('HEAD asks no store, and the answer is kept by nobody', async () => {
      const { browser, calls } = await setUp()
      calls.length = 0
      expect((await browser.head('/auth/accounts')).status).to.equal(200)
      expect(calls).to.deep.equal([])
    })
  })
}
