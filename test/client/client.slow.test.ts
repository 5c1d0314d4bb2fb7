import { expect } from 'chai'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { memoryAdapter } from '../../lib/adapters/memory.js'
import GitHub from '../../lib/providers/catalogue/github.js'
import Credentials from '../../lib/providers/credentials.js'
import { testMailbox } from '../../lib/testing/mailbox.js'
import { ADA, passwords, type Running, startApp, testConfig } from '../support/app.js'
import { launchChromium, requireChromium } from '../support/chromium.js'
import { serveClientModules } from './module-server.js'

describe('latchkey/client', function () {
  this.timeout(120_000)
  let browser: Browser
  let app: Running
  let context: BrowserContext
  let page: Page

  const github = GitHub({ clientId: 'client', clientSecret: 'secret' })
  const mailbox = testMailbox()
  const other = Credentials({ id: 'other', name: 'Other', credentials: { pin: {} }, authorize: () => null })

  before(async function () {
    requireChromium.call(this)
    browser = await launchChromium()
    const config = testConfig({
      providers: [passwords, other, github, mailbox.provider({ code: true })],
      adapter: memoryAdapter(),
      session: { strategy: 'jwt' },
      callbacks: {
        jwt: ({ token, trigger, session }) => (trigger === 'update' ? { ...token, name: session.name } : token),
      },
    })
    app = await startApp(config, serveClientModules)
  })
  after(async () => {
    await browser?.close()
    await app?.close()
  })
  beforeEach(async () => {
    context = await browser.newContext()
    page = await context.newPage()
    await page.goto(`${app.origin}/own`)
    await page.waitForFunction('window.client')
  })
  afterEach(() => context.close())

  /** What a call in the page gives; of an error its class and code. */
  const inPage = (call: string): Promise<unknown> =>
    page.evaluate(`Promise.resolve(client.${call}).catch((error) => ({ thrown: error.name, code: error.code }))`)
  const ada = JSON.stringify({ ...ADA, redirect: false })

  it('signs in with a code from a mail, and tells a wrong one from one that no longer works', async () => {
    const mailed = await inPage(`signIn('email', { email: 'grace@example.com', redirect: false })`)
    expect(mailed).to.include({ ok: true, url: `${app.origin}/auth/verify-request?provider=email&type=email` })
    const enter = (code = '') => inPage(`signIn('email', { emailCode: '${code}', redirect: false })`)
    for (const code of [...Array(4).fill('WrongCode'), 'NoCode']) {
      expect(await enter('BCDF-GHJK')).to.include({ ok: false, error: 'Verification', code })
    }
    await inPage(`signIn('email', { email: 'grace@example.com', redirect: false })`)
    expect(await enter(mailbox.messages.at(-1)?.code)).to.include({ ok: true, url: `${app.origin}/own` })
    expect(await inPage('getSession()')).to.have.nested.property('user.email', 'grace@example.com')
  })

  it('signs in with credentials and stays on the page, and tells who is signed in', async () => {
    expect(await inPage('getSession()')).to.equal(null)
    expect(await inPage(`signIn('credentials', ${ada})`)).to.deep.equal({
      ok: true,
      url: `${app.origin}/own`,
      error: null,
      code: null,
    })
    expect(await inPage('getSession()')).to.have.deep.property('user', {
      name: 'Ada',
      email: 'ada@example.com',
      image: null,
    })
  })

  it('tells that credentials were wrong, and with which code', async () => {
    const result = await inPage(`signIn('credentials', { username: 'ada', password: 'x', redirect: false })`)
    expect(result).to.deep.include({ ok: false, error: 'CredentialsSignin', code: 'credentials' })
    expect(await inPage('getSession()')).to.equal(null)
  })

  it('takes the fields of a form as FormData', async () => {
    const form = `Object.entries(${ada}).reduce((form, [name, value]) => (form.append(name, value), form), new FormData())`
    expect(await inPage(`signIn('credentials', ${form})`)).to.have.property('ok', true)
    expect(page.url()).to.equal(`${app.origin}/own`)
  })

  it('goes to the return target after signing in, and after signing out', async () => {
    const there = { ...ADA, redirectTo: '/own/inside' }
    await Promise.all([
      page.waitForURL('**/own/inside'),
      inPage(`signIn('credentials', ${JSON.stringify(there)})`).catch(() => {}),
    ])
    await page.waitForFunction('window.client')
    expect(await inPage('getSession()')).to.have.property('user')
    await Promise.all([page.waitForURL('**/own/out'), inPage(`signOut({ redirectTo: '/own/out' })`).catch(() => {})])
    await page.waitForFunction('window.client')
    expect(await inPage('getSession()')).to.equal(null)
  })

  it('loads the page anew where the target differs by its fragment alone', async () => {
    await page.evaluate('window.isOld = true')
    await inPage(`signIn('credentials', ${JSON.stringify({ ...ADA, redirectTo: '/own#top' })})`).catch(() => {})
    await page.waitForFunction('window.client && !window.isOld')
    expect(page.url()).to.equal(`${app.origin}/own#top`)
  })

  it('does not take an "error" in the return target for a failure', async () => {
    const result = await inPage(
      `signIn('credentials', ${JSON.stringify({ ...ADA, redirect: false, redirectTo: '/own?error=1' })})`,
    )
    expect(result).to.deep.include({ ok: true, url: `${app.origin}/own?error=1` })
  })

  it('signs out and stays on the page', async () => {
    await inPage(`signIn('credentials', ${ada})`)
    expect(await inPage('signOut({ redirect: false })')).to.deep.equal({ url: `${app.origin}/own`, error: null })
    expect(await inPage('getSession()')).to.equal(null)
  })

  it('tells of a sign-out after which the session may still be open elsewhere (LOGOUT-02)', async () => {
    const body = JSON.stringify({ error: 'SignOut', message: 'It may still be open.', url: `${app.origin}/own/oops` })
    await page.route('**/auth/signout', (route) => route.fulfill({ status: 503, body }))
    const expected = { thrown: 'ClientError', code: 'not-ended' }
    expect(await inPage('signOut({ redirect: false })')).to.deep.equal(expected)
    await Promise.all([page.waitForURL('**/own/oops'), inPage('signOut()').catch(() => {})])
    await page.waitForFunction('window.client')
    for (const answer of ['{}', '', '{"error":"SignOut"}', 'null']) {
      await page.unroute('**/auth/signout')
      await page.route('**/auth/signout', (route) => route.fulfill({ status: 503, body: answer }))
      expect(await inPage('signOut()')).to.deep.equal({ thrown: 'ClientError', code: 'server-error' })
    }
  })

  it('hands data to the callbacks, and gives the session as it is then', async () => {
    expect(await inPage(`updateSession({ name: 'Lady Ada' })`), 'signed out').to.equal(null)
    await inPage(`signIn('credentials', ${ada})`)
    expect(await inPage(`updateSession({ name: 'Lady Ada' })`)).to.have.nested.property('user.name', 'Lady Ada')
    expect(await inPage('getSession()')).to.have.nested.property('user.name', 'Lady Ada')
  })

  it('starts a sign-in at a provider, with parameters for it', async () => {
    const result = (await inPage(`signIn('github', { redirect: false }, { login_hint: 'ada' })`)) as { url: string }
    const url = new URL(result.url)
    expect(url.origin + url.pathname).to.equal('https://github.com/login/oauth/authorize')
    expect(url.searchParams.get('login_hint')).to.equal('ada')
  })

  it('goes to the sign-in page when no provider is named, with the way back', async () => {
    await Promise.all([page.waitForURL('**/auth/signin?**'), inPage('signIn()').catch(() => {})])
    expect(new URL(page.url()).searchParams.get('callbackUrl')).to.equal(`${app.origin}/own`)
  })

  it('lists the providers, and hands out the CSRF token', async () => {
    expect(await page.evaluate('client.getProviders().then(Object.keys)')).to.deep.equal([
      'credentials',
      'other',
      'github',
      'email',
    ])
    expect(await inPage('getCsrfToken()')).to.match(/^[0-9a-f]{64}$/)
  })

  it('names a provider that is not there', async () => {
    for (const id of ['nobody', 'toString']) {
      expect(await inPage(`signIn('${id}')`)).to.deep.equal({ thrown: 'ClientError', code: 'unknown-provider' })
    }
  })

  it('tells a server that cannot be reached from one that fails, and neither from "signed out"', async () => {
    await page.route('**/auth/session', (route) => route.abort())
    expect(await inPage('getSession()')).to.deep.equal({ thrown: 'ClientError', code: 'offline' })
    await page.unroute('**/auth/session')
    await page.route('**/auth/session', (route) => route.fulfill({ status: 503, body: 'null' }))
    expect(await inPage('getSession()')).to.deep.equal({ thrown: 'ClientError', code: 'server-error' })
    await page.unroute('**/auth/session')
    await page.route('**/auth/session', (route) => route.fulfill({ status: 200, body: '<!doctype html>' }))
    expect(await inPage('getSession()'), 'a proxy answers with a page').to.deep.equal({
      thrown: 'ClientError',
      code: 'server-error',
    })
  })

  it('takes no answer for a session that is none', async () => {
    for (const body of ['{}', '[]', '""', 'true', '1']) {
      await page.route('**/auth/session', (route) => route.fulfill({ status: 200, body }))
      const expected = { thrown: 'ClientError', code: 'server-error' }
      expect(await inPage('getSession()'), body).to.deep.equal(expected)
      expect(await inPage('updateSession({})'), body).to.deep.equal(expected)
      await page.unroute('**/auth/session')
    }
  })

  it('ends a look-up with its signal', async () => {
    const aborted = { thrown: 'ClientError', code: 'aborted' }
    expect(await inPage('getSession({ signal: AbortSignal.abort() })')).to.deep.equal(aborted)
    const asked = page.waitForRequest('**/auth/session')
    await page.route('**/auth/session', () => {})
    await page.evaluate(`window.stop = new AbortController()
      window.answer = client.getSession({ signal: stop.signal }).catch((error) => error.code)
      null`)
    await asked
    expect(await page.evaluate('stop.abort(), answer')).to.equal('aborted')
  })

  it('takes callbackUrl for redirectTo', async () => {
    const there = { ...ADA, redirect: false, callbackUrl: '/own/inside' }
    const url = `${app.origin}/own/inside`
    expect(await inPage(`signIn('credentials', ${JSON.stringify(there)})`)).to.have.property('url', url)
    const result = await inPage(`signOut({ redirect: false, callbackUrl: '/own/inside' })`)
    expect(result).to.deep.equal({ url, error: null })
  })

  it('sends no token where the server wants none', async () => {
    await page.route('**/auth/csrf', (route) => route.fulfill({ status: 404, body: '{}' }))
    expect(await inPage('getCsrfToken()')).to.equal(null)
    expect(await inPage('signOut({ redirect: false })'), 'this server does want one').to.deep.equal({
      thrown: 'ClientError',
      code: 'refused',
    })
  })

  it('asks at the base path that it was made for', async () => {
    const asked: string[] = []
    page.on('request', (request) => asked.push(new URL(request.url()).pathname))
    await inPage(`createClient({ basePath: '/api/auth/' }).getSession()`)
    expect(asked).to.deep.equal(['/api/auth/session'])
  })

  it('refuses a misspelt option, and says which one was meant', async () => {
    const said = (call: string) =>
      page.evaluate(`(async () => client.${call})().then(() => 'accepted', (error) => error.message)`)
    expect(await said(`createClient({ basepath: '/api/auth' })`)).to.equal(
      'createClient has no option "basepath". Did you mean basePath?',
    )
    expect(await said(`createClient({ path: '/api/auth' })`)).to.include('The options are: baseUrl, basePath.')
    expect(await said(`createClient('/api/auth')`)).to.include('createClient takes an object')
    for (const name of ['redirectURL', 'redirect_to', 'callbackURL'])
      expect(await said(`signIn('credentials', { ...${ada}, ${name}: '/' })`)).to.include(
        `no option "${name}". Did you`,
      )
    expect(await said(`signOut({ redirect: false, endsession: true })`)).to.include('Did you mean endSession?')
    expect(await said('getSession()'), 'nothing was sent').to.equal('accepted')
  })

  it('takes the event of a click for no options', async () => {
    await page.evaluate(`document.addEventListener('click', (event) => { client.signOut(event) })`)
    // The page is loaded again afterwards, so it cannot be asked what came of it.
    const sent = page.waitForRequest((request) => request.method() === 'POST' && request.url().endsWith('/signout'))
    await page.mouse.click(1, 1)
    expect(new URLSearchParams((await sent).postData() ?? '').has('csrfToken')).to.equal(true)
  })
})
