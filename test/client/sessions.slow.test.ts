import { expect } from 'chai'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import type { Adapter } from '../../lib/adapters/adapter.js'
import { type Running, startApp, testConfig } from '../support/app.js'
import { launchChromium, requireChromium } from '../support/chromium.js'
import { enteredBy, LISTING_STRATEGIES, storeWithPeople } from '../support/people-app.js'
import { serveClientModules } from './module-server.js'

describe('the sessions of a visitor in latchkey/client', function () {
  this.timeout(120_000)
  let browser: Browser
  let app: Running
  let store: Required<Adapter>
  const contexts: BrowserContext[] = []
  /** Seconds for which a sign-in counts as recent. */
  let recentAuthAge = 900

  before(async function () {
    requireChromium.call(this)
    browser = await launchChromium()
    await start()
  })
  after(async () => {
    await browser?.close()
    await app?.close()
  })
  afterEach(async () => {
    await Promise.all(contexts.splice(0).map((context) => context.close()))
  })

  async function start() {
    await app?.close()
    store = await storeWithPeople()
    const base = LISTING_STRATEGIES.jwt(store)
    const config = testConfig({ ...base, session: { ...base.session, recentAuthAge } })
    app = await startApp(config, serveClientModules)
  }

  /** A new browser at a page of the application. */
  const open = async (): Promise<Page> => {
    const context = await browser.newContext()
    contexts.push(context)
    const page = await context.newPage()
    await page.goto(`${app.origin}/own`)
    await page.waitForFunction('window.client')
    return page
  }

  /** What a call in the page gives; of an error its class and code. */
  const call = <T = unknown>(page: Page, code: string): Promise<T> =>
    page.evaluate(`Promise.resolve(client.${code}).catch((error) => ({ thrown: error.name, code: error.code }))`)

  const signedIn = async () => {
    const page = await open()
    await call(page, `signIn('credentials', ${JSON.stringify({ ...enteredBy('ada'), redirect: false })})`)
    return page
  }

  interface Entry {
    readonly id: string
    readonly isCurrent: boolean
    readonly browser: string
  }
  const otherThan = async (page: Page): Promise<Entry | undefined> =>
    (await call<Entry[]>(page, 'getSessions()')).find(({ isCurrent }) => !isCurrent)

  it('are listed, and can be ended one by one, and all others at once', async () => {
    await start()
    const [desk, phone] = [await signedIn(), await signedIn()]
    await signedIn()
    const list = await call<Entry[]>(desk, 'getSessions()')
    expect(list.map(({ isCurrent }) => isCurrent)).to.deep.equal([false, false, true])
    expect(list[0]?.browser).to.match(/^Chrome \d+$/)
    const phones = (await call<Entry[]>(phone, 'getSessions()')).find(({ isCurrent }) => isCurrent)
    expect(await call(desk, `revokeSession(${JSON.stringify(phones?.id)})`)).to.equal(true)
    expect(await call(phone, 'getSession()')).to.equal(null)
    expect(await call(desk, `revokeSession(${JSON.stringify(phones?.id)})`)).to.equal(false)
    expect(await call(desk, 'revokeOtherSessions()')).to.equal(1)
    expect(await call(desk, 'revokeOtherSessions()')).to.equal(0)
    expect(await call<Entry[]>(desk, 'getSessions()')).to.have.length(1)
  })

  it('are refused to who is not signed in', async () => {
    const page = await open()
    for (const code of ['getSessions()', "revokeSession('x')", 'revokeOtherSessions()']) {
      expect(await call(page, code), code).to.deep.equal({ thrown: 'ClientError', code: 'refused' })
    }
  })

  it('say that the visitor must sign in again first', async () => {
    recentAuthAge = 1
    await start()
    const [desk, phone] = [await signedIn(), await signedIn()]
    const other = await otherThan(desk)
    await desk.waitForTimeout(1_100)
    const again = { thrown: 'ClientError', code: 'sign-in-again' }
    expect(await call(desk, `revokeSession(${JSON.stringify(other?.id)})`)).to.deep.equal(again)
    expect(await call(desk, 'revokeOtherSessions()')).to.deep.equal(again)
    expect(await call(phone, 'getSession()')).to.not.equal(null)
    recentAuthAge = 900
  })

  it('are no empty list while the store is down, and where no list is kept', async () => {
    await start()
    const desk = await signedIn()
    store.listTokenSessionsByUserId = async () => {
      throw new Error('the store is down')
    }
    expect(await call(desk, 'getSessions()')).to.deep.equal({ thrown: 'ClientError', code: 'server-error' })
    expect(await call(desk, 'revokeOtherSessions()')).to.deep.equal({ thrown: 'ClientError', code: 'server-error' })
    await app.close()
    app = await startApp(testConfig({ providers: LISTING_STRATEGIES.jwt(store).providers ?? [] }), serveClientModules)
    const page = await signedIn()
    expect(await call(page, 'getSessions()')).to.deep.equal({ thrown: 'ClientError', code: 'refused' })
    expect(await call(page, "revokeSession('x')")).to.deep.equal({ thrown: 'ClientError', code: 'refused' })
  })
})
