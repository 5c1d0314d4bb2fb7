import { Agent, get } from 'node:http'
import { expect } from 'chai'
import { memoryAdapter } from '../../lib/adapters/memory.js'
import type { AccessTokenResult } from '../../lib/index.js'
import { type ChildApp, startChild } from '../support/child-app.js'
import { FakeProvider } from '../support/fake-provider.js'
import { accessTokenOf, MARK, openTokenApp, RefreshingProvider } from '../support/refreshing-provider.js'
import { goTo, newPerson, oauth } from '../support/sign-ins.js'
import { Clock, openTestApp } from '../support/test-app.js'
import { openPlace, SHARED_STORES, type SharedStore, type StorePlace } from '../support/token-stores.js'

/** Requests at the same time in each process. */
const PARALLEL = 200
// A new connection for each: the server closes idle ones, and a request on one that is just being closed fails.
const agent = new Agent({ maxSockets: 3 * PARALLEL })

const ask = (origin: string, cookie: string): Promise<AccessTokenResult> =>
  new Promise((resolve, reject) => {
    get(origin, { agent, headers: { cookie } }, async (answer) => {
      let body = ''
      for await (const chunk of answer) body += chunk
      if (answer.statusCode === 200) resolve(JSON.parse(body) as AccessTokenResult)
      else reject(new Error(body))
    }).once('error', reject)
  })

const tokensIn = (results: readonly AccessTokenResult[]) =>
  new Set(results.map((result) => (result.status === 'ok' ? result.accessToken : JSON.stringify(result))))

describe('getAccessToken in three processes, over one store', () => {
  let idp: FakeProvider
  let provider: RefreshingProvider
  const stores = new Map<string, SharedStore>()
  const children: ChildApp[] = []
  let processes: readonly ChildApp[] = []

  before(async function () {
    this.timeout(120_000)
    idp = await FakeProvider.start()
    for (const { name, requireServer, open } of SHARED_STORES) {
      await requireServer.call(this)
      stores.set(name, await open())
    }
    processes = await Promise.all([start(), start(), start()])
  })
  beforeEach(() => {
    provider = new RefreshingProvider(idp)
  })
  after(async () => {
    await Promise.all(children.map((child) => child.stop()))
    for (const store of stores.values()) await store.close()
    await idp?.stop()
  })

  const start = async () => {
    const places = Object.fromEntries([...stores].map(([name, { place }]) => [name, place]))
    const variables = { STORES: JSON.stringify(places), ISSUER: idp.issuer, LEASE_MS: '1000' }
    const child = await startChild('token-app.ts', variables)
    children.push(child)
    return child
  }

  /** Signs a person in with an access token that expires at once; gives the cookies. */
  const signIn = async (place: StorePlace) => {
    const { adapter, close } = await openPlace(place)
    const app = openTestApp({ adapter, providers: [oauth(idp, 'oauth')] }, { clock: new Clock(Date.now()) })
    const browser = app.browser()
    provider.play(app, newPerson(), 'oauth')
    provider.lifetime = 1
    await browser.get(await goTo(browser, idp, 'oauth'))
    provider.lifetime = 3600
    const cookie = browser.cookieHeader() ?? ''
    expect(cookie).to.include('session-token')
    close()
    return cookie
  }

  const storeOf = (name: string): SharedStore => {
    const store = stores.get(name)
    if (!store) throw new Error(`${name} is not open`)
    return store
  }

  for (const { name } of SHARED_STORES) {
    it(`${name}: refreshes once for all requests, and stores nothing in plain`, async function () {
      this.timeout(120_000)
      const store = storeOf(name)
      const cookie = await signIn(store.place)
      // The answer takes a moment, so that the others find the lease.
      provider.onRefresh = (answer) => ({ body: answer, delayMs: 100 })
      const results = await Promise.all(
        processes.flatMap(({ origin }) =>
          Array.from({ length: PARALLEL }, () => ask(`${origin}/${encodeURIComponent(name)}`, cookie)),
        ),
      )
      expect(results).to.have.length(3 * PARALLEL)
      expect(provider.used, 'calls at the provider').to.have.length(1)
      expect(tokensIn(results)).to.deep.equal(new Set([`${MARK}-access-2`]))
      const rows = await store.dump()
      expect(rows).to.include('encrypted:').and.not.include(MARK)
    })
  }

  for (const rotates of [false, true]) {
    const what = rotates ? 'says that the user must sign in there again' : 'recovers'
    it(`with every store, ${what} after a process was killed between the answer and the store`, async function () {
      this.timeout(120_000)
      provider.rotates = rotates
      const starting = start()
      const visits: { name: string; cookie: string; path: string }[] = []
      for (const { name } of SHARED_STORES) {
        visits.push({ name, cookie: await signIn(storeOf(name).place), path: encodeURIComponent(name) })
      }
      const dying = await starting
      const broken = visits.map(({ path, cookie }) =>
        ask(`${dying.origin}/${path}?dies=${visits.length}`, cookie).then(
          ({ status }) => status,
          () => 'killed',
        ),
      )
      expect(await Promise.all(broken)).to.deep.equal(visits.map(() => 'killed'))
      expect(provider.used).to.have.length(visits.length)
      const after = visits.map(async ({ name, path, cookie }) => {
        const results = await Promise.all(processes.map(({ origin }) => ask(`${origin}/${path}`, cookie)))
        const ends = results.map((result) => (result.status === 'reauthorize' ? result.reason : result.status))
        // Of several processes, one hears the refusal, and the others find that the refresh token is gone.
        if (rotates) expect(ends, name).to.include('refused').and.not.include('ok').and.not.include('unavailable')
        else expect(ends, name).to.deep.equal(['ok', 'ok', 'ok'])
      })
      await Promise.all(after)
      expect(provider.used).to.have.length(2 * visits.length)
    })
  }
})

describe('getAccessToken in one process, over memory', () => {
  it('refreshes once for all requests, and stores nothing in plain', async () => {
    const idp = await FakeProvider.start()
    const provider = new RefreshingProvider(idp)
    const adapter = memoryAdapter()
    const person = newPerson()
    const app = openTokenApp(provider, adapter)
    provider.play(app, person)
    const browser = app.browser()
    await browser.get(await goTo(browser, idp))
    app.clock.advance(3600)
    const results = await Promise.all(Array.from({ length: 3 * PARALLEL }, () => accessTokenOf(app, browser)))
    expect(tokensIn(results as AccessTokenResult[])).to.deep.equal(new Set([`${MARK}-access-2`]))
    expect(provider.used).to.have.length(1)
    const account = await adapter.getAccount(person.sub, 'oidc')
    for (const member of ['access_token', 'refresh_token', 'id_token'] as const) {
      expect(account?.[member], member).to.match(/^encrypted:/)
    }
    await idp.stop()
  })
})
