import { expect } from 'chai'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import type { Adapter } from '../../lib/adapters/adapter.js'
import { type Running, startApp, testConfig } from '../support/app.js'
import { launchChromium, requireChromium } from '../support/chromium.js'
import { FakeProvider } from '../support/fake-provider.js'
import { enteredBy, PEOPLE, peoplesPasswords, storeWithPeople } from '../support/people-app.js'
import { oauth } from '../support/sign-ins.js'
import { serveClientModules } from './module-server.js'

describe('the accounts of a visitor in latchkey/client', function () {
  this.timeout(120_000)
  let browser: Browser
  let idp: FakeProvider
  let app: Running
  let store: Required<Adapter>
  const contexts: BrowserContext[] = []

  before(async function () {
    requireChromium.call(this)
    browser = await launchChromium()
    idp = await FakeProvider.start()
  })
  after(async () => {
    await browser?.close()
    await idp?.stop()
    await app?.close()
  })
  afterEach(async () => {
    await Promise.all(contexts.splice(0).map((context) => context.close()))
  })

  /** A page of an application, in which Ada is signed in unless nobody is. */
  const open = async ({ recentAuthAge = 900, signsIn = true } = {}): Promise<Page> => {
    await app?.close()
    store = await storeWithPeople()
    for (const id of ['1', '2']) {
      await store.linkAccount({ userId: PEOPLE.ada.id, provider: 'acme', providerAccountId: id, type: 'oidc' })
    }
    const providers = [peoplesPasswords, oauth(idp, 'oidc', { id: 'acme', name: 'Acme' })]
    const config = testConfig({ adapter: store, providers, session: { recentAuthAge } })
    app = await startApp(config, serveClientModules)
    const context = await browser.newContext()
    contexts.push(context)
    const page = await context.newPage()
    await page.goto(`${app.origin}/own`)
    await page.waitForFunction('window.client')
    if (signsIn) await call(page, `signIn('credentials', ${JSON.stringify({ ...enteredBy('ada'), redirect: false })})`)
    return page
  }

  /** What a call in the page gives; of an error its class and code. */
  const call = <T = unknown>(page: Page, code: string): Promise<T> =>
    page.evaluate(`Promise.resolve(client.${code}).catch((error) => ({ thrown: error.name, code: error.code }))`)

  const idsOf = async (page: Page) => (await call<{ id: string }[]>(page, 'getAccounts()')).map(({ id }) => id)

  it('are listed, and removed one by one, but not the last way in', async () => {
    const page = await open()
    const [first, second] = await idsOf(page)
    expect(await call(page, `unlinkAccount(${JSON.stringify(first)})`)).to.equal(undefined)
    expect(await call(page, `unlinkAccount(${JSON.stringify(first)})`)).to.include({ code: 'refused' })
    expect(await call(page, `unlinkAccount(${JSON.stringify(second)})`)).to.include({ code: 'last-way-in' })
    expect(await idsOf(page)).to.deep.equal([second])
  })

  it('that were changed meanwhile are no last way in', async () => {
    const page = await open()
    await page.route('**/accounts/unlink', (route) =>
      route.fulfill({ status: 409, json: { message: 'Changed.', reason: 'changed' } }),
    )
    expect(await call(page, `unlinkAccount('1')`)).to.include({ code: 'refused' })
  })

  it('are added at a provider, to which the browser goes', async () => {
    const page = await open()
    const { ok, url } = await call<{ ok: boolean; url: string }>(page, `linkAccount('acme', { redirect: false })`)
    expect([ok, new URL(url).origin]).to.deep.equal([true, idp.issuer])
  })

  it('need a recent sign-in, which the codes say', async () => {
    const page = await open({ recentAuthAge: 1 })
    const [id] = await idsOf(page)
    const codeFor = async () => (await call<{ code: string }>(page, `unlinkAccount('nothing')`)).code
    while ((await codeFor()) !== 'sign-in-again');
    expect(await call(page, `unlinkAccount(${JSON.stringify(id)})`)).to.include({ code: 'sign-in-again' })
    expect(await call(page, `linkAccount('acme', { redirect: false })`)).to.include({
      ok: false,
      error: 'RecentSignInRequired',
    })
  })

  it('are nobody’s when nobody is signed in', async () => {
    const page = await open({ signsIn: false })
    expect(await call(page, 'getAccounts()')).to.include({ thrown: 'ClientError', code: 'refused' })
    expect(await call(page, `unlinkAccount('x')`)).to.include({ code: 'refused' })
  })
})
